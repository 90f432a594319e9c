/** The plan is a function of its arguments: a dry run and a run have the same one. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../src/', import.meta.url));

/** Returns the modules that `module` of src/ imports as values, directly or not, and the packages of Node. */
function importsOf(module: string, seen = new Set<string>()): Set<string> {
  if (seen.has(module)) return seen;
  seen.add(module);
  const path = join(ROOT, module);
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
    if (isTypeOnly) continue;
    const name = from.startsWith('#') ? `${from.slice(1)}.ts` : from;
    importsOf(name.startsWith('.') ? join(dirname(module), name) : name, seen);
  }
  return seen;
}

it('the plan imports no module that reads files, sends requests or waits (E9)', () => {
  const all = [...importsOf('codes/engine/plan/plan.ts')];
  // Hashes, whether a text is an IP address, and the clock beside the functions that parse times.
  const pure = ['node:crypto', 'node:net', 'node:timers/promises'];
  expect(all.filter((name) => name.startsWith('node:') && !pure.includes(name))).toEqual([]);
  expect(
    all.filter((path) => /^(commands|terminal|sandbox|settings|files\/durable|context)\b/.test(path)),
  ).toEqual([]);
  const impure = /(?<![.\w])(systemClock|letSignalsIn|setTimeout|Date\.now|Math\.random|process\.)/;
  const modules = all.filter((path) => path !== 'base/time/time.ts' && existsSync(join(ROOT, path)));
  expect(modules.filter((path) => impure.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
  expect(all.length).toBeGreaterThan(20);
});
