/** Computes each scan from its index instead of storing it in memory. */
import { firstIndex } from '#base/collections';
import { DAY_MS, formatInstant, HOUR_MS, weekdayOfDay } from '#base/time/time';
import { fraction, hash } from './chance.ts';
import { type Habit, habitOf, placeOf } from './sample-codes.ts';
import { createVisits } from './sample-visits.ts';

export interface SeriesShape {
  seed: number;
  code: number;
  base: number;
  startMs: number;
  endMs: number;
  tieSize: number;
  idOffset: bigint;
  arrivals: { fromMs: number; perSecond: number; most: number };
}

export type Series = ReturnType<typeof createSeries>;

/** Average number of runs per tied run. A run is `tieSize` scans. In a tied run, their times are equal. */
const RUNS_PER_TIE = 8;
/** Number of scan IDs per code. Those from ADDED_IDS_FROM on are for added scans. */
const IDS_OF_CODE = 1_000_000_000;
const ADDED_IDS_FROM = 900_000_000;
const IDS_PER_SCAN = 3;

export function createSeries(shape: SeriesShape) {
  const { seed, code, base, arrivals, tieSize } = shape;
  const stream = 1000 + code * 4;
  const timeOfPart = createRhythm(shape);
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
    count(nowMs: number) {
      const arrived = Math.floor(((nowMs - arrivals.fromMs) * arrivals.perSecond) / 1000);
      return base + Math.max(0, Math.min(arrived, arrivals.most));
    },
    jsonAt(index: number) {
      const id = scanId(shape, index * IDS_PER_SCAN + (hash(seed, stream + 2, index) % IDS_PER_SCAN));
      return `{"id":${id},"ts":"${formatInstant(timeAt(index))}",${visitJson(hash(seed, stream + 3, index))}`;
    },
    lowerBound(ms: number, count: number) {
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

/** Relative scan rates by hour (in the code's time zone) and weekday (Monday first). */
interface Week {
  hours: readonly number[];
  weekdays: readonly number[];
}

const WEEKS: Readonly<Record<Habit, Week>> = {
  restaurant: {
    hours: [4, 2, 1, 1, 1, 1, 2, 5, 9, 12, 18, 45, 95, 80, 34, 20, 22, 40, 75, 98, 84, 52, 26, 11],
    weekdays: [70, 78, 84, 95, 135, 150, 108],
  },
  office: {
    hours: [1, 1, 1, 1, 1, 2, 8, 32, 82, 98, 94, 80, 48, 72, 88, 82, 66, 38, 14, 7, 5, 4, 3, 2],
    weekdays: [118, 126, 124, 118, 92, 14, 9],
  },
  street: {
    hours: [5, 3, 2, 1, 1, 3, 10, 26, 38, 44, 55, 64, 78, 72, 68, 76, 90, 98, 84, 60, 42, 30, 18, 10],
    weekdays: [88, 90, 92, 100, 116, 152, 62],
  },
  museum: {
    hours: [1, 1, 1, 1, 1, 1, 1, 2, 6, 34, 82, 96, 78, 80, 98, 94, 72, 30, 6, 3, 2, 2, 1, 1],
    weekdays: [6, 74, 78, 84, 92, 168, 176],
  },
};

const DAILY_CHANCE = 0.5;

const LIFE = 21;
const DAY = 22;

function createRhythm(shape: SeriesShape): (part: number) => number {
  const { seed, code, startMs, endMs } = shape;
  const week = WEEKS[habitOf(code)];
  const offsetMs = placeOf(seed, code).utcOffset * HOUR_MS;
  const phase = phaseOf(seed, code);
  const hours = Math.max(1, Math.ceil((endMs - startMs) / HOUR_MS));
  const reached = new Float64Array(hours + 1);
  for (let hour = 0; hour < hours; hour++) {
    const fromMs = startMs + hour * HOUR_MS;
    const lengthMs = Math.min(HOUR_MS, endMs - fromMs);
    const localMs = fromMs + offsetMs;
    const day = Math.floor(localMs / DAY_MS);
    const weight =
      (week.hours[Math.floor((localMs - day * DAY_MS) / HOUR_MS)] ?? 1) *
      (week.weekdays[weekdayOfDay(day)] ?? 1) *
      (1 + DAILY_CHANCE * (fraction(seed + code, DAY, day) - 0.5)) *
      phase((fromMs + lengthMs / 2 - startMs) / (endMs - startMs));
    reached[hour + 1] = (reached[hour] ?? 0) + weight * lengthMs;
  }
  const all = reached[hours] ?? 0;
  if (all === 0) return (part) => Math.floor(startMs + (endMs - startMs) * part);

  return (part) => {
    const wanted = part * all;
    const hour = firstIndex(hours - 1, (at) => (reached[at + 1] ?? 0) > wanted);
    const [from, to] = [reached[hour] ?? 0, reached[hour + 1] ?? 0];
    const fromMs = startMs + hour * HOUR_MS;
    const toMs = Math.min(fromMs + HOUR_MS, endMs);
    return Math.min(Math.floor(fromMs + ((wanted - from) / (to - from)) * (toMs - fromMs)), toMs - 1);
  };
}

type Phase = (part: number) => number;

/** Rates of the first codes: falling (spring-menu), rising (summer-menu), 0 in the last 23 % (old-poster). */
const FIRST_CODES: readonly Phase[] = [
  (part) => 1.5 - part,
  (part) => 0.4 + 1.6 * part,
  (part) => (part < 0.77 ? 1 : 0),
];

function phaseOf(seed: number, code: number): Phase {
  const first = FIRST_CODES[code];
  if (first) return first;
  const chance = fraction(seed, LIFE, code);
  const start = 0.15 + 0.45 * chance;
  const length = 0.2 + 0.2 * chance;
  const lives: readonly [Phase, ...Phase[]] = [
    () => 1,
    (part) => 0.5 + part,
    (part) => Math.exp(-2 * part),
    (part) => (part < start ? 0 : 1 + Math.exp(-12 * (part - start))),
    (part) => (part < start || part >= start + length ? 0 : Math.exp((-3 * (part - start)) / length)),
    (part) => (part < 0.6 + 0.3 * chance ? 1 : 0),
  ];
  return lives[hash(seed, LIFE, -1 - code) % lives.length] ?? lives[0];
}
