/**
 * A journal on disk: lines that are only ever added, each one JSON object with a checksum of itself. What `append` has promised
 * is still there after a power cut; a line torn by one is recognised and dropped.
 */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { LocalError, UsageError } from '../errors.ts';
import { flushDirectory, systemCode, writeFully } from './write.ts';

export interface JournalFile<R extends object> {
  /** What was found on disk, in order. */
  readonly found: readonly R[];
  /** Adds records, in order. Resolved when they are on disk. Calls made meanwhile share the next flush. Throws LocalError. */
  append(records: readonly R[]): Promise<void>;
  /** Waits for what is being written, then closes. */
  close(): Promise<void>;
}

/** Opens a journal, making an empty one where there is none. Throws UsageError when what stands there is no whole journal. */
export async function openJournalFile<R extends object>(path: string): Promise<JournalFile<R>> {
  const file = await openOrCreate(path);
  try {
    if (!(await file.stat()).isFile())
      throw new UsageError(`the journal ${path} is not a file`, { hint: 'name other --results' });
    const { records, length } = parseLines<R>(await file.readFile('utf8'), path);
    // What a killed run left half written must not become the beginning of our first line.
    await file.truncate(length);
    return { found: records, ...createAppender<R>(file, path, length) };
  } catch (error) {
    await file.close();
    throw systemCode(error) === undefined ? error : new LocalError(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** What a journal holds, without touching it; nothing where there is none. Throws UsageError as `openJournalFile`. */
export async function readJournalFile<R extends object>(path: string): Promise<readonly R[]> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (systemCode(error) === 'ENOENT') return '';
    throw cannotOpen(path, error);
  });
  return parseLines<R>(text, path).records;
}

async function openOrCreate(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+').catch(async (error) => {
      if (systemCode(error) !== 'ENOENT') throw error;
      const created = await open(path, 'wx+');
      await flushDirectory(dirname(path)); // or the first intents could be lost with the file's very name
      return created;
    });
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

/** What is wrong with the place itself; anything else is the disk's fault. */
const WRONG_PLACE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'EROFS', 'ELOOP', 'ENAMETOOLONG', 'EINVAL']);

function cannotOpen(path: string, cause: unknown): UsageError | LocalError {
  const message = `cannot open the journal ${path}: ${messageOf(cause)}`;
  if (!WRONG_PLACE.has(systemCode(cause) ?? '')) return new LocalError(message, { cause });
  return new UsageError(message, { hint: 'name another place with --results', cause });
}

/** `{…,"crc":"0a1b2c3d"}`: CRC-32 of the line up to the comma before `"crc"`. */
function formatLine(record: object): string {
  const text = JSON.stringify(record).slice(0, -1);
  return `${text},"crc":"${checksum(text)}"}\n`;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

const LINE = /^(.*),"crc":"([0-9a-f]{8})"}$/;

/** The record of a line without its line feed, or undefined when the line is not whole. */
function parseLine<R extends object>(line: string): R | undefined {
  const [, text, crc] = LINE.exec(line) ?? [];
  return text !== undefined && checksum(text) === crc ? JSON.parse(`${text}}`) : undefined;
}

/**
 * The whole lines and how many bytes they take. Only a tail may be broken: it was being written when the machine stopped, so
 * nothing that depends on it was sent. Damage further up could hide a code that was created, so it is refused.
 */
function parseLines<R extends object>(text: string, path: string): { records: R[]; length: number } {
  const records: R[] = [];
  const lines = text.split('\n');
  const unfinished = lines.pop() ?? '';
  const broken = lines.findIndex((line) => {
    const record = parseLine<R>(line);
    if (record) records.push(record);
    return !record;
  });
  const torn = broken < 0 ? [] : lines.slice(broken);
  const foreign = records.length === 0 && (torn.length > 0 || !'{"is":'.startsWith(unfinished.slice(0, 6)));
  if (foreign || torn.some((line) => parseLine(line) !== undefined)) {
    throw new UsageError(foreign ? `${path} is not a journal of qrctl` : `${path} is damaged at line ${broken + 1}`, {
      hint: 'name another place with --results; to create only what is missing, add --skip-existing',
    });
  }
  return {
    records,
    length: Buffer.byteLength(
      lines
        .slice(0, records.length)
        .map((line) => `${line}\n`)
        .join(''),
    ),
  };
}

/** One flush at a time; what is added while it runs goes with the next, so that parallel rows share the disk's slowness. */
function createAppender<R extends object>(file: FileHandle, path: string, start: number) {
  let position = start;
  let waiting: string[] = [];
  let flushing: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function flush(): Promise<void> {
    const bytes = Buffer.from(waiting.join(''));
    waiting = [];
    next = undefined;
    try {
      await writeFully(file, bytes, position);
      position += bytes.length;
      await file.datasync(); // the promise of `append`: from here on a power cut cannot take it back
    } catch (cause) {
      throw new LocalError(`cannot write the journal ${path}: ${messageOf(cause)}`, {
        hint: 'make room on the disk and run this again: it goes on where it stopped',
        cause,
      });
    }
  }

  return {
    append(records: readonly R[]): Promise<void> {
      waiting.push(...records.map(formatLine));
      if (!next) {
        // After a failed flush what is on disk is not known, so every later one fails with it.
        next = flushing.then(flush);
        flushing = next;
        next.catch(() => undefined); // told to those who wait for it
      }
      return next;
    },
    async close(): Promise<void> {
      try {
        await flushing;
      } finally {
        await file.close();
      }
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
