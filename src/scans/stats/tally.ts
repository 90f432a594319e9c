/** Aggregates scans into counts per dimension. Independent of service and files, in memory that does not grow with the scans. */
import { HOUR_MS } from '../../base/time/units.ts';
import type { Row } from '../../files/formats/row-sink.ts';
import type { CodeValues } from './code-groups.ts';
import { type CodeOfScans, keyOfCode } from './code-of-scans.ts';
import { fieldsOf, type GroupBy, unitsOfTime } from './dimensions.ts';
import { createValueCounter, type Value, type ValueCounter } from './value-counter.ts';

/** Local time minus UTC at an instant, both in ms; see `offsetMs` of local-time.ts. */
export type OffsetAt = (instantMs: number) => number;

export interface Tally {
  /** Adds a scan of that time (ms since the epoch); `scan` has its fields, `code`: one object for each code. */
  add(ms: number, scan: Row, code: CodeOfScans): void;
  /** Adds scans of which only the code is known, and that all are of the local hour, day or longer unit that begins at `ms`. */
  addMany(ms: number, code: CodeOfScans, scans: number): void;
  /** Adds all that another tally of the same groups and offsets counted. */
  addAll(other: Tally): void;
  total(): number;
  /** Scans by local hour: hours from 1970-01-01T00 of the zone's own clock. */
  readonly hours: ReadonlyMap<number, number>;
  /** Scans per value, for each requested group but those of time. */
  readonly values: ReadonlyMap<string, ValueCounter>;
  /** The earliest and the latest time, ms since the epoch. */
  span(): { firstMs: number; lastMs: number } | undefined;
}

/** Creates an empty tally by these groups, with local hours from `offsetAt`, and the values of codes in groups of codes. */
export function createTally(
  groups: readonly GroupBy[],
  offsetAt: OffsetAt,
  codeValues: CodeValues = new Map(),
): Tally {
  const fields = fieldsOf(groups);
  const byTime = unitsOfTime(groups).length > 0;
  const counters = fields.map(() => createValueCounter());
  const values = new Map<string, ValueCounter>(
    fields.map((field, i): [string, ValueCounter] => [field, counters[i] as ValueCounter]),
  );
  const ofCodes = groups.flatMap(({ kind, by }) => {
    const groupOfCode = kind === 'code' ? keyOfCode : codeValues.get(by);
    if (!groupOfCode) return [];
    const counter = createValueCounter();
    values.set(by, counter);
    return [{ counter, groupOfCode }];
  });
  const hours = new Map<number, number>();
  let total = 0;
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;
  /** Scans come in order of time: those of one hour, and of one code, are counted together. */
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

  function count(ms: number, of: CodeOfScans, scans: number): void {
    total += scans;
    firstMs = Math.min(firstMs, ms);
    lastMs = Math.max(lastMs, ms);
    const at = byTime ? Math.floor((ms + offsetAt(ms)) / HOUR_MS) : 0;
    if (at !== hour || of !== code) {
      settle();
      hour = at;
      code = of;
    }
    pending += scans;
  }

  return {
    add(ms, scan, of) {
      count(ms, of, 1);
      for (let i = 0; i < fields.length; i++) {
        (counters[i] as ValueCounter).add(asValue(scan[fields[i] as string]));
      }
    },
    addMany(ms, of, scans) {
      if (scans > 0) count(ms, of, scans);
    },
    addAll(other) {
      settle();
      total += other.total();
      const span = other.span();
      if (span) firstMs = Math.min(firstMs, span.firstMs);
      if (span) lastMs = Math.max(lastMs, span.lastMs);
      for (const [at, scans] of other.hours) hours.set(at, (hours.get(at) ?? 0) + scans);
      for (const [dimension, counter] of other.values) values.get(dimension)?.addAll(counter);
    },
    total: () => total,
    get hours() {
      settle();
      return hours;
    },
    get values() {
      settle();
      return values;
    },
    span: () => (total > 0 ? { firstMs, lastMs } : undefined),
  };
}

function asValue(value: unknown): Value {
  return value === null || value === undefined ? null : String(value);
}
