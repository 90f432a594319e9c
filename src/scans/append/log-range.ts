import { sum } from '#base/collections';
import type { Range } from '#scans/export/range';
import { isObject } from '#service/json';
import type { CodeOverlap } from './overlap.ts';
import { isCount, isTime } from './positions.ts';

export interface RotatedFile {
  /** Uncompressed size in bytes; 0 if unknown or if entries were merged. */
  bytes: number;
  sha256: string;
  newestMs: Readonly<Record<string, number>>;
}

interface LogBounds {
  sinceMs?: number;
  rotated: readonly RotatedFile[];
}

const MOST_TIMES = 20_000;

export function rotatedOf({
  bytes,
  sha256,
  overlaps,
}: Pick<RotatedFile, 'bytes' | 'sha256'> & { overlaps: ReadonlyMap<string, CodeOverlap> }): RotatedFile {
  const newestMs: Record<string, number> = {};
  for (const [code, { rows, watermarkMs }] of overlaps)
    if (rows > 0 && watermarkMs !== undefined) newestMs[code] = watermarkMs;
  return { bytes, sha256, newestMs };
}

/** Adds an entry for a nonempty, unlisted file. Above `MOST_TIMES` times, merges the oldest entries. */
export function withRotated(rotated: readonly RotatedFile[], moved: RotatedFile): RotatedFile[] {
  const isKnown = rotated.some(({ bytes, sha256 }) => bytes === moved.bytes && sha256 === moved.sha256);
  if (moved.bytes === 0 || isKnown) return [...rotated];
  const files = [...rotated, moved];
  const timesIn = (file: RotatedFile) => Object.keys(file.newestMs).length;
  let times = sum(files.map(timesIn));
  while (times > MOST_TIMES && files.length > 2) {
    const [oldest, next] = files.splice(0, 2) as [RotatedFile, RotatedFile];
    const both = { bytes: 0, sha256: '', newestMs: { ...oldest.newestMs, ...next.newestMs } };
    times -= timesIn(oldest) + timesIn(next) - timesIn(both);
    files.unshift(both);
  }
  return files;
}

/** A41: returns the time from which the remaining files have every row of a code. */
export function beginningOf(
  { sinceMs, rotated }: LogBounds,
  code: string,
  isThere: (file: RotatedFile) => boolean,
): number | undefined {
  const isGone = (file: RotatedFile) => !isThere(file) && Object.keys(file.newestMs).length > 0;
  const gone = rotated.slice(0, rotated.findLastIndex(isGone) + 1);
  const ends = gone.flatMap(({ newestMs }) =>
    Object.hasOwn(newestMs, code) ? [newestMs[code] as number] : [],
  );
  return ends.reduce((begin: number | undefined, end) => Math.max(begin ?? end, end + 1), sinceMs);
}

export function rotatedBefore(overlaps: ReadonlyMap<string, CodeOverlap>): RotatedFile[] {
  const newestMs: Record<string, number> = {};
  for (const [code, { movedUntilMs }] of overlaps)
    if (movedUntilMs !== undefined) newestMs[code] = movedUntilMs;
  return Object.keys(newestMs).length > 0 ? [{ bytes: 0, sha256: '', newestMs }] : [];
}

export function rangeOfCode(
  state: LogBounds & { overlaps: ReadonlyMap<string, CodeOverlap> },
  code: string,
  isThere: (file: RotatedFile) => boolean,
): Range | undefined {
  const own = state.overlaps.get(code);
  const ends = [...state.overlaps.values()].flatMap((overlap) => endOf(overlap) ?? []);
  const untilMs = (own && endOf(own)) ?? ends.sort((a, b) => b - a)[0];
  if (untilMs === undefined) return undefined;
  const sinceMs = beginningOf(state, code, isThere);
  return sinceMs === undefined || sinceMs < untilMs ? { sinceMs, untilMs } : undefined;
}

function endOf({ readUntilMs, watermarkMs }: CodeOverlap): number | undefined {
  return readUntilMs ?? (watermarkMs === undefined ? undefined : watermarkMs + 1);
}

export function areRotated(value: unknown): boolean {
  const isRotatedFile = (file: unknown) =>
    isObject(file) &&
    isCount(file.bytes) &&
    typeof file.sha256 === 'string' &&
    isObject(file.newestMs) &&
    Object.values(file.newestMs).every(isTime);
  return Array.isArray(value) && value.every(isRotatedFile);
}

export function foreignReason(path: string, log: string): string {
  return `${path} is not one of the files that were rotated from ${log}, or it was edited`;
}
