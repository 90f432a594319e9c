/**
 * Sample scans of one code as functions of their index: nothing is stored, so ten million cost no more than ten. Times
 * never decrease with the index, IDs always increase.
 */
import { firstIndex } from '../base/collections/partition-point.ts';
import { formatInstant } from '../base/time/time.ts';
import { fraction, hash } from './chance.ts';
import { createRhythm } from './rhythm.ts';
import { placeOf } from './sample-codes.ts';
import { createVisits } from './sample-visits.ts';

export interface SeriesShape {
  seed: number;
  /** Number of the code; scans of different codes share neither ids nor chance. */
  code: number;
  /** Scans in [startMs, endMs). */
  base: number;
  startMs: number;
  endMs: number;
  tieSize: number;
  idOffset: bigint;
  /** After those, `perSecond` more from `fromMs` on, `most` in all. */
  arrivals: { fromMs: number; perSecond: number; most: number };
}

export interface Series {
  /** Scans of the closed past, which never become more. */
  readonly base: number;
  /** Scans there are at `nowMs`. */
  count(nowMs: number): number;
  timeAt(index: number): number;
  /** The scan as its JSON. */
  jsonAt(index: number): string;
  /** The first index below `count` with a time of at least `ms`, or `count`. */
  lowerBound(ms: number, count: number): number;
}

/** One run of `tieSize` scans in this many shares its time. */
const RUNS_PER_TIE = 8;
/** Room for the ids of one code, and the part of it kept for scans that are added from outside. */
const IDS_OF_CODE = 1_000_000_000;
const ADDED_IDS_FROM = 900_000_000;
const IDS_PER_SCAN = 3;

export function createSeries(shape: SeriesShape): Series {
  const { seed, code, base, startMs, endMs, arrivals, tieSize } = shape;
  const stream = 1000 + code * 4;
  const rhythm = createRhythm({ seed, code, startMs, endMs });
  const visitJson = createVisits(placeOf(seed, code));

  function position(index: number): number {
    const run = Math.floor(index / tieSize);
    const tied = tieSize > 1 && hash(seed, stream, run) % RUNS_PER_TIE === 0;
    const at = tied ? run * tieSize : index;
    return (at + fraction(seed, stream + 1, at)) / base;
  }

  function timeAt(index: number): number {
    if (index >= base) return arrivals.fromMs + Math.ceil(((index - base + 1) * 1000) / arrivals.perSecond);
    return rhythm.timeAt(position(index));
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

/** Returns the ID of the n-th scan that a test adds to a code, above all IDs of the series. */
export function addedScanId(shape: Pick<SeriesShape, 'code' | 'idOffset'>, n: number): number | bigint {
  return scanId(shape, ADDED_IDS_FROM + n);
}

function scanId({ code, idOffset }: Pick<SeriesShape, 'code' | 'idOffset'>, offset: number): number | bigint {
  const id = (code + 1) * IDS_OF_CODE + offset;
  return idOffset === 0n ? id : idOffset + BigInt(id);
}
