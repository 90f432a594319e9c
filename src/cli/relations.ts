import { UsageError } from '../base/errors.ts';
import type { CommandDefinition, Flag, Options, Values } from '../commands/define.ts';
import { argumentsOf, flagsOf, relationName } from './manual.ts';

/**
 * Returns the error for flags that lack a required one or exclude each other. `given`: keys of the options on
 * the line.
 */
export function findBrokenRelation(
  { options, arguments: terms = [] }: CommandDefinition,
  { given, args, values }: { given: readonly string[]; args: readonly string[]; values: Values<Options> },
): UsageError | undefined {
  const flags = flagsOf(options, terms);
  const keys = new Map(flags.map(({ long }, at) => [long, Object.keys(options)[at] ?? '']));
  const used = flags.filter(({ long }) => given.includes(keys.get(long) ?? ''));
  const words = argumentsOf(terms).map(relationName).slice(0, args.length);
  const present = new Set([...used.map(({ long }) => long), ...words]);
  for (const { long, requires } of used) {
    const missing = requires.filter((names) => !names.some((name) => present.has(name)));
    if (missing.length > 0) return missingFlags(long, missing, flags);
  }
  const pairs = used.flatMap(({ long, conflicts }) =>
    conflicts.filter((other) => present.has(other)).map((other) => ({ long, other })),
  );
  // A flag may change the meaning of the arguments, so that only its own conflict is one.
  const pair = pairs.find(({ other }) => keys.has(other)) ?? pairs[0];
  if (!pair) return undefined;
  const { long, other } = pair;
  const key = keys.get(long) ?? '';
  const hint = options[key]?.hintFor?.(values[key]) ?? `Omit either ${other} or ${long}.`;
  return new UsageError(`${other} can't be used with ${long}`, { hint });
}

function missingFlags(
  flag: string,
  missing: readonly (readonly string[])[],
  flags: readonly Flag[],
): UsageError {
  const list = (form: (name: string) => string) =>
    missing
      .map((names) => new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names.map(form)))
      .join(' and ');
  const withValue = (name: string) => {
    const value = flags.find(({ long }) => long === name)?.value;
    return value === undefined ? name : `${name} ${formOf(value.replace(/\|-$/, ''))}`;
  };
  return new UsageError(`${flag} requires ${list((name) => name)}`, {
    hint: `Add ${list(withValue)}, or omit ${flag}.`,
  });
}

/** Returns a placeholder in capitals; `CxR` is one already. */
function formOf(value: string): string {
  return /[A-Z]/.test(value) ? value : value.toUpperCase();
}
