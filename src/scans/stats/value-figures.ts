/** Rows of a dimension of values: those with the most scans first, and one row for all that have none of their own. */
import type { GroupBy } from './dimensions.ts';
import { type Counts, differInLength, figure, type Section } from './figure.ts';
import { type FiguresOptions, type Periods, previousScans } from './periods.ts';
import type { Value } from './value-counter.ts';

/** Returns the section. */
export function valueSection(
  group: Exclude<GroupBy, { kind: 'time' }>,
  { current: tally, before, top, codes = [], names, data, codeGroups }: FiguresOptions,
  { current, previous, beginsBeforeData }: Periods,
): Section {
  const { by } = group;
  const counter = tally.values.get(by);
  const earlier = before?.tally.values.get(by);
  const isApproximate = (counter?.isApproximate() ?? false) || (earlier?.isApproximate() ?? false);
  const scansOf = new Map(counter?.counts().map(({ value, scans }) => [value, scans]));
  const scansBefore = new Map(earlier?.counts().map(({ value, scans }) => [value, scans]));
  const ofCodes = codeGroups?.get(by);
  const requested = group.kind === 'code' ? codes : (ofCodes?.requested ?? []);
  const values = [...new Set<Value>([...scansOf.keys(), ...scansBefore.keys(), ...requested])]
    .map((key) => {
      const { value, name }: { value: Value; name?: string | undefined } = (group.kind === 'code' &&
        names?.get(key ?? '')) || {
        value: key,
      };
      return { key, value, name, scans: scansOf.get(key) ?? 0, before: scansBefore.get(key) ?? 0 };
    })
    .sort((a, b) => b.scans - a.scans || b.before - a.before || compareValues(a.value, b.value));
  // A line for a single value would be no shorter than the value itself.
  const shown = values.slice(0, values.length - 1 === top ? undefined : top);
  const isBeforeData = beginsBeforeData(before?.span.sinceMs);
  const createdOf = (value: Value) =>
    group.kind === 'code' ? data?.ofCode?.get(value ?? '') : ofCodes?.beginsMs.get(value);
  const countsOf = (row: { scans: number; before: number }, isNew = false): Counts => ({
    ...{ scans: row.scans, days: current.days.all },
    ...{ previous: previousScans(previous, row.before), previousDays: previous?.days.all ?? 0 },
    isBeforeData: isBeforeData || isNew,
  });
  const rows = shown.map((row) => {
    const { value, name } = row;
    return figure(
      { by, value, name },
      countsOf(row, isAfter(createdOf(row.key), before?.span.sinceMs)),
      tally.total(),
    );
  });
  const sum = (key: 'scans' | 'before') => shown.reduce((all, row) => all + row[key], 0);
  const rest = { scans: tally.total() - sum('scans'), before: (before?.tally.total() ?? 0) - sum('before') };
  // F3: scans without a row of their own, or whose value is uncertain, are in the last row.
  if (rest.scans > 0 || rest.before > 0)
    rows.push(figure({ by, value: 'other', isRest: true }, countsOf(rest), tally.total()));
  const comparesAverages = differInLength(countsOf({ scans: 0, before: 0 }));
  return { ...group, rows, comparesAverages, isApproximate, ...(ofCodes && { noneIs: ofCodes.noneIs }) };
}

/** Returns whether a code was created after the beginning of the previous period. */
function isAfter(createdMs = Number.NEGATIVE_INFINITY, sinceMs = Number.POSITIVE_INFINITY): boolean {
  return createdMs > sinceMs;
}

function compareValues(a: Value, b: Value): number {
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}
