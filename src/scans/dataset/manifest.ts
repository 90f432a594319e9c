/** Names the manifest with `_`, because engines skip such files. */
import { formatRecord, parseRecord } from '../../files/durable/record-file.ts';
import { isObject } from '../../service/json.ts';
import { isRecordedWorkspace, type RecordedWorkspace } from '../../service/workspace.ts';
import { type AppendIdentity, isIdentity } from '../append/identity.ts';
import type { CodeOverlap } from '../append/overlap.ts';
import { formatPositions, isPositions, parsePositions, type SavedPositions } from '../append/positions.ts';
import { isPartition, PARTITIONS, type Partitioning } from './partitions.ts';

export const MANIFEST = '_qrctl.json';
const VERSION = 1;

export interface DatasetIdentity extends AppendIdentity {
  partition: Partitioning;
}

export interface Part {
  partition: string;
  name: string;
  rows: number;
  bytes: number;
  newestMs: number;
}

export interface Manifest {
  workspace: RecordedWorkspace;
  identity: DatasetIdentity;
  sinceMs: number | undefined;
  next: number;
  parts: readonly Part[];
  overlaps: Map<string, CodeOverlap>;
}

interface SavedManifest extends RecordedWorkspace, DatasetIdentity, Pick<Manifest, 'sinceMs' | 'next'> {
  parts: SavedPart[];
  positions: SavedPositions;
}

type SavedPart = [string, number, number, number, number];

export function formatManifest(
  { workspace, identity, overlaps, parts, ...rest }: Manifest,
  overlapMs: number,
): Buffer {
  const saved = parts.map(({ partition, name, rows, bytes, newestMs }): SavedPart => {
    return [partition, numberOf(name), rows, bytes, newestMs];
  });
  const positions = formatPositions(overlaps, overlapMs);
  return formatRecord({ version: VERSION, ...workspace, ...identity, ...rest, parts: saved, positions });
}

export function parseManifest(bytes: Buffer): Manifest {
  const saved = parseRecord(bytes, [VERSION], isSavedManifest);
  const { baseUrl, key, profile, codes, all, columns, format, dialect, partition } = saved;
  const parts = saved.parts.map(([directory, number, rows, size, newestMs]): Part => {
    return { partition: directory, name: partName(number, format), rows, bytes: size, newestMs };
  });
  return {
    workspace: { baseUrl, key, profile },
    identity: { codes, all, columns, format, dialect, partition },
    sinceMs: saved.sinceMs,
    next: saved.next,
    parts,
    overlaps: parsePositions(saved.positions),
  };
}

export function partName(number: number, format: AppendIdentity['format']): string {
  return `part-${String(number).padStart(6, '0')}.${format}`;
}

function numberOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0]);
}

/** P8: another program may have written a manifest with a correct checksum. */
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
  return (
    typeof partition === 'string' &&
    isPartition(partition) &&
    numbers.every((number) => Number.isSafeInteger(number))
  );
}
