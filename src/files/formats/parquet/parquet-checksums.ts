/** Adds page checksums (parquet.apache.org: Data Pages, Checksumming), which hyparquet-writer omits. */
import { crc32 } from 'node:zlib';
import { readZigZag } from 'hyparquet/src/thrift.js';
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer';

type EncodedColumn = ParquetWriter['pendingIndexes'][number];

export function addChecksums(
  bytes: ByteWriter,
  start: Pick<ByteWriter, 'index' | 'offset'>,
  columns: readonly EncodedColumn[],
  group: RowGroup,
): void {
  const encoded = bytes.getBytes().slice(start.index);
  bytes.index = start.index;
  bytes.offset = start.offset;
  for (const { chunk, offsetIndex } of columns) {
    const { meta_data: meta } = chunk;
    if (!meta) continue;
    const first = Number(chunk.file_offset);
    const dataStart = Number(meta.data_page_offset);
    const end = first + Number(meta.total_compressed_size);
    const locations = offsetIndex?.page_locations ?? [];
    const starts = [
      ...(dataStart > first ? [first] : []),
      dataStart,
      ...locations.slice(1).map(({ offset }) => Number(offset)),
    ];
    chunk.file_offset = BigInt(bytes.offset);
    const moved = starts.map((from, at) => {
      const offset = bytes.offset;
      appendWithChecksum(
        bytes,
        encoded.subarray(from - start.offset, (starts[at + 1] ?? end) - start.offset),
      );
      return { offset: BigInt(offset), size: bytes.offset - offset };
    });
    const [dictionary] = dataStart > first ? moved.splice(0, 1) : [];
    if (dictionary) meta.dictionary_page_offset = dictionary.offset;
    meta.data_page_offset = moved[0]?.offset ?? meta.data_page_offset;
    locations.forEach((location, at) => {
      location.offset = moved[at]?.offset ?? location.offset;
      location.compressed_page_size = moved[at]?.size ?? location.compressed_page_size;
    });
    const added = BigInt(bytes.offset) - chunk.file_offset - meta.total_compressed_size;
    meta.total_compressed_size += added;
    meta.total_uncompressed_size += added;
    group.total_byte_size += added;
  }
  group.total_compressed_size = BigInt(bytes.offset - start.offset);
}

type RowGroup = ParquetWriter['row_groups'][number];

/** Thrift compact header of an i32 field with the next field number. */
const NEXT_I32 = 0x15;
const ONE_FIELD = 0x10;
const FIELDS_BEFORE = 3;

/** Appends a page with a checksum as field 4. The next field's number is relative to field 4. */
function appendWithChecksum(bytes: ByteWriter, page: Uint8Array): void {
  const reader = { view: new DataView(page.buffer, page.byteOffset, page.length), offset: 0 };
  let packed = 0;
  for (let field = 0; field < FIELDS_BEFORE; field++) {
    if (page[reader.offset++] !== NEXT_I32)
      throw new Error('hyparquet-writer writes another page header than it did');
    packed = readZigZag(reader);
  }
  const { offset } = reader;
  bytes.appendBytes(page.subarray(0, offset));
  bytes.appendUint8(NEXT_I32);
  bytes.appendZigZag(crc32(page.subarray(page.length - packed)) | 0);
  bytes.appendUint8((page[offset] ?? 0) - ONE_FIELD);
  bytes.appendBytes(page.subarray(offset + 1));
}
