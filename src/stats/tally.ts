/** Aggregates scans into counts per dimension. Independent of service and files, in memory that does not grow with the scans. */

import type { Row } from '../rows/row-sink.ts';
import { HOUR_MS } from '../time/units.ts';
import type { CodeOfScans } from './code-of-scans.ts';
import { type Dimension, isTimeDimension, isValueDimension } from './dimensions.ts';
import { createValueCounter, type Value, type ValueCounter } from './value-counter.ts';

/** Local time minus UTC at an instant, both in ms; see `offsetMs` of local-time.ts. */
export type OffsetAt = (instantMs: number) => number;

export interface Tally {
  /** Adds a scan of that time (ms since the epoch); `scan` has its fields, `code`: one object for each code. */
  add(ms: number, scan: Row, code: CodeOfScans): void;
  /** Adds scans of which only the code is known, and that all are of the local hour, day or longer unit that begins at `ms`. */
  addMany(ms: number, code: CodeOfScans, scans: number): void;
  /** Adds all that another tally of the same dimensions and offsets counted. */
  addAll(other: Tally): void;
  total(): number;
  /** Scans by local hour: hours from 1970-01-01T00 of the zone's own clock. */
  readonly hours: ReadonlyMap<number, number>;
  /** Scans per value, for each requested dimension. */
  readonly values: ReadonlyMap<string, ValueCounter>;
  /** The earliest and the latest time, ms since the epoch. */
  span(): { firstMs: number; lastMs: number } | undefined;
}

/** Creates an empty tally by these dimensions, with local hours from `offsetAt`. */
export function createTally(dimensions: readonly Dimension[], offsetAt: OffsetAt): Tally {
  const fields = dimensions.filter(isValueDimension);
  const byTime = dimensions.some(isTimeDimension);
  const counters = fields.map(() => createValueCounter());
  const codes = createValueCounter();
  const values = new Map<string, ValueCounter>(
    fields.map((field, i): [string, ValueCounter] => [field, counters[i] as ValueCounter]),
  );
  if (dimensions.includes('code')) values.set('code', codes);
  const hours = new Map<number, number>();
  let total = 0;
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;
  /** Scans come in order of time: those of one hour, and of one code, are counted together. */
  let hour = Number.NaN;
  let inHour = 0;
  let code: CodeOfScans | undefined;
  let ofCode = 0;

  function settle(): void {
    if (inHour > 0) hours.set(hour, (hours.get(hour) ?? 0) + inHour);
    if (code && ofCode > 0) codes.add(code.value, ofCode);
    inHour = 0;
    ofCode = 0;
  }

  function count(ms: number, of: CodeOfScans, scans: number): void {
    total += scans;
    if (ms < firstMs) firstMs = ms;
    if (ms > lastMs) lastMs = ms;
    const at = byTime ? Math.floor((ms + offsetAt(ms)) / HOUR_MS) : 0;
    if (at !== hour || of !== code) {
      settle();
      hour = at;
      code = of;
    }
    inHour += scans;
    ofCode += scans;
  }

  return {
    add(ms, scan, of) {
      count(ms, of, 1);
      for (let i = 0; i < fields.length; i++) {
        const value = scan[fields[i] as string];
        (counters[i] as ValueCounter).add(typeof value === 'string' ? value : asValue(value));
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
