import { basename, dirname, join } from 'node:path';
import { getOrAdd } from '#base/collections';
import { UnprovenError } from '#base/errors';
import { type Disk, ifPresent } from '#files/durable/disk';
import { replaceFile, temporaryOf } from '#files/durable/replace-file';
import { inDirectory, makeRealDirectories, removeFile } from '#files/durable/trusted-file';
import type { Formatter } from '#files/formats/formatter';
import type { Row, TimedRows } from '#files/formats/row-sink';
import type { RowTail } from '#scans/append/add-rows';
import type { SavedRow } from '#scans/append/row-parsers';
import {
  createPartitioner,
  formatManifest,
  MANIFEST,
  type Manifest,
  type Part,
  partName,
} from './manifest.ts';
import { formatPart, readPart, savedRow, writePart } from './parts.ts';

export interface PartTailJob extends Manifest {
  disk: Disk;
  directory: string;
  createFormatter(): Formatter;
  overlapMs: number;
  isSaved: boolean;
  mostRows?: number;
  signal?: AbortSignal;
}

const MOST_ROWS = 122_880;

type Buffered = Map<string, { rows: Row[]; newestMs: number }>;

/** Part that the manifest does not list yet. `owner` is its code if the code's export may still fail. */
interface Staged extends Part {
  owner?: string;
}

export function createPartTail(job: PartTailJob): RowTail {
  const { disk, directory, workspace, identity, overlaps, sinceMs, overlapMs, mostRows = MOST_ROWS } = job;
  const partitionOf = createPartitioner(identity.partition);
  const places = new Map<string, string>();
  const pathOf = ({ partition, name }: Pick<Part, 'partition' | 'name'>) =>
    join(places.get(partition) ?? join(directory, partition), name);
  let { parts, next } = job;
  let hasManifest = job.isSaved;
  let staged: Staged[] = [];
  let complete: Buffered = new Map();
  let current: Buffered = new Map();
  let writing: string | undefined;
  let bufferedRows = 0;

  function buffer(row: Row, timeMs: number): void {
    const partition = partitionOf(timeMs);
    const buffered = getOrAdd(current, partition, () => ({ rows: [], newestMs: timeMs }));
    buffered.rows.push(row);
    buffered.newestMs = Math.max(buffered.newestMs, timeMs);
    bufferedRows += 1;
  }

  function endCode(): void {
    for (const [partition, { rows, newestMs }] of current) {
      const buffered = getOrAdd(complete, partition, () => ({ rows: [], newestMs }));
      for (const row of rows) buffered.rows.push(row);
      buffered.newestMs = Math.max(buffered.newestMs, newestMs);
    }
    current = new Map();
  }

  async function stage(): Promise<void> {
    for (const buffered of [complete, current]) {
      if (buffered.size === 0) continue;
      const owner = buffered === current ? writing : undefined;
      const sorted = [...buffered].sort(([one], [other]) => (one < other ? -1 : 1));
      for (const [partition, { rows, newestMs }] of sorted) {
        const name = partName(next, identity.format);
        const bytes = await writeStaged(partition, name, rows);
        staged.push({ partition, name, rows: rows.length, bytes, newestMs, owner });
      }
      next += 1;
    }
    complete = new Map();
    current = new Map();
    bufferedRows = 0;
  }

  async function writeStaged(partition: string, name: string, rows: readonly Row[]): Promise<number> {
    // D14: a partition may be a symbolic link, but not one of another user.
    if (!places.has(partition))
      places.set(partition, await makeRealDirectories(disk, join(directory, partition)));
    const path = pathOf({ partition, name });
    return writePart(disk, path, temporaryOf(path), formatPart(job.createFormatter(), rows));
  }

  async function commit(): Promise<void> {
    endCode();
    await stage();
    const changed = [...new Set(staged.map((part) => dirname(pathOf(part))))];
    // P1: makes the temporary names durable, because the next run uses them to find listed parts.
    for (const place of changed) await disk.flushDirectory(place);
    const listed = [...parts, ...staged.map(({ owner: _, ...part }) => part)];
    const manifest = { workspace, identity, sinceMs, next, parts: listed, overlaps };
    const done = staged;
    hasManifest = true;
    // P2: lists all parts with one atomic rename.
    await replaceFile(disk, join(directory, MANIFEST), formatManifest(manifest, overlapMs), {
      beforeRename() {
        staged = [];
        parts = listed;
      },
    });
    for (const part of done) await publish(pathOf(part));
    for (const place of changed) await disk.flushDirectory(place);
  }

  /** P3: gives a listed part its final name, if that is free. After a kill, the next run does so. */
  async function publish(path: string): Promise<void> {
    await inDirectory(disk, dirname(path), async ({ at }) => {
      if (await ifPresent(disk.lstat(at(basename(path))))) {
        throw new UnprovenError(`${path} was created by another process during the run`, {
          hint: 'Move it out of the dataset, then run the same command again. Do not change the directory while qrctl is running.',
        });
      }
      await disk.rename(at(basename(temporaryOf(path))), at(basename(path)));
    });
  }

  async function removeStaged(gone: readonly Staged[]): Promise<void> {
    staged = staged.filter((part) => !gone.includes(part));
    for (const part of gone) await removeFile(disk, temporaryOf(pathOf(part))).catch(() => undefined);
  }

  return {
    async write(code, { rows, times }: TimedRows) {
      if (code !== writing) endCode();
      writing = code;
      rows.forEach((row, i) => {
        buffer(row, times[i] as number);
      });
      if (bufferedRows < mostRows) return false;
      await stage();
      return true;
    },
    commit,
    replace: commit,
    async drop(code) {
      if (code === writing) {
        for (const { rows } of current.values()) bufferedRows -= rows.length;
        current = new Map();
      }
      await removeStaged(staged.filter(({ owner }) => owner === code));
    },
    async readBack(onRow: (row: SavedRow) => void, fromMs) {
      const { signal } = job;
      const begin = job.createFormatter().begin();
      const read = (part: Part, path: string) =>
        readPart({ disk, path, part, identity, begin, signal }, onRow);
      const wanted = (part: Part) => part.newestMs >= fromMs;
      for (const part of parts.filter(wanted)) await read(part, pathOf(part));
      for (const part of staged.filter(wanted)) await read(part, temporaryOf(pathOf(part)));
      for (const { rows } of [...complete.values(), ...current.values()])
        for (const row of rows) onRow(savedRow(row));
    },
    keepsState: () => hasManifest || bufferedRows > 0 || staged.length > 0,
    isStamped: () => true,
    async close() {
      await removeStaged(staged);
    },
  };
}
