import { isObject } from '#service/json';
import { type CodeOverlap, emptyOverlap, neededOverlap } from './overlap.ts';

export type SavedPositions = Record<string, SavedOverlap>;

interface SavedOverlap
  extends Pick<CodeOverlap, 'watermarkMs' | 'rows' | 'movedUntilMs' | 'writtenAt' | 'readUntilMs'> {
  isGone?: boolean;
  /** Time from which all IDs are kept; null for -Infinity, which JSON lacks. */
  idsFromMs: number | null;
  rereadFromMs?: number | null;
  movedIdsFromMs?: number | null;
  ids: [string, number][];
}

export function formatPositions(overlaps: ReadonlyMap<string, CodeOverlap>, overlapMs: number): object {
  const saved = [...overlaps].map(([code, overlap]) => {
    const needed = neededOverlap(overlap, overlapMs);
    const ids = [...needed.ids];
    return [code, { ...needed, idLimit: undefined, isGone: needed.isGone || undefined, ids }] as const;
  });
  return Object.fromEntries(saved);
}

export function parsePositions(positions: SavedPositions): Map<string, CodeOverlap> {
  return new Map(Object.entries(positions).map(([code, position]) => [code, parseOverlap(position)]));
}

export function isPositions(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isSavedOverlap);
}

function isSavedOverlap(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { rows, idsFromMs, writtenAt, isGone, ids } = value;
  return (
    ['watermarkMs', 'movedUntilMs', 'readUntilMs'].every((key) => isTimeOr(undefined, value[key])) &&
    ['rereadFromMs', 'movedIdsFromMs'].every((key) => isTimeOr(undefined, value[key] ?? undefined)) &&
    (isGone === undefined || typeof isGone === 'boolean') &&
    isCount(rows) &&
    isTimeOr(null, idsFromMs) &&
    (writtenAt === undefined || isClockReading(writtenAt)) &&
    Array.isArray(ids) &&
    ids.every((entry) => Array.isArray(entry) && typeof entry[0] === 'string' && isTime(entry[1]))
  );
}

export function isClockReading(value: unknown): boolean {
  return isObject(value) && isTimeOr(undefined, value.serviceMs) && isTime(value.machineMs);
}

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const FURTHEST_MS = 8.64e15;

export function isTimeOr(other: null | undefined, value: unknown): boolean {
  return isTime(value) || value === other;
}

export function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= FURTHEST_MS;
}

function parseOverlap(saved: SavedOverlap): CodeOverlap {
  const { idsFromMs, movedUntilMs } = saved;
  // States of an older qrctl lack `movedIdsFromMs` and keep IDs of rotated rows from `idsFromMs` on.
  const { movedIdsFromMs = movedUntilMs === undefined ? undefined : idsFromMs } = saved;
  return {
    ...emptyOverlap(),
    ...saved,
    idsFromMs: idsFromMs ?? -Infinity,
    ids: new Map(saved.ids),
    rereadFromMs: fromNull(saved.rereadFromMs),
    movedIdsFromMs: fromNull(movedIdsFromMs),
  };
}

function fromNull(value: number | null | undefined): number | undefined {
  return value === null ? -Infinity : value;
}
