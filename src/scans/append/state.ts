import type { DiskStat } from '#files/durable/disk';
import { formatRecord, parseRecord } from '#files/durable/record-file';
import { isObject } from '#service/json';
import { isRecordedWorkspace, type RecordedWorkspace } from '#service/workspace';
import { type AppendIdentity, isIdentity } from './identity.ts';
import { areRotated, type RotatedFile, rotatedBefore } from './log-range.ts';
import type { CodeOverlap } from './overlap.ts';
import {
  formatPositions,
  isCount,
  isPositions,
  isTimeOr,
  parsePositions,
  type SavedPositions,
} from './positions.ts';

const VERSION = 2;
/** Version of qrctl 1.0, whose `sha256` is of all bytes at once, without `blocks`. */
const FIRST_VERSION = 1;

export interface AppendState {
  workspace: RecordedWorkspace;
  identity: AppendIdentity;
  sinceMs: number | undefined;
  bytes: number;
  sha256: string;
  blocks: string | undefined;
  /** Stamp of the file after the last complete run; undefined during a run, and after a kill. */
  stamp: FileStamp | undefined;
  ino: bigint | undefined;
  replacing: boolean;
  keepsOld?: boolean;
  rotated: readonly RotatedFile[];
  overlaps: Map<string, CodeOverlap>;
}

export function formatState(state: AppendState, overlapMs: number): Buffer {
  const { workspace, identity, overlaps, stamp, ino, ...rest } = state;
  const codes = [...identity.codes].sort();
  const positions = formatPositions(overlaps, overlapMs);
  return formatRecord({
    version: VERSION,
    ...workspace,
    ...identity,
    codes,
    ...rest,
    stamp: stamp && formatStamp(stamp),
    ino: ino === undefined ? undefined : `${ino}`,
    positions,
  });
}

/** Parses a state. Throws RecordProblem. */
export function parseState(bytes: Buffer): AppendState {
  const saved = parseRecord(bytes, [VERSION, FIRST_VERSION], isSavedState);
  const { baseUrl, key, profile, codes, all, columns, format, dialect, stamp, ino } = saved;
  const overlaps = parsePositions(saved.positions);
  return {
    workspace: { baseUrl, key, profile },
    identity: { codes, all, columns, format, dialect },
    sinceMs: saved.sinceMs,
    bytes: saved.bytes,
    sha256: saved.sha256,
    blocks: saved.blocks,
    stamp: stamp && parseStamp(stamp),
    ino: ino === undefined ? undefined : BigInt(ino),
    replacing: saved.replacing,
    keepsOld: saved.keepsOld,
    rotated: saved.rotated ?? rotatedBefore(overlaps),
    overlaps,
  };
}

interface SavedState
  extends RecordedWorkspace,
    AppendIdentity,
    Omit<AppendState, 'workspace' | 'identity' | 'overlaps' | 'stamp' | 'ino' | 'rotated'> {
  stamp: SavedStamp | undefined;
  ino: string | undefined;
  rotated: readonly RotatedFile[] | undefined;
  positions: SavedPositions;
}

/** A6: checks every field: another program may have written a correct checksum. */
function isSavedState(value: Record<string, unknown>): value is Record<string, unknown> & SavedState {
  const { version, bytes, sha256, blocks, replacing, keepsOld, stamp, ino, sinceMs, rotated, positions } =
    value;
  return (
    isRecordedWorkspace(value) &&
    isIdentity(value, ['csv', 'ndjson']) &&
    isDigest(sha256) &&
    (version === FIRST_VERSION ? blocks === undefined : blocks === '' || isDigest(blocks)) &&
    (stamp === undefined || isSavedStamp(stamp)) &&
    (ino === undefined || (typeof ino === 'string' && /^\d{1,20}$/.test(ino))) &&
    isTimeOr(undefined, sinceMs) &&
    (rotated === undefined || areRotated(rotated)) &&
    isCount(bytes) &&
    typeof replacing === 'boolean' &&
    (keepsOld === undefined || typeof keepsOld === 'boolean') &&
    isPositions(positions)
  );
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** A19: identifies an unchanged file: changes update the ctime, which programs can't set. */
export type FileStamp = Pick<DiskStat, 'ino' | 'mtimeNs' | 'ctimeNs'>;

/** Returns the stamp of a file; undefined in the tick of its last change, which may hide another. */
export function stampOf({ ino, mtimeNs, ctimeNs }: DiskStat, clockNs: bigint): FileStamp | undefined {
  return clockNs > ctimeNs ? { ino, mtimeNs, ctimeNs } : undefined;
}

export function hasStamp(file: DiskStat, stamp: FileStamp): boolean {
  return file.ino === stamp.ino && file.mtimeNs === stamp.mtimeNs && file.ctimeNs === stamp.ctimeNs;
}

/** Stamp in text, because JSON numbers have too few digits. */
type SavedStamp = Record<keyof FileStamp, string>;

export function formatStamp({ ino, mtimeNs, ctimeNs }: FileStamp): SavedStamp {
  return { ino: `${ino}`, mtimeNs: `${mtimeNs}`, ctimeNs: `${ctimeNs}` };
}

export function isSavedStamp(value: unknown): value is SavedStamp {
  if (!isObject(value)) return false;
  const { ino, mtimeNs, ctimeNs } = value;
  return [ino, mtimeNs, ctimeNs].every((text) => typeof text === 'string' && /^-?\d{1,20}$/.test(text));
}

export function parseStamp({ ino, mtimeNs, ctimeNs }: SavedStamp): FileStamp {
  return { ino: BigInt(ino), mtimeNs: BigInt(mtimeNs), ctimeNs: BigInt(ctimeNs) };
}
