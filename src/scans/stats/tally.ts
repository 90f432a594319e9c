import { DAY_MS, HOUR_MS } from '#base/time/time';
import type { CodeSink, Row } from '#files/formats/row-sink';
import { formatUnit, localHour, type OffsetAt, type Span, unitOf } from './calendar.ts';
import { type CodeOfScans, keyOfCode } from './code-of-scans.ts';
import { fieldsOf, type GroupBy, unitsOfTime } from './dimensions.ts';
import type { CodeValues, ScanTest } from './filters.ts';
import { bounded, createValueCounter, type Value, type ValueCounter } from './value-counter.ts';

/** Maximum length of a local day in ms. Clocks are set back by at most two hours. */
const LONGEST_DAY_MS = DAY_MS + 2 * HOUR_MS;

export interface Tally {
  add(ms: number, scan: Row, code: CodeOfScans): void;
  /** Adds scans in a local hour, a local day or a longer period. */
  addMany(unit: Span, code: CodeOfScans, scans: number): void;
  addAll(other: Tally): void;
  /** Counts pending scans and looks up the values of their code. */
  settle(): void;
  total(): number;
  /** Number of scans by local hour since 1970-01-01T00; under 0 without a time dimension. */
  hours: ReadonlyMap<number, number>;
  values: ReadonlyMap<string, ValueCounter>;
  /** Returns the first and last time, even of excluded scans; undefined if unknown. */
  span(): { firstMs: number; lastMs: number } | undefined;
}

export function createTally(
  groups: readonly GroupBy[],
  offsetMs: OffsetAt,
  codeValues: CodeValues = new Map(),
  isCounted?: ScanTest,
  pairs: readonly Pair[] = [],
): Tally {
  const byTime = unitsOfTime(groups).length > 0;
  const counters = fieldsOf(groups).map((field) => ({ field, counter: createValueCounter() }));
  const values = new Map<string, ValueCounter>(counters.map(({ field, counter }) => [field, counter]));
  const ofCodes = groups.flatMap(({ kind, by }) => {
    const groupOfCode = kind === 'code' ? keyOfCode : codeValues.get(by);
    if (!groupOfCode) return [];
    const counter = createValueCounter();
    values.set(by, counter);
    return [{ counter, groupOfCode }];
  });
  const ofPairs = pairs.map((pair) => {
    const counter = createValueCounter(MOST_PAIRS);
    values.set(nameOfPair(pair), counter);
    return { counter, keyOf: createPairKeys(pair, codeValues) };
  });
  const hours = new Map<number, number>();
  let total = 0;
  let firstMs = Infinity;
  let lastMs = -Infinity;
  let isUndated = false;
  let hour = Number.NaN;
  let code: CodeOfScans | undefined;
  let pending = 0;

  function settle(): void {
    if (!code) return;
    hours.set(hour, (hours.get(hour) ?? 0) + pending);
    for (const { counter, groupOfCode } of ofCodes) counter.add(groupOfCode(code), pending);
    code = undefined;
    pending = 0;
  }

  function see(ms: number): void {
    firstMs = Math.min(firstMs, ms);
    lastMs = Math.max(lastMs, ms);
  }

  function count(ms: number, of: CodeOfScans, scans: number, scan: Row = {}): void {
    total += scans;
    const at = byTime ? localHour(ms, offsetMs) : 0;
    if (at !== hour || of !== code) {
      settle();
      hour = at;
      code = of;
    }
    pending += scans;
    for (const { counter, keyOf } of ofPairs) counter.add(keyOf(at, scan, of), scans);
  }

  return {
    add(ms, scan, of) {
      see(ms);
      if (isCounted && !isCounted(ms, scan, of)) return;
      count(ms, of, 1, scan);
      for (const { field, counter } of counters) counter.add(asValue(scan[field]));
    },
    addMany({ sinceMs = -Infinity, untilMs = Infinity }, of, scans) {
      if (scans <= 0) return;
      if (untilMs - sinceMs > LONGEST_DAY_MS) isUndated = true;
      else see(sinceMs);
      count(Math.max(sinceMs, 0), of, scans);
    },
    addAll(other) {
      settle();
      total += other.total();
      const span = other.span();
      isUndated ||= !span && other.total() > 0;
      if (span) see(span.firstMs);
      if (span) see(span.lastMs);
      for (const [at, scans] of other.hours) hours.set(at, (hours.get(at) ?? 0) + scans);
      for (const [dimension, counter] of other.values) values.get(dimension)?.addAll(counter);
    },
    settle,
    total: () => total,
    get hours() {
      settle();
      return hours;
    },
    get values() {
      settle();
      return values;
    },
    span: () => (firstMs <= lastMs && !isUndated ? { firstMs, lastMs } : undefined),
  };
}

function asValue(value: unknown): Value {
  return value === null || value === undefined ? null : String(value);
}

export type Tallies = ReturnType<typeof createTallies>;

export function createTallies(newTally: () => Tally, span: Span, spanBefore: Span | undefined) {
  const [current, before] = [newTally(), newTally()];
  const { sinceMs: from = -Infinity, untilMs: to = Infinity } = span;
  const never = { sinceMs: Infinity, untilMs: undefined };
  const { sinceMs: fromBefore = -Infinity, untilMs: toBefore = Infinity } = spanBefore ?? never;
  const tallyOf = (ms: number) => {
    if (ms >= from && ms < to) return current;
    return ms >= fromBefore && ms < toBefore ? before : undefined;
  };
  const add: Tally['add'] = (ms, scan, code) => tallyOf(ms)?.add(ms, scan, code);
  const addMany: Tally['addMany'] = (unit, code, scans) =>
    (unit.sinceMs === undefined ? current : tallyOf(unit.sinceMs))?.addMany(unit, code, scans);
  return { current, before, add, addMany };
}

interface TallySink {
  sinceMs?: number;
  fresh(): Tallies;
  into(tallies: Tallies): void;
  code: CodeOfScans;
}

export function createTallySink({ sinceMs, fresh, into, code }: TallySink): CodeSink {
  let tallies: Tallies | undefined;
  let added = 0;
  return {
    sinceMs,
    added: () => added,
    async write({ rows, times }) {
      tallies ??= fresh();
      for (const [i, row] of rows.entries()) tallies.add(times[i] as number, row, code);
      added += rows.length;
      return rows.length;
    },
    async checkpoint() {
      const before = added;
      return async () => {
        if (added === before) return true;
        if (before > 0) return false;
        tallies = undefined;
        added = 0;
        return true;
      };
    },
    async commit() {
      if (tallies) into(tallies);
      tallies = undefined;
    },
    async discard() {
      if (tallies) added = 0;
      tallies = undefined;
    },
  };
}

export type Pair = readonly [GroupBy, GroupBy];

const MOST_PAIRS = 50_000;
const LONGEST = 500;

export function nameOfPair([a, b]: Pair): string {
  return `${a.by},${b.by}`;
}

function createPairKeys(pair: Pair, codeValues: CodeValues) {
  const valueIn = (group: GroupBy, hour: number, scan: Row, code: CodeOfScans) => {
    if (group.kind === 'time') return formatUnit(group.by, unitOf(group.by, hour));
    if (group.kind === 'value') return scan[group.by];
    return group.kind === 'code' ? keyOfCode(code) : codeValues.get(group.by)?.(code);
  };
  return (hour: number, scan: Row, code: CodeOfScans) => {
    const [a, b] = pair.map((group) => valueIn(group, hour, scan, code));
    return keyOf(a, b);
  };
}

export function keyOf(...values: unknown[]): string {
  return values
    .map((value) => {
      const text = String(value ?? '');
      // First shortens a value as the counter of its dimension does, so that keys match.
      return (text.length > LONGEST ? bounded(bounded(text), LONGEST) : text)?.replaceAll('\0', ' ');
    })
    .join('\0');
}

export function partsOf(key: Value): readonly string[] {
  return (key ?? '').split('\0');
}
