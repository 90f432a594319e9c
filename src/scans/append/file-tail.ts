import { dirname } from 'node:path';
import { UnprovenError } from '#base/errors';
import type { Clock } from '#base/time/time';
import { type DiskFile, type DiskStat, ifPresent } from '#files/durable/disk';
import { createTemporary, openReplacement, putInPlace, type Replacement } from '#files/durable/replace-file';
import { isSameFile, removeFile } from '#files/durable/trusted-file';
import { truncateTo, writeFully } from '#files/durable/write';
import type { Formatter } from '#files/formats/formatter';
import type { RowTail } from './add-rows.ts';
import type { CommittedPoint } from './committed-point.ts';
import type { OpenJob } from './current-state.ts';
import type { OldFile } from './old-rows.ts';
import { contentsOf } from './overlap.ts';
import { readRows } from './read-back.ts';
import { type SavedRow, UnrecognizedRowError } from './row-parsers.ts';
import { type AppendState, type FileStamp, formatState, stampOf } from './state.ts';

interface FileTailJob
  extends Pick<OpenJob, 'disk' | 'paths' | 'identity' | 'begin' | 'overlapMs' | 'rotated'> {
  restart: boolean;
  old?: OldFile;
  formatter: Pick<Formatter, 'rows'>;
  clock: Pick<Clock, 'sleep'>;
  committed: CommittedPoint;
}

const IN_PLACE = { replacing: false };

export function createFileTail(job: FileTailJob): RowTail {
  const { disk, paths, identity, begin, restart, old, rotated, overlapMs, clock, committed } = job;
  const place = restart ? paths.restart : paths.file;
  const { hash, workspace, overlaps, sinceMs } = committed;
  let file = committed.file;
  let size = committed.bytes;
  let ino: string | undefined;
  let isPrepared = false;
  let hasFailed = false;
  let recordedBytes = committed.bytes;
  let mayTruncate = true;
  /** Whether `close` keeps the file: false for a `restart` until a state records the new file. */
  let mustStay = !restart;
  let isStamped = committed.isUntouched;
  let { stateHasStamp } = committed;

  async function withFile<T>(work: (mine: DiskFile) => Promise<T>): Promise<T> {
    try {
      return await work(await prepare());
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }

  async function saveState(
    how: Pick<AppendState, 'replacing' | 'keepsOld'>,
    look?: () => Promise<DiskStat>,
  ): Promise<void> {
    const { next, stamp } = await openState({ disk, paths, clock }, look);
    try {
      const { rotated } = committed;
      const contents = { workspace, identity, sinceMs, bytes: size, ...hash.digests() };
      await next.write(formatState({ ...contents, stamp, ino, ...how, rotated, overlaps }, overlapMs));
      // A2: replaces the whole state with an atomic rename.
      await next.commit(() => {
        recordedBytes = size;
        mustStay = true;
        isStamped = stamp !== undefined;
        stateHasStamp = isStamped;
      });
    } finally {
      await next.discard();
    }
  }

  async function prepare(): Promise<DiskFile> {
    if (file && isPrepared) return file;
    if (file && size > 0) ino = `${(await file.stat()).ino}`;
    // A3: saves a state first, so that a kill never leaves a file without a state.
    if (!restart && size === 0 && !committed.isSaved) await saveState(IN_PLACE);
    // A20: removes the stamp, because uncommitted bytes may follow from here on.
    else if (stateHasStamp) await saveState(IN_PLACE);
    // Makes the state's name durable, because a failed run may not have done so.
    else if (committed.isSaved) await disk.flushDirectory(dirname(paths.state));
    file ??= await createTemporary(disk, paths.file, place);
    if (!committed.isSaved) await truncateTo(file, size);
    // A3: makes the file's name durable before a state records rows.
    if (size === 0) await disk.flushDirectory(dirname(place));
    isPrepared = true;
    ino = `${(await file.stat()).ino}`;
    // A27: records the inode, so that a file rotated before its first commit is recognized.
    if (size === 0 && rotated && !restart) await saveState(IN_PLACE);
    if (size === 0) await add(file, begin);
    return file;
  }

  async function add(to: DiskFile, data: string | Uint8Array): Promise<void> {
    const bytes = Buffer.from(data);
    await writeFully(to, bytes, size);
    hash.update(bytes);
    size += bytes.length;
  }

  /** A15: throws if another process moved the file or changed its size. */
  async function expectUndisturbed(mine: DiskStat, where: string): Promise<DiskStat> {
    const there = await ifPresent(disk.lstat(where));
    if (there && isSameFile(mine, there) && there.size === size) return there;
    mayTruncate = false;
    throw new UnprovenError(`${where} was moved, truncated or changed by another process during the run`, {
      hint: 'No further rows were committed. Run the same command again, and do not change the file while qrctl is running.',
    });
  }

  async function readBack(onRow: (row: SavedRow) => void): Promise<void> {
    if (!file || size === 0) return;
    const end = await readRows(file, { start: Buffer.byteLength(begin), end: size }, identity, onRow);
    if (end !== size) throw new UnrecognizedRowError('an incomplete row at the end');
  }

  return {
    write: (_, { rows }) =>
      withFile(async (mine) => {
        await expectUndisturbed(await mine.stat(), place);
        await add(mine, job.formatter.rows(rows));
        return true;
      }),
    commit: (last) =>
      withFile(async (mine) => {
        // A1: flushes the rows before the state that records them.
        await mine.sync();
        const look = async () => expectUndisturbed(await mine.stat(), place);
        await look();
        await saveState(IN_PLACE, last ? look : undefined);
      }),
    replace: () =>
      withFile(async (mine) => {
        const built = await mine.stat();
        const { rows } = contentsOf(overlaps.values());
        const keepsOld = await old?.isNeeded({ rows, readBack });
        // A8: renames the state first. After a kill, the next run completes the second rename.
        await putInPlace(disk, mine, place, paths.file, async () => {
          await saveState({ replacing: true, keepsOld });
          if (keepsOld) await old?.keep();
        });
        await saveState(IN_PLACE, () => expectUndisturbed(built, paths.file));
      }),
    readBack,
    keepsState: () => isPrepared || committed.isSaved,
    isStamped: () => isStamped,
    async close() {
      // A5: removes data that the last state does not record.
      if (file && hasFailed && mayTruncate && mustStay)
        await truncateTo(file, recordedBytes).catch(() => undefined);
      await file?.close().catch(() => undefined);
      if (!mustStay) await removeFile(disk, place).catch(() => undefined);
    },
  };
}

/** Time in ms between attempts to stamp a file. On Linux, file times have ticks of 1 to 10 ms. */
const TICK_MS = 5;
const MOST_TICKS = 5;

async function openState(
  { disk, paths, clock }: Pick<FileTailJob, 'disk' | 'paths' | 'clock'>,
  look: (() => Promise<DiskStat>) | undefined,
): Promise<{ next: Replacement; stamp?: FileStamp }> {
  for (let tick = 0; ; tick++) {
    const next = await openReplacement(disk, paths.state);
    try {
      // A19: stamps only after the file system's clock has advanced, so a later change gets another ctime.
      const stamp = look && stampOf(await look(), next.createdNs);
      if (!look || stamp || tick === MOST_TICKS) return { next, stamp };
      await clock.sleep(TICK_MS);
    } catch (error) {
      await next.discard();
      throw error;
    }
    await next.discard();
  }
}
