/** Values of codes in the groups of a count: UTM tags of destinations, and columns of a table of codes. */
import { utmOf } from '../../base/text/utm.ts';
import type { CodeGroup, CodeValues, NoneIs, ValueOfCode } from './code-groups.ts';
import { type CodeOfScans, keyOfCode } from './code-of-scans.ts';
import type { CodeTable } from './code-table.ts';
import type { GroupBy } from './dimensions.ts';
import type { Value } from './value-counter.ts';

/** Returns the values of codes in each group of codes; `destinationOf` returns the destination of a code. */
export function valuesOfCodes(
  groups: readonly GroupBy[],
  table: CodeTable | undefined,
  destinationOf: ValueOfCode,
): CodeValues {
  return new Map(
    groups.flatMap((group): [string, ValueOfCode][] => {
      const { kind, by } = group;
      if (kind === 'utm') return [[by, (code) => utmOf(destinationOf(code), by)]];
      return kind === 'column' && table ? [[by, (code) => table.valueOf(code, by)]] : [];
    }),
  );
}

/**
 * Returns what is known of the groups of codes beside their counts. `noneIn`: why codes have no value in a group, once each was looked up;
 * `codes`: the requested ones; `ofCode`: beginning of the day on which each was created, by its key.
 */
export function codeGroupsOf(
  values: CodeValues,
  noneIn: (by: string) => NoneIs,
  { codes, ofCode }: { codes: readonly CodeOfScans[]; ofCode: ReadonlyMap<string, number> | undefined },
): Map<string, CodeGroup> {
  const groups = [...values].map(([by, valueIn]): [string, CodeGroup] => {
    const valueOfCode = codes.map((code) => ({ code, value: valueIn(code) }));
    const beginsMs = new Map<Value, number>();
    for (const { code, value } of valueOfCode) {
      // A code of unknown age may be as old as any.
      const ms = ofCode?.get(keyOfCode(code)) ?? Number.NEGATIVE_INFINITY;
      beginsMs.set(value, Math.min(ms, beginsMs.get(value) ?? ms));
    }
    return [
      by,
      { noneIs: 'empty', requested: [...new Set(valueOfCode.map(({ value }) => value))], beginsMs },
    ];
  });
  return new Map(groups.map(([by, group]) => [by, { ...group, noneIs: noneIn(by) }]));
}
