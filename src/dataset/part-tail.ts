/**
 * Growing end of a dataset: makes rows durable as parts. Rows are buffered until there are many, or until the end; then one part per
 * partition is written next to its final path and flushed. A commit is the manifest that lists them; only then they are renamed.
 */
import { basename, dirname, join } from 'node:path';
import type { CodeOverlap } from '../append/overlap.ts';
import type { SavedRow } from '../append/row-parsers.ts';
import type { RowTail } from '../append/row-tail.ts';
import { type Disk, ifPresent } from '../durable/disk.ts';
import { inDirectory, removeFile } from '../durable/held-directory.ts';
import { replaceFile, temporaryOf } from '../durable/replace-file.ts';
import { makeRealDirectories } from '../durable/trusted-file.ts';
import { UnprovenError } from '../errors.ts';
import type { Row, TimedRows } from '../rows/row-sink.ts';
import type { RecordedWorkspace } from '../service/workspace.ts';
import { type DatasetIdentity, formatManifest, MANIFEST, type Part, partName } from './manifest.ts';
import { createPartitioner } from './partitions.ts';
import { readPart, savedRow } from './read-part.ts';
import { formatPart, type PartFormatter, writePart } from './write-part.ts';

export interface PartTailJob {
  disk: Disk;
  /** The real directory. */
  directory: string;
  workspace: RecordedWorkspace;
  identity: DatasetIdentity;
  createFormatter(): PartFormatter;
  overlapMs: number;
  dataset: string | undefined;
  sinceMs: number | undefined;
  overlaps: Map<string, CodeOverlap>;
  isSaved: boolean;
  parts: readonly Part[];
  next: number;
  /** Rows that wait at the most; 122,880 when absent. */
  mostRows?: number | undefined;
  /** Ends the reading of a part. */
  signal?: AbortSignal | undefined;
}

/** As many as a row group of Parquet has: a first run of millions is kept in memory and lost by a kill only so far. */
const MOST_ROWS = 122_880;

type Waiting = Map<string, { rows: Row[]; newestMs: number }>;

/** A part that is on the disk, but not claimed yet; `owner`: all of it is this code's, which may yet fail. */
interface Staged extends Part {
  owner: string | undefined;
}

/** To be called one at a time, and nothing but `close` after a failure. */
export function createPartTail(job: PartTailJob): RowTail {
  const { disk, directory, workspace, identity, dataset, overlaps, sinceMs, overlapMs, mostRows = MOST_ROWS } = job;
  const partitionOf = createPartitioner(identity.partition);
  /** The real directories of the partitions that rows were written to. */
  const places = new Map<string, string>();
  const pathOf = ({ partition, name }: Pick<Part, 'partition' | 'name'>) =>
    join(places.get(partition) ?? join(directory, partition), name);
  let { parts, next } = job;
  let begun = job.isSaved;
  let staged: Staged[] = [];
  /** Of codes that are through, and of the one that is written now. */
  let before: Waiting = new Map();
  let current: Waiting = new Map();
  let writing: string | undefined;
  let held = 0;

  function wait(row: Row, timeMs: number): void {
    const partition = partitionOf(timeMs);
    const waiting = current.get(partition) ?? { rows: [], newestMs: timeMs };
    waiting.rows.push(row);
    waiting.newestMs = Math.max(waiting.newestMs, timeMs);
    current.set(partition, waiting);
    held += 1;
  }

  /** The rows of the code that was written until now wait with the others. */
  function endCode(): void {
    for (const [partition, { rows, newestMs }] of current) {
      const waiting = before.get(partition) ?? { rows: [], newestMs };
      for (const row of rows) waiting.rows.push(row);
      before.set(partition, { rows: waiting.rows, newestMs: Math.max(waiting.newestMs, newestMs) });
    }
    current = new Map();
  }

  /** Writes all buffered rows as parts that no reader sees yet. Those of the current code are separate, because it may fail. */
  async function stage(): Promise<void> {
    for (const [waiting, owner] of [
      [before, undefined],
      [current, writing],
    ] as const) {
      if (waiting.size === 0) continue;
      for (const [partition, { rows, newestMs }] of [...waiting].sort(([one], [other]) => (one < other ? -1 : 1))) {
        const name = partName(next, identity.format);
        const bytes = await putBeside(partition, name, rows);
        staged.push({ partition, name, rows: rows.length, bytes, newestMs, owner });
      }
      next += 1;
    }
    before = new Map();
    current = new Map();
    held = 0;
  }

  async function putBeside(partition: string, name: string, rows: readonly Row[]): Promise<number> {
    // D14: a partition may be stored elsewhere, but not through a link that another user made to a file that is not theirs.
    if (!places.has(partition)) places.set(partition, await makeRealDirectories(disk, join(directory, partition)));
    const path = pathOf({ partition, name });
    // P1: under a name that no engine reads, until all of it is on the disk and claimed.
    return writePart(disk, path, temporaryOf(path), formatPart(job.createFormatter(), rows));
  }

  async function commit(): Promise<void> {
    // Listed parts stay, whatever happens to their code: one part per partition is enough.
    endCode();
    await stage();
    const changed = [...new Set(staged.map((part) => dirname(pathOf(part))))];
    // P1: including the temporary names, by which the next run finds listed parts.
    for (const place of changed) await disk.flushDirectory(place);
    const claimed = [...parts, ...staged.map(({ owner: _, ...part }) => part)];
    const manifest = { workspace, identity, dataset, sinceMs, next, parts: claimed, overlaps };
    const done = staged;
    begun = true;
    // P2: the one step by which all of them become part of the dataset.
    await replaceFile(disk, join(directory, MANIFEST), formatManifest(manifest, overlapMs), {
      beforeRename() {
        // P4: even if the rename fails it may have happened, so they are not ours to remove any more.
        staged = [];
        parts = claimed;
      },
    });
    for (const part of done) await reveal(pathOf(part));
    for (const place of changed) await disk.flushDirectory(place);
  }

  /** P3: claimed, so it may be seen; a run that ends before leaves that to the next. */
  async function reveal(path: string): Promise<void> {
    await inDirectory(disk, dirname(path), async ({ at }) => {
      if (await ifPresent(disk.lstat(at(basename(path))))) {
        throw new UnprovenError(`${path} was created by another process during the run`, {
          hint: 'Move it out of the dataset, then run the same command again. Do not change the directory while qrctl runs.',
        });
      }
      await disk.rename(at(basename(temporaryOf(path))), at(basename(path)));
    });
  }

  async function forget(gone: readonly Staged[]): Promise<void> {
    staged = staged.filter((part) => !gone.includes(part));
    for (const part of gone) await removeFile(disk, temporaryOf(pathOf(part))).catch(() => undefined);
  }

  return {
    async write(code, { rows, times }: TimedRows) {
      if (code !== writing) endCode();
      writing = code;
      rows.forEach((row, i) => {
        wait(row, times[i] as number);
      });
      if (held < mostRows) return false;
      await stage();
      return true;
    },
    commit,
    replace: commit,
    async drop(code) {
      if (code === writing) {
        for (const { rows } of current.values()) held -= rows.length;
        current = new Map();
      }
      await forget(staged.filter(({ owner }) => owner === code));
    },
    async readBack(onRow: (row: SavedRow) => void, fromMs) {
      const read = (part: Part, path: string) =>
        readPart({ disk, path, part, identity, begin: job.createFormatter().begin(), signal: job.signal }, onRow);
      const wanted = (part: Part) => part.newestMs >= fromMs;
      for (const part of parts.filter(wanted)) await read(part, pathOf(part));
      for (const part of staged.filter(wanted)) await read(part, temporaryOf(pathOf(part)));
      for (const { rows } of [...before.values(), ...current.values()]) for (const row of rows) onRow(savedRow(row));
    },
    // Buffered rows are worth a state as well: a first run that is interrupted has committed something.
    keepsState: () => begun || held > 0 || staged.length > 0,
    // No further state is needed at the end: parts are identified by name and size.
    isStamped: () => true,
    async close() {
      await forget(staged);
    },
  };
}
