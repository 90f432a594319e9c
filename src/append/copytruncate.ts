/**
 * Handles `--rotated` after logrotate's `copytruncate`: the file was copied and then emptied in place, after a run that was killed before its first
 * commit. The rows of that run are in the copy, and no state records them.
 */

import { basename, dirname, join } from 'node:path';
import { type DiskFile, ifPresent } from '../durable/disk.ts';
import { openTrusted } from '../durable/trusted-file.ts';
import { UsageError } from '../errors.ts';
import { readLogName } from '../rows/read/rotated-names.ts';
import { countOf } from '../text/quote.ts';
import type { CommittedPoint, OpenJob } from './committed-point.ts';
import { overlapOf } from './overlap.ts';
import { readRows } from './read-back.ts';
import { type SavedRow, UnrecognizedRowError } from './row-parsers.ts';

/** Copies in the same directory with a name of log rotation. */
interface Copy {
  path: string;
  /** A compressed copy can't be read here. */
  isCompressed: boolean;
}

/** Finds the copies that were changed after the state was written, and so after the last run began. */
async function findCopies({ disk, paths }: OpenJob): Promise<Copy[]> {
  const directory = dirname(paths.file);
  const state = await disk.lstat(paths.state);
  const copies: Copy[] = [];
  for (const name of await disk.readdir(directory)) {
    const log = readLogName(name, basename(paths.file));
    if (!log?.age) continue;
    const path = join(directory, name);
    const stat = await ifPresent(disk.lstat(path));
    if (stat?.isFile() && stat.size > 0 && stat.mtimeNs >= state.mtimeNs)
      copies.push({ path, isCompressed: log.packing !== undefined });
  }
  return copies;
}

/**
 * A33: adds the IDs of the rows that a run wrote before it was killed without a commit. The IDs are read from the copy, and an incomplete row is
 * truncated there. Throws UsageError if a copy can't be read.
 */
export async function addCopiedIds(job: OpenJob, { file: emptied, overlaps }: CommittedPoint): Promise<void> {
  try {
    for (const { path, isCompressed } of await findCopies(job)) {
      if (isCompressed) throw unreadable(job, path);
      const file = await openTrusted(job.disk, path);
      await addIdsOf(job, overlaps, path, file).finally(() => file?.close());
    }
  } catch (error) {
    await emptied?.close();
    throw error;
  }
}

async function addIdsOf(
  job: OpenJob,
  overlaps: CommittedPoint['overlaps'],
  path: string,
  file: DiskFile | undefined,
): Promise<void> {
  if (!file) return;
  const { size } = await file.stat();
  const begin = Buffer.from(job.begin);
  const found = Buffer.alloc(Math.min(begin.length, size));
  await file.read(found, 0, found.length, 0);
  // Another export, or something else.
  if (!begin.subarray(0, found.length).equals(found)) return;
  const rows: SavedRow[] = [];
  const stretch = { start: found.length, end: size, strict: true, signal: job.signal };
  const end =
    size < begin.length
      ? 0
      : await readRows(file, stretch, job.identity, (row) => rows.push(row)).catch((error) => {
          throw error instanceof UnrecognizedRowError ? unreadable(job, path) : error;
        });
  const alone = job.identity.columns.includes('qr_id') ? undefined : job.identity.codes[0];
  for (const { code = alone ?? '', id, timeMs } of rows) overlapOf(overlaps, code).ids.set(id, timeMs);
  if (end < size) {
    await file.truncate(end);
    await file.sync();
    job.warn?.(
      `${basename(path)}: removed an incomplete row (${countOf(size - end, 'byte')}) that a stopped run left at the end`,
    );
  }
  if (rows.length > 0) job.note?.(`Skipping ${countOf(rows.length, 'row')} from a stopped run (already in ${basename(path)})`);
}

function unreadable({ paths }: OpenJob, copy: string): UsageError {
  return new UsageError(
    `cannot append to ${paths.file}: the file was emptied after a stopped run, and ${copy} can't be checked for rows of that run`,
    {
      hint: `No changes were made. Decompress or repair ${basename(copy)}. If it has no rows of that run, move it to another directory.`,
    },
  );
}
