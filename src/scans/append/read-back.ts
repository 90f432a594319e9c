import { basename } from 'node:path';
import { LINE_FEED, QUOTE } from '#base/text/ascii';
import { quote } from '#base/text/quote';
import { type DiskFile, readPieces } from '#files/durable/disk';
import type { TimedRows } from '#files/formats/row-sink';
import { type OpenJob, orRestart, refusal } from './current-state.ts';
import type { AppendIdentity } from './identity.ts';
import { addRow, type CodeOverlap, forgetOldIds, overlapOf } from './overlap.ts';
import { createCsvParser, createNdjsonParser, type SavedRow, UnrecognizedRowError } from './row-parsers.ts';

/** Byte range. If `strict`, rows must have all columns, and bytes after the last row must begin a row. */
interface Stretch {
  start: number;
  end: number;
  strict?: boolean;
  signal?: AbortSignal;
}

/** Reads complete rows. Returns their end offset. Throws UnrecognizedRowError for other complete lines. */
export async function readRows(
  file: DiskFile,
  { start, end, strict = false, signal }: Stretch,
  identity: AppendIdentity,
  onRow: (row: SavedRow) => void,
): Promise<number> {
  const parse =
    identity.format === 'csv' ? await createCsvParser(identity) : createNdjsonParser(identity, strict);
  let offset = start;
  for await (const block of wholeLines(readPieces(file, start, end, signal), identity.format === 'csv')) {
    for (const row of await parse(block.toString())) onRow(row);
    offset += block.length;
  }
  if (strict && !(await mayBeginRow(file, offset, identity)))
    throw new UnrecognizedRowError('a last line that is not part of a scan');
  return offset;
}

/** A21: counts rows that a stopped run left, even if a power cut lost some; undefined for other data. */
export async function countUncommittedRows(
  file: DiskFile,
  stretch: Stretch,
  identity: AppendIdentity,
): Promise<number | undefined> {
  let rows = 0;
  try {
    await readRows(file, { ...stretch, strict: true }, identity, ({ code }) => {
      if (code !== undefined && !identity.all && !identity.codes.includes(code))
        throw new UnrecognizedRowError(`a row of another code, ${quote(code)}`);
      rows++;
    });
  } catch (error) {
    if (!(error instanceof UnrecognizedRowError)) throw error;
    if (!(await hasLostBlock(file, stretch))) return undefined;
  }
  return rows;
}

async function mayBeginRow(file: DiskFile, start: number, identity: AppendIdentity): Promise<boolean> {
  const { format, columns, dialect, all, codes } = identity;
  const incomplete = await readAt(file, start, BLOCK_BYTES);
  const [plain = ''] = incomplete.toString().split(/["\0]/, 1);
  if (format === 'ndjson') return plain === '' || plain === '{';
  const cells = plain.split(dialect.delimiter ?? ',');
  return cells.every((cell, at) => {
    if (columns[at] === 'id') return /^-?\d*\r?$/.test(cell);
    if (columns[at] === 'ts') return /^[-+:.,\dtz ]*\r?$/i.test(cell);
    if (columns[at] === 'qr_id') return all || codes.some((code) => code.startsWith(cell));
    return at < columns.length;
  });
}

export async function readAt(file: DiskFile, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, start);
  return bytes;
}

const BLOCK_BYTES = 512;

async function hasLostBlock(file: DiskFile, { start, end, signal }: Stretch): Promise<boolean> {
  for (let from = start, to = start; from < end; from = to) {
    to += BLOCK_BYTES - (from % BLOCK_BYTES);
    let isLost = true;
    for await (const piece of readPieces(file, from, to, signal))
      isLost &&= piece.every((byte) => byte === 0);
    if (isLost) return true;
  }
  return false;
}

export interface OwnershipProof {
  id: string;
  timeMs: number;
}

export interface RebuildJob extends Pick<OpenJob, 'identity' | 'begin' | 'overlapMs' | 'signal'> {
  file: DiskFile;
  size: number;
}

/** A14: rebuilds a lost state from the whole file, or throws UnrecognizedRowError. */
export async function rebuild(job: RebuildJob) {
  const { file, size, identity, begin, overlapMs, signal } = job;
  const start = await checkBeginning(file, size, identity, begin);
  const overlaps = new Map<string, CodeOverlap>();
  const codes = new Set(identity.codes);
  const isAlone = !identity.columns.includes('qr_id');
  let oldestMs: number | undefined;
  let proof: OwnershipProof | undefined;

  const bytes = await readRows(
    file,
    { start, end: size, strict: true, signal },
    identity,
    ({ code, id, timeMs }) => {
      if (code === undefined || !codes.has(code))
        throw new UnrecognizedRowError(`a row of another code, ${quote(`${code}`)}`);
      const overlap = overlapOf(overlaps, code);
      if (overlap.ids.has(id)) throw new UnrecognizedRowError(`the row ${quote(id)} twice`);
      addRow(overlap, id, timeMs);
      forgetOldIds(overlap, overlapMs);
      if (oldestMs === undefined || timeMs < oldestMs) oldestMs = timeMs;
      if (isAlone && timeMs >= (proof?.timeMs ?? timeMs)) proof = { id, timeMs };
    },
  );
  return { bytes, overlaps, oldestMs, proof };
}

async function checkBeginning(
  file: DiskFile,
  size: number,
  identity: AppendIdentity,
  begin: string,
): Promise<number> {
  if (identity.format === 'csv' && !identity.dialect.header) throw new UnrecognizedRowError('no header');
  const expected = Buffer.from(begin);
  const found = await readAt(file, 0, Math.min(expected.length, size));
  if (!found.equals(expected)) throw new UnrecognizedRowError('different columns');
  return expected.length;
}

/** Returns the offset of the first row. Without `begin`, accepts any CSV header. */
export async function findFirstRow(
  file: DiskFile,
  size: number,
  identity: AppendIdentity,
  begin: string | undefined,
): Promise<number> {
  if (begin !== undefined) return checkBeginning(file, size, identity, begin);
  if (identity.format !== 'csv') return 0;
  const start = await readAt(file, 0, Math.min(LONGEST_HEADER, size));
  if (!identity.dialect.header) return start.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
  const end = start.indexOf(LINE_FEED);
  if (end < 0) throw new UnrecognizedRowError('no header');
  return end + 1;
}

const LONGEST_HEADER = 64 * 1024;
const BOM = Buffer.from('\ufeff');

/** Regroups pieces into complete lines. If `quoting`, a line feed in a quoted cell does not end a line. */
async function* wholeLines(pieces: AsyncIterable<Buffer>, quoting: boolean): AsyncGenerator<Buffer> {
  let left: Buffer[] = [];
  let quoted = false;
  for await (const piece of pieces) {
    let end = 0;
    for (let i = 0; i < piece.length; i++) {
      if (piece[i] === LINE_FEED && !quoted) end = i + 1;
      else if (piece[i] === QUOTE && quoting) quoted = !quoted;
    }
    if (end > 0) yield Buffer.concat([...left, piece.subarray(0, end)]);
    left = end > 0 ? [Buffer.from(piece.subarray(end))] : [...left, Buffer.from(piece)];
  }
}

/** A13: holds back rows until the service returns the newest row in the file (`proof`, if any). */
export function createOwnershipCheck(proof: OwnershipProof | undefined, path: string) {
  let wanted = proof;
  const waiting: TimedRows[] = [];
  const refuse = () =>
    refusal(
      path,
      'its state file is missing or damaged, and the service does not return the newest row in the file for this code',
      `Pass the code whose scans are in the file, restore ${basename(path)}.state.json from a backup, ${orRestart(path)}`,
    );

  return {
    release(batch: TimedRows): TimedRows[] {
      if (!wanted) return [batch];
      const { id, timeMs } = wanted;
      waiting.push(batch);
      if (batch.rows.some((row, i) => batch.times[i] === timeMs && String(row.id) === id)) {
        wanted = undefined;
        return waiting;
      }
      if (batch.times.some((time) => time > timeMs)) throw refuse();
      return [];
    },
    check(): void {
      if (wanted) throw refuse();
    },
  };
}
