/**
 * Streams a ZIP archive (PKWARE APPNOTE 6.3) that can be rolled back. The last entry consists of independent
 * pieces that each end at a byte (Z_SYNC_FLUSH).
 */
import { constants, crc32, createDeflateRaw, deflateRawSync } from 'node:zlib';
import { UsageError } from '#base/errors';
import type { ByteSink } from '#files/formats/document-sink';
import { createGatherer, type Encoder, encoderOf } from '#files/formats/gatherer';

interface Entry {
  name: Buffer;
  offset: number;
  /** General-purpose flag bit 3 of ZIP: the sizes and the checksum follow the data. */
  streamed: boolean;
  crc: number;
  packed: number;
  size: number;
}

/** Maximum size without ZIP64. */
const MOST_BYTES = 0xffff_ffff;
/** Date of all entries: 1980-01-01, the earliest. */
const DATE = 0x0021;
/** Empty last block (RFC 1951, 3.2.6), which completes the pieces. */
const END_OF_DATA = Buffer.from([0x03, 0x00]);
const UTF8 = 0x0800;
const SIZES_BEHIND = 0x0008;

/** Creates an archive. Throws the sink's errors, and UsageError beyond 4 GiB. */
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

  async function addHeader(entry: Entry): Promise<void> {
    entries.push(entry);
    await put(Buffer.concat([localHeader(entry), entry.name]));
  }

  return {
    async add(name: string, text: string) {
      const data = Buffer.from(text);
      const packed = deflateRawSync(data);
      const sizes = { crc: crc32(data), packed: packed.length, size: data.length };
      await addHeader({ name: Buffer.from(name), offset, streamed: false, ...sizes });
      await put(packed);
    },
    async begin(name: string) {
      const entry = { name: Buffer.from(name), offset, streamed: true, crc: 0, packed: 0, size: 0 };
      await addHeader(entry);
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
      await piece.end();
      await put(END_OF_DATA);
      const entry = open;
      open = undefined;
      if (entry) await put(dataDescriptor(entry));
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

function localHeader({ name, streamed, crc, packed, size }: Entry): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, {
    name,
    streamed,
    ...(streamed ? { crc: 0, packed: 0, size: 0 } : { crc, packed, size }),
  });
  return header;
}

function centralHeader(entry: Entry): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(20, 4);
  writeCommon(header, 6, entry);
  header.writeUInt32LE(entry.offset, 42);
  return header;
}

function writeCommon(
  header: Buffer,
  at: number,
  { name, streamed, crc, packed, size }: Omit<Entry, 'offset'>,
): void {
  header.writeUInt16LE(20, at);
  header.writeUInt16LE(UTF8 | (streamed ? SIZES_BEHIND : 0), at + 2);
  header.writeUInt16LE(8, at + 4);
  header.writeUInt16LE(DATE, at + 8);
  header.writeUInt32LE(crc, at + 10);
  header.writeUInt32LE(packed, at + 14);
  header.writeUInt32LE(size, at + 18);
  header.writeUInt16LE(name.length, at + 22);
}

function dataDescriptor({ crc, packed, size }: Entry): Buffer {
  const descriptor = Buffer.alloc(16);
  for (const [index, value] of [0x08074b50, crc, packed, size].entries())
    descriptor.writeUInt32LE(value, 4 * index);
  return descriptor;
}

function endOfDirectory(entries: number, start: number, size: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(start, 16);
  return end;
}
