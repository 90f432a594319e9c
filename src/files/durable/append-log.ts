import { basename, dirname, join } from 'node:path';
import { LocalError } from '#base/errors';
import { type Disk, type DiskFile, ifPresent, readPieces } from './disk.ts';
import { createLineReader, formatLine } from './log-lines.ts';
import { nodeDisk } from './node-disk.ts';
import { cannotOpen, cannotWrite } from './path-errors.ts';
import { createTrusted, isSameFile, openTrusted, realPath } from './trusted-file.ts';
import { truncateTo, writeFully } from './write.ts';

export interface LogWriter<R extends { is: string }> {
  /** Appends records; resolves when they are durable. */
  append(records: readonly R[]): Promise<void>;
  /** Queues records. The next `append` or `close` makes them durable and reports their failure. */
  note(records: readonly R[]): void;
  close(): Promise<void>;
}

export interface LogAdvice {
  elsewhere: string;
  damaged: string;
  noun: string;
}

interface LogPlace<R> {
  path: string;
  advice: LogAdvice;
  disk?: Disk;
  take: (record: R) => void;
}

/** Opens or creates a log, and passes its records to `take`. The caller must hold the log's lock. */
export async function openLog<R extends { is: string }>(place: LogPlace<R>): Promise<LogWriter<R>> {
  const { path, advice, disk = nodeDisk, take } = place;
  const file = await openOrCreate(disk, path).catch((error) => {
    throw cannotOpen(taskOf(path, advice), error, advice.elsewhere);
  });
  try {
    const reader = createLineReader(path, advice, take);
    for await (const piece of readPieces(file, 0, (await file.stat()).size)) reader.add(piece);
    const length = reader.end();
    // D9: removes the partial line of a killed run, which the next line would continue.
    await truncateTo(file, length);
    return createAppender<R>(disk, file, place, length);
  } catch (error) {
    await file.close();
    throw cannotWrite(taskOf(path, advice), error, 'no changes were made');
  }
}

export function createVolatileLog<R extends { is: string }>(): LogWriter<R> {
  return { append: async () => undefined, note: () => undefined, close: async () => undefined };
}

export async function readLog<R extends { is: string }>(place: LogPlace<R>): Promise<void> {
  const { path, advice, disk = nodeDisk, take } = place;
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
  // D14: does not follow links that another user can abuse.
  const place = join(await realPath(disk, dirname(path)), basename(path));
  const file = (await openTrusted(disk, place)) ?? (await createTrusted(disk, place));
  // D8: a power cut could remove an unflushed name, even of an existing file.
  await disk.flushDirectory(dirname(place));
  return file;
}

/** Creates a group-commit writer: records added during a flush share the next flush. */
function createAppender<R extends { is: string }>(
  disk: Disk,
  file: DiskFile,
  { path, advice }: Pick<LogPlace<R>, 'path' | 'advice'>,
  start: number,
): LogWriter<R> {
  let position = start;
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
      // D8: after this flush, a power cut can't remove the records.
      const [, found] = await Promise.all([file.datasync(), ifPresent(disk.stat(path))]);
      // D15: throws if the log is no longer at `path`, where the next run must find it.
      if (!isSameFile(ours, found)) throw tampered(path, advice, 'moved or removed');
    } catch (cause) {
      throw cannotWrite(taskOf(path, advice), cause, 'all earlier records are saved');
    }
  }

  function add(records: readonly R[], flush: boolean): Promise<void> {
    for (const line of records.map(formatLine)) waiting.push(line);
    if (!next) {
      const turn = { done: writing, flush: false };
      next = turn;
      // D11: after a failed write or flush, every later call fails with the same error.
      turn.done = writing.then(() => {
        next = undefined;
        return write(turn.flush);
      });
      writing = turn.done;
      writing.catch(() => undefined);
    }
    next.flush ||= flush;
    return next.done;
  }

  return {
    append: (records) => add(records, true),
    note(records) {
      add(records, false).catch(() => undefined);
    },
    async close() {
      try {
        await writing;
        if (unflushed || next) await add([], true);
      } finally {
        await file.close();
      }
    },
  };
}

function tampered(path: string, advice: LogAdvice, what: string): LocalError {
  const noun = advice.noun;
  return new LocalError(`the ${noun} ${path} was ${what} while this run was writing it`, {
    hint: `Restore the ${noun} first. Only the ${noun} records which requests were sent.`,
  });
}
