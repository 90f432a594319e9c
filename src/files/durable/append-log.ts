/**
 * Append-only log: each line is a JSON object with a checksum. Records whose `append` was resolved survive a power cut; an incomplete last line is
 * dropped. For users, it is the ledger of a workspace.
 */
import { basename, dirname, join } from 'node:path';
import { LocalError } from '../../base/errors.ts';
import { type Disk, type DiskFile, type DiskStat, ifPresent, readPieces } from './disk.ts';
import { createLineReader, formatLine } from './log-lines.ts';
import { nodeDisk } from './node-disk.ts';
import { cannotOpen, cannotWrite } from './path-errors.ts';
import { createTrusted, isSameFile, openTrusted, realPath } from './trusted-file.ts';
import { writeFully } from './write.ts';

export interface LogWriter<R extends { is: string }> {
  /** Adds records in order. Resolves when they, and all before them, are on disk. Throws LocalError. */
  append(records: readonly R[]): Promise<void>;
  /** Like `append`, but durable only with the next one. A failure is reported then, or by `close`. */
  note(records: readonly R[]): void;
  close(): Promise<void>;
}

/** Words for messages, from the command that owns the log. */
export interface LogAdvice {
  elsewhere: string;
  damaged: string;
  noun: string;
}

/** `take` gets the records one by one, so a log of a million records is never in memory. */
interface LogPlace<R> {
  path: string;
  advice: LogAdvice;
  disk?: Disk | undefined;
  take: (record: R) => void;
}

/**
 * Opens a log, or creates an empty one; the caller holds its lock. Throws UsageError, with the file unchanged, if it is not a complete log, and the
 * errors of `take`.
 */
export async function openLog<R extends { is: string }>(place: LogPlace<R>): Promise<LogWriter<R>> {
  const { path, advice, disk = nodeDisk, take } = place;
  const file = await openOrCreate(disk, path).catch((error) => {
    throw cannotOpen(taskOf(path, advice), error, advice.elsewhere);
  });
  try {
    const reader = createLineReader(path, advice, take);
    for await (const piece of readPieces(file, 0, (await file.stat()).size)) reader.add(piece);
    const { length } = reader.end();
    // D9: the partial line of a killed run must not become the beginning of the next line.
    await file.truncate(length);
    return createAppender<R>({ disk, file, path, advice, start: length });
  } catch (error) {
    await file.close();
    throw cannotWrite(taskOf(path, advice), error, 'no changes were made');
  }
}

export function createVolatileLog<R extends { is: string }>(): LogWriter<R> {
  return { append: async () => undefined, note: () => undefined, close: async () => undefined };
}

/** Reads a log, if there is one, without changing it. Throws UsageError as `openLog`. */
export async function readLog<R extends { is: string }>({
  path,
  advice,
  disk = nodeDisk,
  take,
}: LogPlace<R>): Promise<void> {
  try {
    const bytes = await ifPresent(disk.readFile(path));
    if (bytes === undefined) return;
    const reader = createLineReader(path, advice, take);
    reader.add(bytes);
    reader.end();
  } catch (error) {
    throw cannotOpen(`read the ${advice.noun} ${path}`, error, advice.elsewhere);
  }
}

function taskOf(path: string, advice: LogAdvice): string {
  return `write the ${advice.noun} ${path}`;
}

async function openOrCreate(disk: Disk, path: string): Promise<DiskFile> {
  // D14: only links that another user can't abuse are followed.
  const place = join(await realPath(disk, dirname(path)), basename(path));
  const file = (await openTrusted(disk, place)) ?? (await createTrusted(disk, place));
  // D8: a power cut could remove the file's name. Also for an existing file, whose creator may have been killed before this.
  await disk.flushDirectory(dirname(place));
  return file;
}

/** Creates the writer, with one flush at a time: records that are added meanwhile share the next one (group commit). */
function createAppender<R extends { is: string }>(log: {
  disk: Disk;
  file: DiskFile;
  path: string;
  advice: LogAdvice;
  start: number;
}): LogWriter<R> {
  const { disk, file, path, advice } = log;
  let position = log.start;
  let waiting: string[] = [];
  let writing: Promise<void> = Promise.resolve();
  let unflushed = false;
  let next: { done: Promise<void>; flush: boolean } | undefined;

  async function write(flush: boolean): Promise<void> {
    const bytes = Buffer.from(waiting.join(''));
    waiting = [];
    try {
      const ours = await file.stat();
      if (ours.size !== position) throw tampered(path, advice, 'changed by another process');
      await writeFully(file, bytes, position);
      position += bytes.length;
      unflushed = !flush;
      if (!flush) return;
      // D8: from here on, a power cut cannot undo the append.
      const [, isFindable] = await Promise.all([file.datasync(), isAt(disk, ours, path)]);
      if (!isFindable) throw tampered(path, advice, 'moved or removed');
    } catch (cause) {
      throw cannotWrite(taskOf(path, advice), cause, 'all earlier records are saved');
    }
  }

  function add(records: readonly R[], flush: boolean): Promise<void> {
    // All or none: a record that JSON cannot represent fails before any is taken.
    for (const line of records.map(formatLine)) waiting.push(line);
    if (!next) {
      const turn = { done: writing, flush: false };
      next = turn;
      // D11: after a failed flush, every later call fails with the same error.
      turn.done = writing.then(() => {
        next = undefined;
        return write(turn.flush);
      });
      writing = turn.done;
      writing.catch(() => undefined); // the calls that wait for it are rejected
    }
    next.flush ||= flush;
    return next.done;
  }

  return {
    append: (records: readonly R[]) => add(records, true),
    note(records: readonly R[]): void {
      add(records, false).catch(() => undefined); // rejects the next append
    },
    async close(): Promise<void> {
      try {
        await writing;
        if (unflushed || next) await add([], true);
      } finally {
        await file.close();
      }
    },
  };
}

/** D15: returns whether the log is still where the next run will read it. */
async function isAt(disk: Disk, ours: DiskStat, path: string): Promise<boolean> {
  return isSameFile(ours, await ifPresent(disk.stat(path)));
}

function tampered(path: string, advice: LogAdvice, what: string): LocalError {
  const noun = advice.noun;
  return new LocalError(`the ${noun} ${path} was ${what} while this run was writing it`, {
    hint: `Restore the ${noun} first. Only the ${noun} records which requests were sent.`,
  });
}
