/**
 * The state of a dataset, `_qrctl.json` in its directory: what it is an export of, which parts it has, and for each code how far they go.
 * Engines pass over names that begin so. It ends with a checksum of itself, as the state of an appended file does.
 */
import { type AppendIdentity, type Difference, differenceOf, isIdentity } from '../append/identity.ts';
import type { CodeOverlap } from '../append/overlap.ts';
import { formatPositions, isPositions, parsePositions, type SavedPositions } from '../append/positions.ts';
import { seal, unseal } from '../append/sealed.ts';
import { isObject } from '../service/json.ts';
import { isRecordedWorkspace, type RecordedWorkspace } from '../service/workspace.ts';
import { inShellOr, quote } from '../text/quote.ts';
import { isPartition, PARTITIONS, type Partitioning } from './partitions.ts';

export const MANIFEST = '_qrctl.json';
const VERSION = 1;

/** What a dataset is an export of. A run that differs in any of this must not add to it. */
export interface DatasetIdentity extends AppendIdentity {
  partition: Partitioning;
}

/** One file of rows. It is never written to again. */
export interface Part {
  /** `dt=2026-10-01` */
  partition: string;
  /** `part-000017.parquet` */
  name: string;
  rows: number;
  bytes: number;
  /** The newest time in it, ms since the epoch. */
  newestMs: number;
}

export interface Manifest {
  workspace: RecordedWorkspace;
  identity: DatasetIdentity;
  /** Lower bound of the first run, ms since the epoch: no later run adds anything older. */
  sinceMs: number | undefined;
  /** The number of the next part. */
  next: number;
  /** Those of the last commit may still stand under their temporary names (P3). */
  parts: readonly Part[];
  /** By id of the code. */
  overlaps: Map<string, CodeOverlap>;
}

/** As JSON gives it back. */
interface SavedManifest extends RecordedWorkspace, DatasetIdentity, Pick<Manifest, 'sinceMs' | 'next'> {
  parts: SavedPart[];
  positions: SavedPositions;
}

/** Short, for there may be many: partition, number of the part, rows, bytes, newest time. */
type SavedPart = [string, number, number, number, number];

/** The bytes of the manifest. Of the ids those are listed that a run with the same overlap will need. */
export function formatManifest({ workspace, identity, overlaps, parts, ...rest }: Manifest, overlapMs: number): Buffer {
  const saved = parts.map(({ partition, name, rows, bytes, newestMs }): SavedPart => {
    return [partition, numberOf(name), rows, bytes, newestMs];
  });
  const positions = formatPositions(overlaps, overlapMs);
  return seal({ version: VERSION, ...workspace, ...identity, ...rest, parts: saved, positions });
}

/** The manifest of a file's bytes. Throws StateProblem where they are not whole and untouched, UnknownStateError where they are of another form. */
export function parseManifest(bytes: Buffer): Manifest {
  const saved = unseal(bytes, [VERSION], isSavedManifest);
  const { baseUrl, key, profile, codes, all, columns, format, dialect, partition, sinceMs, next, parts, positions } = saved;
  return {
    workspace: { baseUrl, key, profile },
    identity: { codes, all, columns, format, dialect, partition },
    sinceMs,
    next,
    parts: parts.map(([directory, number, rows, size, newestMs]) => {
      return { partition: directory, name: partName(number, format), rows, bytes: size, newestMs };
    }),
    overlaps: parsePositions(positions),
  };
}

/** The name of a part: it follows from the state, so that whoever goes on knows what a killed run was about. */
export function partName(number: number, format: AppendIdentity['format']): string {
  return `part-${String(number).padStart(6, '0')}.${format}`;
}

function numberOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0]);
}

/** P8: also a manifest whose checksum is right may have been made by anybody. */
function isSavedManifest(value: Record<string, unknown>): value is Record<string, unknown> & SavedManifest {
  const { partition, sinceMs, next, parts, positions } = value;
  const { by, timezone }: Partial<Partitioning> = isObject(partition) ? partition : {};
  return (
    isRecordedWorkspace(value) &&
    isIdentity(value, ['csv', 'ndjson', 'parquet']) &&
    PARTITIONS.some((known) => known === by) &&
    typeof timezone === 'string' &&
    (sinceMs === undefined || Number.isSafeInteger(sinceMs)) &&
    Number.isSafeInteger(next) &&
    Array.isArray(parts) &&
    parts.every(isSavedPart) &&
    isPositions(positions)
  );
}

function isSavedPart(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 5) return false;
  const [partition, ...numbers] = value;
  return typeof partition === 'string' && isPartition(partition) && numbers.every((number) => Number.isSafeInteger(number));
}

/** How a run differs from what a dataset was written as. */
export function datasetDifference(was: DatasetIdentity, is: DatasetIdentity): Difference | undefined {
  // P7: rows of one day in two directories, or two kinds of files, are no dataset.
  const [before, now] = [was.partition, is.partition];
  if (before.by !== now.by)
    return { reason: `is partitioned by ${before.by}, not by ${now.by}`, wayOn: `Pass --partition-by ${before.by}` };
  if (before.timezone !== now.timezone) {
    const reason = `has its ${before.by}s in ${quote(before.timezone)}, not in ${quote(now.timezone)}`;
    return { reason, wayOn: `Add --timezone ${inShellOr('ZONE', before.timezone)}` };
  }
  return differenceOf(was, is);
}
