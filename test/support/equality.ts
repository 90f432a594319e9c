/** Compares at once what is alike in full: vitest goes through buffers and lists by their keys, which took longer than what it tests. */
import { expect } from 'vitest';

/** True for the same bytes, or the same plain values in order; undefined leaves it to vitest, which also shows what differs. */
function sameAtOnce(a: unknown, b: unknown): boolean | undefined {
  if (Buffer.isBuffer(a) && Buffer.isBuffer(b)) return a.equals(b) || undefined;
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return undefined;
  // By a loop, since `every` passes over holes.
  for (let at = 0; at < a.length; at++) if (!isPlain(a[at]) || !Object.is(a[at], b[at])) return undefined;
  return true;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}

/** An expected `{}` matches no object with values, because in toMatchObject it would match every object. */
function emptyOnly(a: unknown, b: unknown): boolean | undefined {
  if (!isEmpty(b) || typeof a !== 'object' || a === null) return undefined;
  return Object.getPrototypeOf(a) === Object.prototype ? isEmpty(a) : undefined;
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return false;
  return Object.values(value).every((each) => each === undefined);
}

expect.addEqualityTesters([sameAtOnce, emptyOnly]);
