/** Result of a count, and the tallies that it is counted into. */
import type { Row } from '../../files/formats/row-sink.ts';
import type { CodeLabel } from '../export/export-codes.ts';
import type { Span } from './calendar.ts';
import type { CodeGroup, CodeValues } from './code-groups.ts';
import type { CodeName, CodeOfScans } from './code-of-scans.ts';
import type { Coverage } from './coverage.ts';
import type { DataPart } from './data-part.ts';
import type { GroupBy } from './dimensions.ts';
import { createTally, type OffsetAt, type Tally } from './tally.ts';

export interface Counted {
  current: Tally;
  span: Span;
  /** The range it is compared with; `isCovered`: it does not begin before the data. */
  before: { tally: Tally; span: Span; isCovered: boolean } | undefined;
  /** Time that the data covers. */
  data: DataPart;
  /** Requested codes; undefined if files were read. */
  codes: readonly CodeLabel[] | undefined;
  /** Names of codes, by their keys in the tallies. */
  names: ReadonlyMap<string, CodeName>;
  /** Groups of codes that were counted by, by their names. */
  codeGroups: ReadonlyMap<string, CodeGroup>;
  /** Coverage of the range by the files; undefined for the service, which covers all of it. */
  coverage: Coverage | undefined;
  /** Best estimate of the time of the count, ms since the epoch: periods that end later are not over. */
  nowMs: number;
}

/** Tallies of a range and of the range it is compared with. */
export interface Tallies {
  current: Tally;
  before: Tally;
  /** Adds a scan to the tally of its range, if any. */
  add(ms: number, scan: Row, code: CodeOfScans): void;
  addMany(ms: number, code: CodeOfScans, scans: number): void;
}

export function createTallies(
  groups: readonly GroupBy[],
  codeValues: CodeValues,
  offsetAt: OffsetAt,
  span: Span,
  spanBefore: Span | undefined,
): Tallies {
  const current = createTally(groups, offsetAt, codeValues);
  const before = createTally(groups, offsetAt, codeValues);
  const [from, to] = endsOf(span);
  const [fromBefore, toBefore] = spanBefore ? endsOf(spanBefore) : NEVER;
  const tallyOf = (ms: number) => {
    if (ms >= from && ms < to) return current;
    return ms >= fromBefore && ms < toBefore ? before : undefined;
  };
  return {
    current,
    before,
    add: (ms, scan, code) => tallyOf(ms)?.add(ms, scan, code),
    addMany: (ms, code, scans) => tallyOf(ms)?.addMany(ms, code, scans),
  };
}

/** Ends of no time at all. */
const NEVER = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] as const;

function endsOf({
  sinceMs = Number.NEGATIVE_INFINITY,
  untilMs = Number.POSITIVE_INFINITY,
}: Span): [number, number] {
  return [sinceMs, untilMs];
}
