import { join } from 'node:path';
import { inChunks } from '#base/collections';
import { LocalError } from '#base/errors';
import { countOf, formatCount, shown } from '#base/text/quote';
import { parseInstant } from '#base/time/time';
import { closing, type Disk, ifPresent } from '#files/durable/disk';
import { createTemporary, temporaryOf } from '#files/durable/replace-file';
import { inDirectory, realPath } from '#files/durable/trusted-file';
import { createEarlyFlush, writeFully } from '#files/durable/write';
import type { Formatter } from '#files/formats/formatter';
import { DamagedParquetError, readParquetRows } from '#files/formats/parquet/parquet-rows';
import type { Row } from '#files/formats/row-sink';
import { refusal } from '#scans/append/current-state';
import type { AppendIdentity } from '#scans/append/identity';
import { readRows } from '#scans/append/read-back';
import type { SavedRow } from '#scans/append/row-parsers';
import { type DatasetIdentity, isPartition, MANIFEST, type Part } from './manifest.ts';

export const NEW_DATASET = 'or export into a new --output-dir to replace this dataset';

interface Job {
  disk: Disk;
  directory: string;
  parts: readonly Part[];
}

const HIDDEN = /^[._]/;
const LEFTOVER = /^\.part-\d+\.[a-z]+\.partial$/;

export async function refuseUnknownFiles(job: Job & Pick<AppendIdentity, 'format'>): Promise<void> {
  const { disk, directory, parts, format } = job;
  const known = pathsOf(parts);
  for (const name of await disk.readdir(directory)) {
    if (HIDDEN.test(name)) continue;
    // P5: refuses unknown files, because query engines read every file in the directory.
    if (!isPartition(name)) {
      const reason = `it contains ${name}, which is not part of this export`;
      throw refusal(directory, reason, `Move ${name} out of the directory`);
    }
    for (const file of await disk.readdir(join(directory, name))) {
      if (HIDDEN.test(file) || known.has(`${name}/${file}`)) continue;
      const isLost = parts.length === 0;
      const reason = isLost ? `it has no ${MANIFEST} and contains` : 'it contains';
      throw refusal(
        directory,
        `${reason} ${name}/${file}, which is not part of this export (${format})`,
        isLost ? `Restore ${MANIFEST} from a backup, ${NEW_DATASET}` : 'Move that file out of the directory',
      );
    }
  }
  const loss = await lossOfParts(job, false);
  if (loss) throw refusal(directory, loss, `Restore that file from a backup, ${NEW_DATASET}`);
}

export async function lossOfParts(
  { disk, directory, parts }: Job,
  areListed: boolean,
): Promise<string | undefined> {
  for (const { partition, name, bytes } of parts) {
    const path = join(directory, partition, name);
    // P3: a part of the last commit may still have its temporary name.
    const hidden = areListed ? undefined : await ifPresent(disk.lstat(temporaryOf(path)));
    const found = (await ifPresent(disk.lstat(path))) ?? hidden;
    if (!found) return `${partition}/${name} is missing`;
    if (found.size !== bytes)
      return `${partition}/${name} has ${countOf(found.size, 'byte')} instead of ${formatCount(bytes)}`;
  }
  return undefined;
}

/** Returns the partitions deleted before the first remaining one, oldest first; [] if none remains. */
export async function removedPartitions({ disk, directory, parts }: Job): Promise<string[]> {
  const known = pathsOf(parts);
  const removed: string[] = [];
  for (const partition of [...new Set(parts.map(({ partition }) => partition))].sort()) {
    const there = await ifPresent(disk.readdir(join(directory, partition)));
    // P15: a partition with a part, even a temporary one, was not deleted.
    if (there?.some((name) => known.has(`${partition}/${name}`) || LEFTOVER.test(name))) return removed;
    removed.push(partition);
  }
  return [];
}

/** P3, P4: renames leftover parts that the manifest lists, and removes other leftover parts. */
export async function finishParts({ disk, directory, parts }: Job): Promise<void> {
  const known = pathsOf(parts);
  for (const partition of (await disk.readdir(directory)).filter(isPartition)) {
    const named = join(directory, partition);
    const place = (await disk.lstat(named)).isSymbolicLink() ? await realPath(disk, named) : named;
    let renamed = false;
    await inDirectory(disk, place, async ({ at, names }) => {
      for (const name of (await names()).filter((name) => LEFTOVER.test(name))) {
        const part = name.slice(1, -'.partial'.length);
        const isListed = known.has(`${partition}/${part}`);
        renamed ||= isListed;
        if (isListed) await disk.rename(at(name), at(part));
        else await disk.unlink(at(name));
      }
    });
    if (renamed) await disk.flushDirectory(place);
  }
}

function pathsOf(parts: readonly Part[]): Set<string> {
  return new Set(parts.map(({ partition, name }) => `${partition}/${name}`));
}

const BATCH = 2000;

export async function* formatPart(
  formatter: Formatter,
  rows: readonly Row[],
): AsyncGenerator<string | Uint8Array> {
  yield formatter.begin();
  for (const some of inChunks(rows, BATCH)) yield formatter.rows(some);
  yield formatter.end();
}

export async function writePart(
  disk: Disk,
  path: string,
  temporary: string,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<number> {
  return closing(await createTemporary(disk, path, temporary), async (file) => {
    const flush = createEarlyFlush(file);
    let size = 0;
    for await (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      await writeFully(file, bytes, size);
      size += bytes.length;
      flush.wrote(bytes.length);
    }
    await flush.settled();
    // P1: flushes the part before the manifest that lists it.
    await file.sync();
    return size;
  });
}

interface PartReading {
  disk: Disk;
  path: string;
  part: Pick<Part, 'bytes'>;
  identity: DatasetIdentity;
  begin: string;
  signal?: AbortSignal;
}

export async function readPart(
  { disk, path, part, identity, begin, signal }: PartReading,
  onRow: (row: SavedRow) => void,
): Promise<void> {
  const file = await disk.open(path, 'r+');
  try {
    if (identity.format !== 'parquet') {
      await readRows(file, { start: Buffer.byteLength(begin), end: part.bytes }, identity, onRow);
      return;
    }
    for await (const rows of readParquetRows(file, part.bytes, { columns: ['qr_id', 'id', 'ts'], signal }))
      for (const row of rows) onRow(savedRow(row));
  } catch (cause) {
    if (!(cause instanceof DamagedParquetError)) throw cause;
    throw new LocalError(`cannot read ${path}: the file is damaged (${shown(cause.message)})`, {
      cause,
      hint: 'Restore the file from a backup, or export to a new --output-dir.',
    });
  } finally {
    await file.close();
  }
}

export function savedRow({ qr_id, id, ts }: Row): SavedRow {
  return { code: String(qr_id), id: String(id), timeMs: parseInstant(String(ts)) ?? Number.NaN };
}
