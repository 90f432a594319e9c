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

expect.addEqualityTesters([sameAtOnce]);
