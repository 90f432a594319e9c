/**
 * Generates the scans of one code from their index, so that ten million need no memory. Times never decrease
 * with the index, and IDs always increase.
 */
import { firstIndex } from '../base/collections.ts';
import { formatInstant } from '../base/time/time.ts';
import { fraction, hash } from './chance.ts';
import { createRhythm } from './rhythm.ts';
import { placeOf } from './sample-codes.ts';
import { createVisits } from './sample-visits.ts';

export interface SeriesShape {
  seed: number;
  code: number;
  /** Number of scans in [startMs, endMs). */
  base: number;
  startMs: number;
  endMs: number;
  tieSize: number;
  idOffset: bigint;
  /** Further scans: `perSecond` from `fromMs` on, at most `most`. */
  arrivals: { fromMs: number; perSecond: number; most: number };
}

export interface Series {
  readonly base: number;
  count(nowMs: number): number;
  timeAt(index: number): number;
  jsonAt(index: number): string;
  /** Returns the first index below `count` with a time of at least `ms`, or `count`. */
  lowerBound(ms: number, count: number): number;
}

/** One run of `tieSize` scans in this many has equal times. */
const RUNS_PER_TIE = 8;
/** Number of IDs reserved per code; those from ADDED_IDS_FROM on are for scans that tests add. */
const IDS_OF_CODE = 1_000_000_000;
const ADDED_IDS_FROM = 900_000_000;
const IDS_PER_SCAN = 3;

export function createSeries(shape: SeriesShape): Series {
  const { seed, code, base, startMs, endMs, arrivals, tieSize } = shape;
  const stream = 1000 + code * 4;
  const timeOfPart = createRhythm({ seed, code, startMs, endMs });
  const visitJson = createVisits(placeOf(seed, code));

  function position(index: number): number {
    const run = Math.floor(index / tieSize);
    const tied = tieSize > 1 && hash(seed, stream, run) % RUNS_PER_TIE === 0;
    const at = tied ? run * tieSize : index;
    return (at + fraction(seed, stream + 1, at)) / base;
  }

  function timeAt(index: number): number {
    if (index >= base) return arrivals.fromMs + Math.ceil(((index - base + 1) * 1000) / arrivals.perSecond);
    return timeOfPart(position(index));
  }

  return {
    base,
    timeAt,
    count(nowMs) {
      const arrived = Math.floor(((nowMs - arrivals.fromMs) * arrivals.perSecond) / 1000);
      return base + Math.max(0, Math.min(arrived, arrivals.most));
    },
    jsonAt(index) {
      const id = scanId(shape, index * IDS_PER_SCAN + (hash(seed, stream + 2, index) % IDS_PER_SCAN));
      return `{"id":${id},"ts":"${formatInstant(timeAt(index))}",${visitJson(hash(seed, stream + 3, index))}`;
    },
    lowerBound(ms, count) {
      return firstIndex(count, (index) => timeAt(index) >= ms);
    },
  };
}

export function addedScanId(shape: Pick<SeriesShape, 'code' | 'idOffset'>, n: number): number | bigint {
  return scanId(shape, ADDED_IDS_FROM + n);
}

function scanId({ code, idOffset }: Pick<SeriesShape, 'code' | 'idOffset'>, offset: number): number | bigint {
  const id = (code + 1) * IDS_OF_CODE + offset;
  return idOffset === 0n ? id : idOffset + BigInt(id);
}
