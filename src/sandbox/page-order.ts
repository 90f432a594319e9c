/** Which rows stand on a page: positions in order of time, turned into the order the service pages in. */
import type { Behaviour } from './options.ts';
import { firstIndex } from './scan-series.ts';

interface Ordered {
  total: number;
  settled: number;
  timeAt(position: number): number;
}

interface Slice {
  start: number;
  limit: number;
  turn: number;
}

/** The positions (by time, oldest 0) of the rows of one page, in the order they are served. */
export function pagePositions(rows: Ordered, { start, limit, turn }: Slice, behaviour: Behaviour): number[] {
  const places = Array.from({ length: Math.max(0, Math.min(limit, rows.total - start)) }, (_, row) => start + row);
  if (behaviour.scanOrder === 'none') return places.map(scattering(rows));
  const byTime = behaviour.scanOrder === 'asc' ? places : places.map((place) => rows.total - 1 - place);
  return behaviour.tieOrder === 'id' ? byTime : byTime.map((position) => swapped(position, rows, turn));
}

/** As a table without an index gives rows: the closed past in one fixed disorder, newer rows behind it as they came. */
function scattering({ settled, total }: Ordered): (place: number) => number {
  const size = settled === 0 ? total : settled;
  const stride = strideOf(size);
  const first = Math.floor(size / 3);
  return (place) => (place < size ? (place * stride + first) % size : place);
}

/** A step that visits each of `size` places once, far from the last one: near the golden section, and coprime to `size`. */
function strideOf(size: number): number {
  let stride = Math.max(1, Math.floor(size * 0.618));
  while (divisor(stride, size) !== 1) stride++;
  return stride;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/** Rows of equal time moved round by `turn` places among themselves. */
function swapped(position: number, { total, timeAt }: Ordered, turn: number): number {
  const time = timeAt(position);
  const first = firstIndex(total, (index) => timeAt(index) >= time);
  const beyond = firstIndex(total, (index) => timeAt(index) > time);
  const size = beyond - first;
  return first + ((position - first + turn) % size);
}
