/**
 * Range of a log: the time from which on all rows of a code are in files that are there. Rotated files may be archived or deleted later, so the state
 * records what each of them contains (A41).
 */
import { isObject } from '../../service/json.ts';
import type { Range } from '../export/range.ts';
import type { CodeOverlap } from './overlap.ts';
import { isCount, isTime } from './positions.ts';

export interface RotatedFile {
  /** Size without compression, and the digest of that many bytes (file-hash.ts). 0 for files that are no longer distinguished. */
  bytes: number;
  sha256: string;
  /** Time of the newest row of each code in it, ms since the epoch, by the code's ID. */
  newestMs: Readonly<Record<string, number>>;
}

interface LogBounds {
  sinceMs: number | undefined;
  rotated: readonly RotatedFile[];
}

/** Maximum number of recorded times (1 MB). */
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

/** Returns the records after one more file was moved, oldest first. */
export function withRotated(rotated: readonly RotatedFile[], moved: RotatedFile): RotatedFile[] {
  const isKnown = rotated.some(({ bytes, sha256 }) => bytes === moved.bytes && sha256 === moved.sha256);
  if (moved.bytes === 0 || isKnown) return [...rotated];
  const files = [...rotated, moved];
  const timesIn = (file: RotatedFile) => Object.keys(file.newestMs).length;
  let times = files.reduce((sum, file) => sum + timesIn(file), 0);
  while (times > MOST_TIMES && files.length > 2) {
    const [oldest, next] = files.splice(0, 2) as [RotatedFile, RotatedFile];
    const both = { bytes: 0, sha256: '', newestMs: { ...oldest.newestMs, ...next.newestMs } };
    times -= timesIn(oldest) + timesIn(next) - timesIn(both);
    files.unshift(both);
  }
  return files;
}

/**
 * A41: returns the time from which on the files of a log have every row of a code, ms since the epoch; undefined: from the first scan on. Rows up to
 * the end of the newest missing file were archived or deleted on purpose.
 */
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

/** Returns the record for a state that does not list rotated files: one file that represents all. */
export function rotatedBefore(overlaps: ReadonlyMap<string, CodeOverlap>): RotatedFile[] {
  const newestMs: Record<string, number> = {};
  for (const [code, { movedUntilMs }] of overlaps)
    if (movedUntilMs !== undefined) newestMs[code] = movedUntilMs;
  return Object.keys(newestMs).length > 0 ? [{ bytes: 0, sha256: '', newestMs }] : [];
}

/**
 * Returns the range of which a log has every scan of a code: up to the end of its last complete run (A42), or of the log's other codes. Undefined if
 * there is none.
 */
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

export function areRotated(value: unknown): value is readonly RotatedFile[] {
  return Array.isArray(value) && value.every(isRotatedFile);
}

function isRotatedFile(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.newestMs)) return false;
  const { bytes, sha256, newestMs } = value;
  return isCount(bytes) && typeof sha256 === 'string' && Object.values(newestMs).every(isTime);
}

/** Returns why a file with a name of rotation is not accepted as a part of `log`. */
export function foreignReason(path: string, log: string): string {
  return `${path} is not one of the files that were rotated from ${log}, or it was edited`;
}
