/** The plan is a function of its arguments: a dry run and a run have the same one. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../src/', import.meta.url));

/** Returns what a module imports as values, in the end. */
function importsOf(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  if (!existsSync(path)) return seen;
  for (const [, names = '', from = ''] of readFileSync(path, 'utf8').matchAll(
    /^(?:import|export) (?!type)([^;]*?) from '([^']+)'/gm,
  )) {
    const isTypeOnly =
      /^\{[^}]*\}$/.test(names) &&
      names
        .slice(1, -1)
        .split(',')
        .every((name) => /^\s*(type |$)/.test(name));
    if (!isTypeOnly) importsOf(from.startsWith('.') ? join(dirname(path), from) : from, seen);
  }
  return seen;
}

it('the plan imports nothing that reads, writes or waits (E9)', () => {
  const all = [...importsOf(join(ROOT, 'codes/engine/plan/plan.ts'))];
  // Hashes, and whether a text is an IP address.
  const pure = ['node:crypto', 'node:net'];
  expect(all.filter((name) => name.startsWith('node:') && !pure.includes(name))).toEqual([]);
  expect(all.filter((path) => /\/(commands|terminal|sandbox|settings|durable)\//.test(path))).toEqual([]);
  expect(all.length).toBeGreaterThan(20);
});
