/** Manifest of a dataset. Its file name begins with `_`, so that query engines skip it. */

import { UnprovenError } from '#base/errors';
import { createLocalTime } from '#base/time/local-time';
import { DAY_MS, formatInstant, QUARTER_MS } from '#base/time/time';
import { formatRecord, parseRecord } from '#files/durable/record-file';
import { type AppendIdentity, isIdentity, type Partitioning } from '#scans/append/identity';
import type { CodeOverlap } from '#scans/append/overlap';
import { formatPositions, isPositions, parsePositions, type SavedPositions } from '#scans/append/positions';
import { isObject } from '#service/json';
import { isRecordedWorkspace, type RecordedWorkspace } from '#service/workspace';

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
  sinceMs?: number;
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
    return [partition, Number(/\d+/.exec(name)?.[0]), rows, bytes, newestMs];
  });
  const positions = formatPositions(overlaps, overlapMs);
  return formatRecord({ version: VERSION, ...workspace, ...identity, ...rest, parts: saved, positions });
}

export function parseManifest(bytes: Buffer): Manifest {
  const saved = parseRecord<SavedManifest>(bytes, [VERSION], isSavedManifest);
  const { baseUrl, key, profile, codes, all, columns, format, dialect, partition, sinceMs, next } = saved;
  return {
    workspace: { baseUrl, key, profile },
    identity: { codes, all, columns, format, dialect, partition },
    sinceMs,
    next,
    parts: saved.parts.map(([directory, number, rows, size, newestMs]): Part => {
      return { partition: directory, name: partName(number, format), rows, bytes: size, newestMs };
    }),
    overlaps: parsePositions(saved.positions),
  };
}

export function partName(number: number, format: AppendIdentity['format']): string {
  return `part-${String(number).padStart(6, '0')}.${format}`;
}

/** P8: checks every field, because other programs can write a correct checksum. */
function isSavedManifest(value: Record<string, unknown>): boolean {
  const { partition, sinceMs, next, parts, positions } = value;
  const { by, timezone } = isObject(partition) ? partition : {};
  return (
    isRecordedWorkspace(value) &&
    isIdentity(value, ['csv', 'ndjson', 'parquet']) &&
    (by === 'day' || by === 'month') &&
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
  return typeof partition === 'string' && isPartition(partition) && numbers.every(Number.isSafeInteger);
}

const LENGTHS = { day: '2026-10-01'.length, month: '2026-10'.length };

/** Returns a function that names a time's partition (`dt=2026-10-01`) or throws UnprovenError. */
export function createPartitioner({ by, timezone }: Partitioning): (timeMs: number) => string {
  const { offsetMs } = createLocalTime(timezone);
  let lastDay = Number.NaN;
  let last = '';
  return (timeMs) => {
    const localMs = timeMs + offsetMs(timeMs);
    const day = Math.floor(localMs / DAY_MS);
    if (day === lastDay) return last;
    const [date = ''] = formatInstant(localMs).split('T');
    const partition = `dt=${date.slice(0, LENGTHS[by])}`;
    if (!isPartition(partition)) throw yearError(date, timezone);
    lastDay = day;
    last = partition;
    return last;
  };
}

function yearError(date: string, timezone: string): UnprovenError {
  return new UnprovenError(
    `cannot assign a scan dated ${date} (${timezone}) to a partition: the year must have four digits`,
    { hint: 'Exclude the scan with --since or --until, or use another --timezone for a new --output-dir.' },
  );
}

export function partitionEnd(partitionOf: (timeMs: number) => string, timeMs: number): number {
  let endMs = (Math.floor(timeMs / QUARTER_MS) + 1) * QUARTER_MS;
  while (partitionOf(endMs) === partitionOf(timeMs)) endMs += QUARTER_MS;
  return endMs;
}

export function isPartition(name: string): boolean {
  return /^dt=\d{4}-\d\d(-\d\d)?$/.test(name);
}
