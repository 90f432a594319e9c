import { getOrAdd } from '#base/collections';
import { utmOf } from '#base/text/utm';
import type { Row } from '#files/formats/row-sink';
import { formatUnit, localHour, type OffsetAt, unitOf } from './calendar.ts';
import { type CodeOfScans, keyOfCode } from './code-of-scans.ts';
import type { CodeTable, NoneIs } from './code-table.ts';
import type { GroupBy } from './dimensions.ts';
import type { Value } from './value-counter.ts';

/** Filter by a dimension or column. Ignores case except in slugs. An empty string matches missing values. */
export interface Filter {
  group: GroupBy;
  values: readonly string[];
}

export type ScanTest = (ms: number, scan: Row, code: CodeOfScans) => boolean;

function isOfCodes({ group: { kind } }: Filter): boolean {
  return kind !== 'time' && kind !== 'value';
}

export function needScans(filters: readonly Filter[]): boolean {
  return !filters.every(isOfCodes);
}

export function createCodeTest(
  filters: readonly Filter[],
  codeValues: CodeValues,
): (code: CodeOfScans) => boolean {
  const tests = filters.filter(isOfCodes).map(({ group, values }) => {
    if (group.kind === 'code')
      return ({ id, slug, value }: CodeOfScans) =>
        values.some((given) => given === (slug ?? value) || given.toLowerCase() === id);
    const wanted = foldedSet(values);
    return (code: CodeOfScans) => wanted.has(folded(codeValues.get(group.by)?.(code)));
  });
  return (code) => tests.every((test) => test(code));
}

export function createScanTest(
  filters: readonly Filter[],
  codeValues: CodeValues,
  offsetMs: OffsetAt,
  isChosen?: (code: CodeOfScans) => boolean,
): ScanTest | undefined {
  if (filters.length === 0 && !isChosen) return undefined;
  const ofCode = createCodeTest(filters, codeValues);
  const known = new WeakMap<CodeOfScans, boolean>();
  const tests = filters.flatMap(({ group, values }) => {
    if (group.kind !== 'time' && group.kind !== 'value') return [];
    const wanted = foldedSet(values);
    const { kind, by } = group;
    if (kind === 'value') return (_: number, scan: Row) => wanted.has(folded(scan[by]));
    const hours = new Map<number, boolean>();
    return (ms: number) => {
      const hour = localHour(ms, offsetMs);
      return getOrAdd(hours, hour, () => wanted.has(folded(formatUnit(by, unitOf(by, hour)))));
    };
  });
  return (ms, scan, code) => {
    const is = getOrAdd(known, code, () => (isChosen?.(code) ?? true) && ofCode(code));
    return is && tests.every((test) => test(ms, scan));
  };
}

function foldedSet(values: readonly string[]): ReadonlySet<string> {
  return new Set(values.map(folded));
}

export function folded(value: unknown): string {
  return String(value ?? '')
    .normalize('NFC')
    .toLowerCase();
}

export function sameValues(text: string, values: Iterable<Value>): string[] {
  return [...values].filter((value) => value !== null).filter((value) => folded(value) === folded(text));
}

export function describeFilters(filters: readonly Filter[]): string {
  const words = filters.map(({ group: { by }, values }) => {
    return `${by}=${values.map((value) => value || '(none)').join(' or ')}`;
  });
  return words.join(', ');
}

export type ValueOfCode = (code: CodeOfScans) => Value;

export type CodeValues = ReadonlyMap<string, ValueOfCode>;

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

export type CodeGroups = ReturnType<typeof codeGroupsOf>;

export function codeGroupsOf(
  values: CodeValues,
  noneIn: (by: string) => NoneIs,
  { codes, ofCode }: { codes: readonly CodeOfScans[]; ofCode?: ReadonlyMap<string, number> },
) {
  const groups = [...values].map(([by, valueIn]) => {
    /** Creation time of the first code with each value. These values get rows even without scans. */
    const beginsMs = new Map<Value, number>();
    for (const code of codes) {
      const value = valueIn(code);
      // Counts a code of unknown age as the oldest, so that its value is not new.
      const ms = ofCode?.get(keyOfCode(code)) ?? -Infinity;
      beginsMs.set(value, Math.min(ms, beginsMs.get(value) ?? ms));
    }
    return [by, { noneIs: noneIn(by), beginsMs }] as const;
  });
  return new Map(groups);
}
