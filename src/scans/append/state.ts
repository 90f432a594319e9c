/**
 * The state next to an appended file, `FILE.state.json`: the identity of the export, the number of committed bytes and their hash, and for each code
 * the watermark and the IDs in the overlap.
 */

import { formatRecord, parseRecord } from '../../files/durable/record-file.ts';
import { isRecordedWorkspace, type RecordedWorkspace } from '../../service/workspace.ts';
import { type FileStamp, formatStamp, isSavedStamp, parseStamp, type SavedStamp } from './file-stamp.ts';
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
/** Version whose `sha256` is of all bytes at once, without `blocks`. */
const FIRST_VERSION = 1;

export interface AppendState {
  workspace: RecordedWorkspace;
  identity: AppendIdentity;
  /** Lower bound of the first run, ms since the epoch: no later run adds anything older. */
  sinceMs: number | undefined;
  /** Committed size of the file, and the digests of that many bytes (file-hash.ts); no `blocks` in a state of qrctl 1.0. */
  bytes: number;
  sha256: string;
  blocks: string | undefined;
  /**
   * Stamp of the file after the run that wrote this completed. Undefined during a run, after one that was killed, and if the file system's clock is
   * too coarse.
   */
  stamp: FileStamp | undefined;
  /** The inode of the file, also while a run is under way; undefined before there is one, and in a state of an earlier qrctl. */
  ino: bigint | undefined;
  /** The file may still be at its `.restart` path: a rebuild was being put in place. */
  replacing: boolean;
  /** Such a rebuild keeps the file that it replaces as `FILE.old` (A31); absent otherwise, and in a state of an earlier qrctl. */
  keepsOld?: boolean | undefined;
  /** Files that log rotation moved, oldest first. */
  rotated: readonly RotatedFile[];
  /** By the ID of the code. */
  overlaps: Map<string, CodeOverlap>;
}

/** Formats the state file, with the IDs that a run with the same overlap will need. */
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

/**
 * Parses the state of a file. Throws DamagedRecordError if the bytes are not a complete, unchanged state, UnknownRecordError if it is complete, but of
 * another version or form.
 */
export function parseState(bytes: Buffer): AppendState {
  const saved = parseRecord(bytes, [VERSION, FIRST_VERSION], isSavedState);
  const {
    baseUrl,
    key,
    profile,
    codes,
    all,
    columns,
    format,
    dialect,
    bytes: size,
    sha256: hash,
    blocks,
    replacing,
    keepsOld,
    stamp,
    ino,
    sinceMs,
    rotated,
    positions,
  } = saved;
  const overlaps = parsePositions(positions);
  return {
    workspace: { baseUrl, key, profile },
    identity: { codes, all, columns, format, dialect },
    sinceMs,
    bytes: size,
    sha256: hash,
    blocks,
    stamp: stamp && parseStamp(stamp),
    ino: ino === undefined ? undefined : BigInt(ino),
    replacing,
    keepsOld,
    rotated: rotated ?? rotatedBefore(overlaps),
    overlaps,
  };
}

/** State as parsed from JSON. */
interface SavedState
  extends RecordedWorkspace,
    AppendIdentity,
    Omit<AppendState, 'workspace' | 'identity' | 'overlaps' | 'stamp' | 'ino' | 'rotated'> {
  stamp: SavedStamp | undefined;
  ino: string | undefined;
  /** Absent in a state of an earlier qrctl. */
  rotated: readonly RotatedFile[] | undefined;
  positions: SavedPositions;
}

/** A6: another program may have written a state with a correct checksum: every value is checked before it is used. */
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
