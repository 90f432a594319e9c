/**
 * Streams a ZIP archive (PKWARE APPNOTE 6.3) that can be rolled back: an entry consists of independent
 * pieces, each ending at a byte boundary (Z_SYNC_FLUSH).
 */
import { constants, crc32, createDeflateRaw } from 'node:zlib';
import { UsageError } from '#base/errors';
import type { ByteSink } from '#files/formats/document-sink';
import { createGatherer, type Encoder, encoderOf } from '#files/formats/gatherer';

interface Entry {
  name: Buffer;
  offset: number;
  crc: number;
  packed: number;
  size: number;
}

/** Maximum size in bytes without ZIP64. */
const MOST_BYTES = 0xffff_ffff;
/** Date of all entries: 1980-01-01, the earliest. */
const DATE = 0x0021;
/** Empty last block (RFC 1951, 3.2.6) after the pieces. */
const END_OF_DATA = Buffer.from([0x03, 0x00]);
/** General-purpose flags of ZIP: names are UTF-8, and the sizes and the checksum follow the data. */
const FLAGS = 0x0800 | 0x0008;

/** Creates an archive. Its methods throw the sink's errors, and UsageError beyond 4 GiB. */
export function createZipStream(bytes: Pick<ByteSink, 'write' | 'checkpoint'>) {
  const entries: Entry[] = [];
  let offset = 0;
  let open: Entry | undefined;
  let piece = createGatherer(createPiece(), put);

  async function put(data: Uint8Array): Promise<void> {
    offset += data.length;
    if (open) open.packed += data.length;
    if (offset > MOST_BYTES) throw tooLarge();
    await bytes.write(data);
  }

  function createPiece(): Encoder {
    const encoder = encoderOf(createDeflateRaw({ finishFlush: constants.Z_SYNC_FLUSH }));
    const encode = (data: Uint8Array) => {
      if (open) {
        open.crc = crc32(data, open.crc);
        open.size += data.length;
        if (open.size > MOST_BYTES) throw tooLarge();
      }
      return encoder.encode(data);
    };
    return { ...encoder, encode: async (data) => encode(data) };
  }

  async function finish(): Promise<void> {
    if (!open) return;
    await piece.end();
    await put(END_OF_DATA);
    const entry = open;
    open = undefined;
    await put(layOut([4, 0x08074b50], ...sizesOf(entry)));
  }

  return {
    async begin(name: string) {
      await finish();
      piece = createGatherer(createPiece(), put);
      const entry = { name: Buffer.from(name), offset, crc: 0, packed: 0, size: 0 };
      entries.push(entry);
      await put(Buffer.concat([layOut([4, 0x04034b50], ...commonFields(entry, NO_SIZES)), entry.name]));
      open = entry;
    },
    write: (data: string | Uint8Array) => piece.write(data),
    async checkpoint() {
      if (piece.touched()) await piece.end();
      piece = createGatherer(createPiece(), put);
      const before = { ...open, offset };
      const rewindBytes = await bytes.checkpoint?.();
      return async () => {
        await piece.settled();
        await rewindBytes?.();
        offset = before.offset;
        if (open) Object.assign(open, { crc: before.crc, packed: before.packed, size: before.size });
        piece = createGatherer(createPiece(), put);
      };
    },
    async end() {
      await finish();
      const start = offset;
      for (const each of entries) await put(Buffer.concat([centralHeader(each), each.name]));
      await put(endOfDirectory(entries.length, start, offset - start));
    },
  };
}

function tooLarge(): UsageError {
  return new UsageError(
    'the workbook would be larger than 4 GiB, which no spreadsheet application can open',
    {
      hint: 'Select fewer columns with --fields, choose a shorter range, or write a .csv.gz file.',
    },
  );
}

type Field = readonly [bytes: 2 | 4, value: number];

function layOut(...fields: readonly Field[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [size]) => sum + size, 0));
  let at = 0;
  for (const [size, value] of fields) at = bytes.writeUIntLE(value, at, size);
  return bytes;
}

const NONE: Field = [2, 0];

type Sizes = Pick<Entry, 'crc' | 'packed' | 'size'>;

const NO_SIZES: Sizes = { crc: 0, packed: 0, size: 0 };

function sizesOf({ crc, packed, size }: Sizes): Field[] {
  return [crc, packed, size].map((value) => [4, value]);
}

function centralHeader(entry: Entry): Buffer {
  const external: Field = [4, 0];
  const common = commonFields(entry, entry);
  return layOut([4, 0x02014b50], [2, 20], ...common, NONE, NONE, NONE, external, [4, entry.offset]);
}

function commonFields({ name }: Entry, sizes: Sizes): Field[] {
  return [[2, 20], [2, FLAGS], [2, 8], NONE, [2, DATE], ...sizesOf(sizes), [2, name.length], NONE];
}

function endOfDirectory(entries: number, start: number, size: number): Buffer {
  return layOut([4, 0x06054b50], NONE, NONE, [2, entries], [2, entries], [4, size], [4, start], NONE);
}
