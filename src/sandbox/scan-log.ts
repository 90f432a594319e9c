import { firstIndex } from '#base/collections';
import { parseInstant } from '#base/time/time';
import type { Scan } from '#service/shapes';
import type { Behavior } from './options.ts';
import { PLAIN_VISIT } from './sample-visits.ts';
import { addedScanId, createSeries, type Series, type SeriesShape } from './scan-series.ts';

interface ScanQuery {
  page: number;
  limit: number;
  sinceMs?: number;
  untilMs?: number;
  nowMs: number;
  turn: number;
}

interface AddedScan {
  ms: number;
  order: number;
  json: string;
}

export type ScanLog = ReturnType<typeof createScanLog>;

/** Scans that match a query, sorted by time. If `scanOrder` is `none`, added scans are last. */
interface Selection {
  total: number;
  settled: number;
  timeAt(position: number): number;
  jsonAt(position: number): string;
}

export function createScanLog(shape: SeriesShape, behavior: Behavior) {
  const series = createSeries(shape);
  const added: AddedScan[] = [];

  return {
    page(query: ScanQuery) {
      const chosen = select(series, added, query, behavior);
      return { rows: pagePositions(chosen, query, behavior).map(chosen.jsonAt), total: chosen.total };
    },
    add(scan: Partial<Scan> & { ts: string }) {
      const id = scan.id ?? addedScanId(shape, added.length);
      const json = scanJson({ ...PLAIN_VISIT, ...scan, id });
      const ms = parseInstant(scan.ts) ?? 0;
      const place = firstIndex(added.length, (index) => (added[index]?.ms ?? 0) > ms);
      added.splice(place, 0, { ms, order: added.length, json });
      return json;
    },
  };
}

function scanJson({ id, ...rest }: Scan): string {
  return `{"id":${id},${JSON.stringify(rest).slice(1)}`;
}

function select(
  series: Series,
  added: readonly AddedScan[],
  range: ScanQuery,
  behavior: Behavior,
): Selection {
  const count = series.count(range.nowMs);
  const { fromMs, toMs } = bounds(range, behavior);
  const from = fromMs === undefined ? 0 : series.lowerBound(fromMs, count);
  const to = Math.max(from, toMs === undefined ? count : series.lowerBound(toMs, count));
  const extra = added.filter(({ ms }) => ms >= (fromMs ?? -Infinity) && ms < (toMs ?? Infinity));
  const byTime = behavior.scanOrder !== 'none';
  if (!byTime) extra.sort((a, b) => a.order - b.order);
  const behind = (ms: number) =>
    byTime ? Math.min(Math.max(series.lowerBound(ms + 1, count), from), to) : to;
  const places = extra.map(({ ms }, order) => behind(ms) - from + order);

  function at<T>(position: number, ofSeries: (index: number) => T, ofAdded: (scan: AddedScan) => T): T {
    const before = firstIndex(places.length, (order) => (places[order] ?? 0) >= position);
    const scan = extra[before];
    return scan && places[before] === position ? ofAdded(scan) : ofSeries(from + position - before);
  }

  return {
    total: to - from + extra.length,
    settled: Math.max(0, Math.min(to, series.base) - from),
    timeAt: (position) => at(position, series.timeAt, ({ ms }) => ms),
    jsonAt: (position) => at(position, series.jsonAt, ({ json }) => json),
  };
}

function bounds(range: ScanQuery, behavior: Behavior) {
  const unit = behavior.boundsResolution === 's' ? 1000 : 1;
  const cut = (ms: number, beyond: boolean) => (Math.floor(ms / unit) + (beyond ? 1 : 0)) * unit;
  return {
    fromMs: range.sinceMs === undefined ? undefined : cut(range.sinceMs, !behavior.sinceInclusive),
    toMs: range.untilMs === undefined ? undefined : cut(range.untilMs, behavior.untilInclusive),
  };
}

function pagePositions(rows: Selection, { page, limit, turn }: ScanQuery, behavior: Behavior): number[] {
  const start = (page - 1) * limit;
  const places = Array.from(
    { length: Math.max(0, Math.min(limit, rows.total - start)) },
    (_, row) => start + row,
  );
  if (behavior.scanOrder === 'none') return places.map(scattering(rows));
  const byTime = behavior.scanOrder === 'asc' ? places : places.map((place) => rows.total - 1 - place);
  return behavior.tieOrder === 'id' ? byTime : byTime.map((position) => swapped(position, rows, turn));
}

/** Simulates a query without ORDER BY. Returns a function from a place in the list to a scan's position. */
function scattering({ settled, total }: Selection): (place: number) => number {
  const size = settled === 0 ? total : settled;
  const stride = strideOf(size);
  const first = Math.floor(size / 3);
  return (place) => (place < size ? (place * stride + first) % size : place);
}

/** Returns a step of about 0.618 `size`. It is coprime to `size`, so that steps visit each place once. */
function strideOf(size: number): number {
  let stride = Math.max(1, Math.floor(size * 0.618));
  while (divisor(stride, size) !== 1) stride++;
  return stride;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

function swapped(position: number, { total, timeAt }: Selection, turn: number): number {
  const time = timeAt(position);
  const first = firstIndex(total, (index) => timeAt(index) >= time);
  const beyond = firstIndex(total, (index) => timeAt(index) > time);
  const size = beyond - first;
  return first + ((position - first + turn) % size);
}
