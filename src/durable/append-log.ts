/**
 * A log on disk: lines that are only ever added, each one JSON object with a checksum of itself. What `append` has promised is still
 * there after a power cut; a line torn by one is recognised and dropped. People know it as the journal of a bulk run.
 */
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { LocalError, UsageError } from '../errors.ts';
import { type Disk, type DiskFile, type DiskStat, ifPresent, nodeDisk } from './disk.ts';
import { cannotOpen, cannotWrite } from './path-errors.ts';
import { createTrusted, isSameFile, openTrusted, realPath } from './trusted-file.ts';
import { writeFully } from './write.ts';

/** Records of type R; each begins with what it `is`, by which a log is told from any other file. */
export interface AppendLog<R extends { is: string }> {
  /** What was found on disk, in order. */
  readonly found: readonly R[];
  /** Adds records, in order. Resolved when they, and all before them, are on disk. Calls made meanwhile share the next flush. Throws LocalError. */
  append(records: readonly R[]): Promise<void>;
  /** As `append`, for what nobody waits for: written now, on disk with what is appended next. A failure is told then, and by `close`. */
  note(records: readonly R[]): void;
  /** Waits for what is being written, then closes. */
  close(): Promise<void>;
}

/** What a person can do, in the words of the command whose log it is. */
interface LogAdvice {
  /** Where the path is to blame. */
  elsewhere: string;
  /** Where what stands there is no whole log. */
  damaged: string;
}

/**
 * Opens the log at `path`, making an empty one where there is none; the caller holds its lock. Throws UsageError, and leaves the file
 * alone, when what stands there is no whole log.
 */
export async function openAppendLog<R extends { is: string }>(
  path: string,
  advice: LogAdvice,
  disk: Disk = nodeDisk,
): Promise<AppendLog<R>> {
  const file = await openOrCreate(disk, path).catch((error) => {
    throw cannotOpen(taskOf(path), error, advice.elsewhere);
  });
  try {
    const { records, length } = parseLines<R>(await readWhole(file), path, advice);
    // D9: what a killed run left half written must not become the beginning of our first line.
    await file.truncate(length);
    return { found: records, ...createAppender<R>({ disk, file, path, start: length }) };
  } catch (error) {
    await file.close();
    throw cannotWrite(taskOf(path), error, 'nothing was changed');
  }
}

/** Makes a log that keeps nothing: of a run that cannot be resumed, because its input cannot be read twice. */
export function createVolatileLog<R extends { is: string }>(): AppendLog<R> {
  return { found: [], append: async () => undefined, note: () => undefined, close: async () => undefined };
}

/** What a log holds, without touching it; nothing where there is none. Throws UsageError as `openAppendLog`. */
export async function readAppendLog<R extends { is: string }>(
  path: string,
  advice: LogAdvice,
  disk: Disk = nodeDisk,
): Promise<readonly R[]> {
  try {
    const bytes = await ifPresent(disk.readFile(path));
    return bytes ? parseLines<R>(bytes, path, advice).records : [];
  } catch (error) {
    throw cannotOpen(`read the journal ${path}`, error, advice.elsewhere);
  }
}

function taskOf(path: string): string {
  return `write the journal ${path}`;
}

async function openOrCreate(disk: Disk, path: string): Promise<DiskFile> {
  // D14: a link at its end is not followed, and on the way only such as nobody can lure us by.
  const place = join(await realPath(disk, dirname(path)), basename(path));
  const file = (await openTrusted(disk, place)) ?? (await createTrusted(disk, place));
  // D8: or records could be lost with the file's very name. One that is found may be of a run that ended before it came to this.
  await disk.flushDirectory(dirname(place));
  return file;
}

async function readWhole(file: DiskFile): Promise<Buffer> {
  const bytes = Buffer.alloc((await file.stat()).size);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, at);
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}

/** `{…,"crc":"0a1b2c3d"}`: CRC-32 of the line up to the comma before `"crc"`. */
function formatLine(record: object): string {
  const text = JSON.stringify(record).slice(0, -1);
  return `${text},"crc":"${checksum(text)}"}\n`;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

const LINE = /^(.*),"crc":"([0-9a-f]{8})"}$/s;

/** The record of a line without its line feed, or undefined when the line is not whole. */
function parseLine<R extends object>(line: string): R | undefined {
  const [, text, crc] = LINE.exec(line) ?? [];
  if (text === undefined || checksum(text) !== crc) return undefined;
  try {
    return JSON.parse(`${text}}`);
  } catch {
    return undefined; // none of ours, whoever worked out its checksum
  }
}

const LINE_FEED = 0x0a;
/** How every log begins. */
const BEGINNING = Buffer.from('{"is":');

/**
 * The whole lines and how many bytes they take. D10: only a tail may be broken. It was being written when the machine stopped, so nothing
 * that depends on it was done; damage further up could hide something that was, so it is refused.
 */
function parseLines<R extends object>(
  bytes: Buffer,
  path: string,
  { damaged: hint }: LogAdvice,
): { records: R[]; length: number } {
  const records: R[] = [];
  let length = 0;
  let brokenAtLine = 0;
  for (let line = 1, start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end < 0) break;
    const record = parseLine<R>(bytes.toString('utf8', start, end));
    start = end + 1;
    if (record && brokenAtLine > 0) throw new UsageError(`${path} is damaged at line ${brokenAtLine}`, { hint });
    if (record) {
      records.push(record);
      length = start;
    } else if (brokenAtLine === 0) brokenAtLine = line;
  }
  const isOurs = records.length > 0 || (brokenAtLine === 0 && isBeginning(bytes));
  if (!isOurs) throw new UsageError(`${path} is not a journal of qrctl`, { hint });
  return { records, length };
}

/**
 * Refuses a log with a line behind the first that is of no shape which a run writes, whatever its checksum says; the first is for its owner to
 * look at, who knows what the log is bound to.
 *
 * @throws UsageError that names the line
 */
export function refuseOtherShapes<R>(path: string, found: readonly R[], hasShape: (record: R) => boolean, hint: string): void {
  const at = found.findIndex((record, index) => index > 0 && !hasShape(record));
  if (at !== -1) throw new UsageError(`${path} is damaged at line ${at + 1}: it holds what no run writes`, { hint });
}

/** A first line that was being written: a part of it, or zeros in its place, as a power cut leaves where the length came first. */
function isBeginning(bytes: Buffer): boolean {
  const found = bytes.subarray(0, BEGINNING.length);
  return found.every((byte, i) => byte === BEGINNING[i] || byte === 0);
}

/** One flush at a time; what is added while it runs goes with the next, so that parallel rows share the disk's slowness. */
function createAppender<R extends object>(log: { disk: Disk; file: DiskFile; path: string; start: number }) {
  const { disk, file, path } = log;
  let position = log.start;
  let waiting: string[] = [];
  let writing: Promise<void> = Promise.resolve();
  /** What was only noted is written, and not on disk for good. */
  let unflushed = false;
  let next: { done: Promise<void>; flush: boolean } | undefined;

  async function write(flush: boolean): Promise<void> {
    const bytes = Buffer.from(waiting.join(''));
    waiting = [];
    try {
      const ours = await expectSize(file, path, position);
      await writeFully(file, bytes, position);
      position += bytes.length;
      unflushed = !flush;
      if (!flush) return;
      // D8: the promise of `append`. From here on a power cut cannot take it back.
      await Promise.all([file.datasync(), expectFindable(disk, ours, path)]);
    } catch (cause) {
      throw cannotWrite(taskOf(path), cause, 'what it says is safe');
    }
  }

  function add(records: readonly R[], flush: boolean): Promise<void> {
    // All or none: a record that JSON cannot say fails before any is taken.
    for (const line of records.map(formatLine)) waiting.push(line);
    if (!next) {
      const turn = { done: writing, flush: false };
      next = turn;
      // D11: after a failed flush what is on disk is not known, so every later one fails with it.
      turn.done = writing.then(() => {
        next = undefined;
        return write(turn.flush);
      });
      writing = turn.done;
      writing.catch(() => undefined); // told to those who wait for it
    }
    next.flush ||= flush;
    return next.done;
  }

  return {
    append: (records: readonly R[]) => add(records, true),
    note(records: readonly R[]): void {
      add(records, false).catch(() => undefined); // told at the next append
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

/** D15: nobody has cut the log or added to it: else what is written next would hide that. Gives which file it is. Throws LocalError. */
async function expectSize(file: DiskFile, path: string, size: number): Promise<DiskStat> {
  const ours = await file.stat();
  if (ours.size !== size) throw tampered(path, 'changed by somebody else');
  return ours;
}

/** D15: what is promised is where the next run will look for it. Throws LocalError where the file was moved or removed. */
async function expectFindable(disk: Disk, ours: DiskStat, path: string): Promise<void> {
  if (!isSameFile(ours, await ifPresent(disk.stat(path)))) throw tampered(path, 'moved or removed');
}

function tampered(path: string, what: string): LocalError {
  return new LocalError(`the journal ${path} was ${what} while this run was writing it`, {
    hint: 'put it back as it was before you run this again; without it nobody knows what was sent',
  });
}
