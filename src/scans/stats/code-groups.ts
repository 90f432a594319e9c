import { utmOf } from '../../base/text/utm.ts';
import { type CodeOfScans, keyOfCode } from './code-of-scans.ts';
import type { CodeTable, NoneIs } from './code-table.ts';
import type { GroupBy } from './dimensions.ts';
import type { Value } from './value-counter.ts';

export type ValueOfCode = (code: CodeOfScans) => Value;

export type CodeValues = ReadonlyMap<string, ValueOfCode>;

export interface CodeGroup {
  noneIs: NoneIs;
  /** Its keys have a row even without scans. */
  beginsMs: ReadonlyMap<Value, number>;
}

export function valuesOfCodes(
  groups: readonly GroupBy[],
  table: CodeTable | undefined,
  destinationOf: ValueOfCode,
): CodeValues {
  const values = new Map<string, ValueOfCode>();
  for (const { kind, by } of groups) {
    if (kind === 'utm') values.set(by, (code) => utmOf(destinationOf(code), by));
    else if (kind === 'column' && table) values.set(by, (code) => table.valueOf(code, by));
  }
  return values;
}

export function codeGroupsOf(
  values: CodeValues,
  noneIn: (by: string) => NoneIs,
  { codes, ofCode }: { codes: readonly CodeOfScans[]; ofCode: ReadonlyMap<string, number> | undefined },
): Map<string, CodeGroup> {
  const begins = [...values].map(([by, valueIn]) => {
    const beginsMs = new Map<Value, number>();
    for (const code of codes) {
      const value = valueIn(code);
      // A code of unknown age may be as old as any.
      const ms = ofCode?.get(keyOfCode(code)) ?? -Infinity;
      beginsMs.set(value, Math.min(ms, beginsMs.get(value) ?? ms));
    }
    return [by, beginsMs] as const;
  });
  return new Map(begins.map(([by, beginsMs]) => [by, { noneIs: noneIn(by), beginsMs }]));
}
