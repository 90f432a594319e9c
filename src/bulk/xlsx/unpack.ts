/** The parts of a workbook out of its archive, within bounds; and whatever else calls itself .xlsx, told apart. */
import { unzipSync } from 'fflate';
import { Parser } from 'saxen';
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
  refuseLongDirectory(bytes, name);
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

/** The last record of an archive says how many entries there are: the library believes it, and would look for billions. */
function refuseLongDirectory(bytes: Uint8Array, name: string): void {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = data.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + 22 > data.length) refuseWorkbook(name, 'is damaged: its end is missing');
  const count = data.readUInt16LE(end + 10);
  if (count === 0xffff || data.readUInt32LE(end + 16) === 0xffff_ffff)
    refuseWorkbook(name, 'is an archive of a form that no workbook needs (ZIP64)');
  if (count * 46 > data.length) refuseWorkbook(name, 'is damaged: it has fewer parts than it says');
}

export interface XmlEvents {
  /** Elements come without prefixes, values of attributes with their entities decoded. */
  open?(element: string, attribute: (name: string) => string | undefined): void;
  close?(element: string): void;
  /** Of the innermost element. */
  text?(text: string): void;
}

/** Goes through a part. Throws UsageError where it is not XML. Entities of a DTD are not expanded. */
export function readXml(xml: string, name: string, events: XmlEvents): void {
  let failure: Error | undefined;
  const local = (element: string) => element.slice(element.indexOf(':') + 1);
  new Parser()
    .on('openTag', (element, attributes, decode) => {
      events.open?.(local(element), (wanted) => {
        const all = attributes();
        const value = all[wanted];
        return value === undefined ? undefined : decode(value);
      });
    })
    .on('closeTag', (element) => events.close?.(local(element)))
    .on('text', (text, decode) => events.text?.(decode(text)))
    .on('cdata', (text) => events.text?.(text))
    .on('error', (error) => {
      failure ??= error;
    })
    .parse(xml);
  if (failure) refuseWorkbook(name, 'is damaged: a part of it is not XML', failure);
}
