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
const FIRST_VERSION = 1;

export interface AppendState {
  workspace: RecordedWorkspace;
  identity: AppendIdentity;
  sinceMs?: number;
  bytes: number;
  sha256: string;
  blocks?: string;
  stamp?: FileStamp;
  /** Inode as text, because JSON numbers have too few digits. */
  ino?: string;
  replacing: boolean;
  keepsOld?: boolean;
  rotated: readonly RotatedFile[];
  overlaps: Map<string, CodeOverlap>;
}

export function formatState(state: AppendState, overlapMs: number): Buffer {
  const { workspace, identity, overlaps, ...rest } = state;
  const codes = [...identity.codes].sort();
  const positions = formatPositions(overlaps, overlapMs);
  return formatRecord({ version: VERSION, ...workspace, ...identity, codes, ...rest, positions });
}

export function parseState(data: Buffer): AppendState {
  const saved = parseRecord<SavedState>(data, [VERSION, FIRST_VERSION], isSavedState);
  const { baseUrl, key, profile, codes, all, columns, format, dialect } = saved;
  const { sinceMs, bytes, sha256, blocks, stamp, ino, replacing, keepsOld } = saved;
  const overlaps = parsePositions(saved.positions);
  return {
    workspace: { baseUrl, key, profile },
    identity: { codes, all, columns, format, dialect },
    sinceMs,
    bytes,
    sha256,
    blocks,
    stamp,
    ino,
    replacing,
    keepsOld,
    rotated: saved.rotated ?? rotatedBefore(overlaps),
    overlaps,
  };
}

interface SavedState
  extends RecordedWorkspace,
    AppendIdentity,
    Omit<AppendState, 'workspace' | 'identity' | 'overlaps' | 'rotated'> {
  rotated?: readonly RotatedFile[];
  positions: SavedPositions;
}

/** A6: checks every field, because other programs can write a correct checksum. */
function isSavedState(value: Record<string, unknown>): boolean {
  const { version, bytes, sha256, blocks, replacing, keepsOld, stamp, ino, sinceMs, rotated, positions } =
    value;
  return (
    isRecordedWorkspace(value) &&
    isIdentity(value, ['csv', 'ndjson']) &&
    isDigest(sha256) &&
    (version === FIRST_VERSION ? blocks === undefined : blocks === '' || isDigest(blocks)) &&
    (stamp === undefined || isStamp(stamp)) &&
    (ino === undefined || isWholeNumber(ino)) &&
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

const STAMPED = ['ino', 'mtimeNs', 'ctimeNs'] as const;

/** A19: identifies an unchanged file by its ctime, which programs can't set. */
export type FileStamp = Record<(typeof STAMPED)[number], string>;

/** Returns a stamp; undefined in the tick of the last change, because another may get its ctime. */
export function stampOf({ ino, mtimeNs, ctimeNs }: DiskStat, clockNs: bigint): FileStamp | undefined {
  return clockNs > ctimeNs ? { ino: `${ino}`, mtimeNs: `${mtimeNs}`, ctimeNs: `${ctimeNs}` } : undefined;
}

export function hasStamp(file: DiskStat, stamp: FileStamp): boolean {
  return STAMPED.every((key) => `${file[key]}` === stamp[key]);
}

function isStamp(value: unknown): boolean {
  return isObject(value) && STAMPED.every((key) => isWholeNumber(value[key]));
}

function isWholeNumber(text: unknown): boolean {
  return typeof text === 'string' && /^-?\d{1,20}$/.test(text);
}
