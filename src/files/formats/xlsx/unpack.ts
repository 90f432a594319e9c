import { crc32 } from 'node:zlib';
import { Inflate } from 'fflate';
import { UsageError } from '#base/errors';
import { startsWith } from '#files/formats/formats';

const MOST_UNPACKED = 256 * 2 ** 20;
/** Maximum size of a part that is held whole: any part except rows and shared strings. */
const MOST_WHOLE = 16 * 2 ** 20;

/** Maximum compression factor of a part larger than MOST_WHOLE, as in Apache POI. */
const MOST_PACKED = 100;

const HINT =
  'No changes were made. Save the file as .xlsx without a password or as CSV UTF-8, then run the command again.';

export function refuseWorkbook(name: string, what: string, cause?: unknown): never {
  throw new UsageError(`${name} ${what}`, { hint: HINT, cause });
}

export type Parts = ReturnType<typeof openArchive>;

/** Opens a workbook. Throws UsageError for other files. Its methods throw it for a large or damaged part. */
export function openArchive(bytes: Uint8Array, name: string) {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // Signature of .xls files and of workbooks with a password.
  if (startsWith(data, [0xd0, 0xcf, 0x11, 0xe0])) {
    const isEncrypted = data.includes(Buffer.from('EncryptedPackage', 'utf16le'));
    refuseWorkbook(name, isEncrypted ? 'is password-protected' : 'is in the old Excel format (.xls)');
  }
  if (!startsWith(data, [0x50, 0x4b, 0x03, 0x04]))
    refuseWorkbook(name, 'is not a workbook, despite its extension (possibly a renamed CSV file)');
  const entries = readEntries(data, name);
  let unpacked = 0;

  function* pieces(path: string): Generator<string> {
    const entry = entries.get(path);
    if (!entry) return;
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let checksum = 0;
    let own = 0;
    try {
      for (const piece of inflate(entry)) {
        unpacked += piece.length;
        own += piece.length;
        if (own > MOST_WHOLE && own > MOST_PACKED * entry.data.length)
          refuseWorkbook(
            name,
            `has a part compressed by a factor above ${MOST_PACKED}, which no spreadsheet application does`,
          );
        if (unpacked > MOST_UNPACKED)
          refuseWorkbook(name, `is larger than ${MOST_UNPACKED / 2 ** 20} MiB when uncompressed`);
        checksum = crc32(piece, checksum);
        yield decoder.decode(piece, { stream: true });
      }
      if (checksum !== entry.checksum) refuseWorkbook(name, 'is damaged: a checksum is wrong');
      yield decoder.decode();
    } catch (error) {
      if (error instanceof UsageError) throw error;
      refuseWorkbook(name, 'is damaged: it cannot be decompressed', error);
    }
  }

  function whole(path: string): string | undefined {
    if (!entries.has(path)) return undefined;
    let text = '';
    for (const piece of pieces(path)) {
      text += piece;
      refuseLarge(text, name);
    }
    return text;
  }

  if (whole('mimetype')?.includes('opendocument')) refuseWorkbook(name, 'is an OpenDocument file (.ods)');
  return { whole, pieces: (path: string) => (entries.has(path) ? pieces(path) : undefined) };
}

export function refuseLarge(text: string, name: string): void {
  if (text.length > MOST_WHOLE)
    refuseWorkbook(name, `has a part other than its rows that is larger than ${MOST_WHOLE / 2 ** 20} MiB`);
}

/** Number of compressed bytes to unpack at once. They expand to about 4 MiB at most. */
const PACKED_BYTES = 4096;

const STORED = 0;
const DEFLATED = 8;

function* inflate({ method, data }: Entry): Generator<Uint8Array> {
  if (method === STORED) return yield data;
  if (method !== DEFLATED) throw new Error(`packed by method ${method}`);
  let made: Uint8Array[] = [];
  let isWhole = false;
  const stream = new Inflate((piece, isLast) => {
    made.push(piece);
    isWhole = isLast;
  });
  for (let at = 0; at < data.length; at += PACKED_BYTES) {
    stream.push(data.subarray(at, at + PACKED_BYTES), at + PACKED_BYTES >= data.length);
    const pieces = made;
    made = [];
    yield* pieces;
  }
  if (!isWhole) throw new Error('it ends early');
}

interface Entry {
  method: number;
  data: Uint8Array;
  checksum: number;
}

/** Reads the central directory (PKWARE APPNOTE 6.3, 4.3.7 and 4.3.12). */
function readEntries(data: Buffer, name: string): Map<string, Entry> {
  const end = data.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + 22 > data.length) refuseWorkbook(name, 'is damaged: the end of the file is missing');
  const count = data.readUInt16LE(end + 10);
  let at = data.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffff_ffff)
    refuseWorkbook(name, 'is a ZIP64 archive, which is not supported');
  const entries = new Map<string, Entry>();
  for (let entry = 0; entry < count; entry++) {
    if (at + 46 > end) refuseWorkbook(name, 'is damaged: its list of parts is incomplete');
    const length = data.readUInt16LE(at + 28);
    const local = data.readUInt32LE(at + 42);
    if (local + 30 > end) refuseWorkbook(name, 'is damaged: a part begins after the end of the file');
    const start = local + 30 + data.readUInt16LE(local + 26) + data.readUInt16LE(local + 28);
    entries.set(data.toString('utf8', at + 46, at + 46 + length), {
      method: data.readUInt16LE(at + 10),
      data: data.subarray(start, start + data.readUInt32LE(at + 20)),
      checksum: data.readUInt32LE(at + 16),
    });
    at += 46 + length + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32);
  }
  return entries;
}
