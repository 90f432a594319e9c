/** Positions of the codes in the state of an appended file or dataset. */
import { isObject } from '../../service/json.ts';
import { type ClockReading, type CodeOverlap, emptyOverlap, neededOverlap } from './overlap.ts';

/** By the ID of the code. */
export type SavedPositions = Record<string, SavedOverlap>;

interface SavedOverlap
  extends Pick<CodeOverlap, 'watermarkMs' | 'rows' | 'movedUntilMs' | 'writtenAt' | 'readUntilMs'> {
  isGone?: boolean | undefined;
  /** Null for -Infinity, which JSON lacks. */
  idsFromMs: number | null;
  rereadFromMs: number | null | undefined;
  movedIdsFromMs: number | null | undefined;
  ids: [string, number][];
}

/** Returns the positions for JSON, with the IDs that a run with the same overlap will need. */
export function formatPositions(
  overlaps: ReadonlyMap<string, CodeOverlap>,
  overlapMs: number,
): SavedPositions {
  return Object.fromEntries(
    [...overlaps].map(([code, overlap]) => [code, formatOverlap(overlap, overlapMs)]),
  );
}

function formatOverlap(overlap: CodeOverlap, overlapMs: number): SavedOverlap {
  const needed = neededOverlap(overlap, overlapMs);
  const {
    watermarkMs,
    rows,
    rereadFromMs,
    ids,
    idsFromMs,
    movedUntilMs,
    movedIdsFromMs,
    writtenAt,
    readUntilMs,
    isGone,
  } = needed;
  return {
    watermarkMs,
    rows,
    rereadFromMs: orNull(rereadFromMs),
    idsFromMs: orNull(idsFromMs),
    movedUntilMs,
    movedIdsFromMs: orNull(movedIdsFromMs),
    writtenAt,
    readUntilMs,
    isGone: isGone || undefined,
    ids: [...ids],
  };
}

export function parsePositions(positions: SavedPositions): Map<string, CodeOverlap> {
  return new Map(Object.entries(positions).map(([code, position]) => [code, parseOverlap(position)]));
}

export function isPositions(value: unknown): value is SavedPositions {
  return isObject(value) && Object.values(value).every(isSavedOverlap);
}

function isSavedOverlap(value: unknown): value is SavedOverlap {
  if (!isObject(value)) return false;
  const {
    watermarkMs,
    rows,
    idsFromMs,
    rereadFromMs,
    movedUntilMs,
    movedIdsFromMs,
    writtenAt,
    readUntilMs,
    isGone,
    ids,
  } = value;
  return (
    isTimeOr(undefined, watermarkMs) &&
    isTimeOr(undefined, movedUntilMs) &&
    isTimeOr(undefined, readUntilMs) &&
    (isGone === undefined || typeof isGone === 'boolean') &&
    isCount(rows) &&
    isTimeOr(null, idsFromMs) &&
    [rereadFromMs, movedIdsFromMs].every((time) => time === undefined || isTimeOr(null, time)) &&
    (writtenAt === undefined || isClockReading(writtenAt)) &&
    Array.isArray(ids) &&
    ids.every((entry) => Array.isArray(entry) && typeof entry[0] === 'string' && isTime(entry[1]))
  );
}

export function isClockReading(value: unknown): value is ClockReading {
  return isObject(value) && isTimeOr(undefined, value.serviceMs) && isTime(value.machineMs);
}

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Maximum distance of a Date from 1970. */
const FURTHEST_MS = 8.64e15;

export function isTimeOr(other: null | undefined, value: unknown): boolean {
  return isTime(value) || value === other;
}

export function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= FURTHEST_MS;
}

function orNull<T extends number | undefined>(value: T): T | null {
  return value === Number.NEGATIVE_INFINITY ? null : value;
}

function parseOverlap({
  watermarkMs,
  rows,
  movedUntilMs,
  writtenAt,
  readUntilMs,
  isGone = false,
  ids,
  ...saved
}: SavedOverlap): CodeOverlap {
  // An older state has the IDs of rotated rows as far back as the others.
  const {
    idsFromMs,
    rereadFromMs,
    movedIdsFromMs = movedUntilMs === undefined ? undefined : idsFromMs,
  } = saved;
  return {
    ...emptyOverlap(),
    ...{ watermarkMs, rows, movedUntilMs, writtenAt, readUntilMs, isGone, ids: new Map(ids) },
    idsFromMs: idsFromMs ?? Number.NEGATIVE_INFINITY,
    rereadFromMs: fromNull(rereadFromMs),
    movedIdsFromMs: fromNull(movedIdsFromMs),
  };
}

function fromNull(value: number | null | undefined): number | undefined {
  return value === null ? Number.NEGATIVE_INFINITY : value;
}
