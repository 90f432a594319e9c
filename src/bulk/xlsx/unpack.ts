/** The parts of a workbook out of its archive, within bounds; and whatever else calls itself .xlsx, told apart. */
import { crc32 } from 'node:zlib';
import { unzipSync } from 'fflate';
import { UsageError } from '../../errors.ts';

/** Unpacked: an archive of a few kilobytes may claim terabytes. */
const MOST_UNPACKED = 256 * 2 ** 20;

const HINT = 'save it as an Excel workbook (.xlsx) without a password, or as CSV UTF-8, and run this again; nothing was sent';

/** @throws UsageError that names the file, and says in one line what is wrong with it. */
export function refuseWorkbook(name: string, what: string, cause?: unknown): never {
  throw new UsageError(`${name} ${what}`, { hint: HINT, cause });
}

const startsWith = (bytes: Uint8Array, start: readonly number[]) => start.every((byte, index) => bytes[index] === byte);

/** The older container: of .xls, and of workbooks with a password. */
function isCompound(bytes: Uint8Array): boolean {
  return startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0]);
}

/** Reads single parts as text; undefined where there is none of that name. Throws UsageError where the whole is too large, or damaged. */
export type Parts = (path: string) => string | undefined;

/** Throws UsageError for what is no workbook that can be read. */
export function openArchive(bytes: Uint8Array, name: string): Parts {
  if (isCompound(bytes)) {
    const isEncrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(
      Buffer.from('EncryptedPackage', 'utf16le'),
    );
    refuseWorkbook(name, isEncrypted ? 'is protected by a password' : 'is a workbook of the older kind (.xls)');
  }
  if (!startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]))
    refuseWorkbook(name, 'is not a workbook, whatever its name says: was a CSV file renamed?');
  const checksums = readChecksums(bytes, name);
  let unpacked = 0;
  const parts: Parts = (path) => {
    try {
      const found = unzipSync(bytes, {
        filter: (entry) => {
          if (entry.name !== path) return false;
          unpacked += entry.originalSize;
          if (unpacked > MOST_UNPACKED)
            refuseWorkbook(name, `holds more than ${MOST_UNPACKED / 2 ** 20} MiB when it is unpacked`);
          return true;
        },
      });
      const part = found[path];
      // The library does not look: a bit that turned over would be another letter of a name.
      if (part && crc32(part) !== checksums.get(path)) refuseWorkbook(name, 'is damaged: its checksum is wrong');
      return part && new TextDecoder('utf-8', { fatal: true }).decode(part);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      return refuseWorkbook(name, 'is damaged: it cannot be unpacked', error);
    }
  };
  const type = parts('mimetype');
  if (type?.includes('opendocument')) refuseWorkbook(name, 'is an OpenDocument file (.ods)');
  return parts;
}

/**
 * The checksum of each entry by its name, from the directory at the end (PKWARE APPNOTE 6.3, 4.3.12). The last record says how many entries
 * there are: the library believes it, and would look for billions. Throws UsageError where there are not so many.
 */
function readChecksums(bytes: Uint8Array, name: string): Map<string, number> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = data.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + 22 > data.length) refuseWorkbook(name, 'is damaged: its end is missing');
  const count = data.readUInt16LE(end + 10);
  let at = data.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffff_ffff) refuseWorkbook(name, 'is an archive of a form that no workbook needs (ZIP64)');
  const checksums = new Map<string, number>();
  for (let entry = 0; entry < count; entry++) {
    if (at + 46 > end) refuseWorkbook(name, 'is damaged: it has fewer parts than it says');
    const length = data.readUInt16LE(at + 28);
    checksums.set(data.toString('utf8', at + 46, at + 46 + length), data.readUInt32LE(at + 16));
    at += 46 + length + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32);
  }
  return checksums;
}
