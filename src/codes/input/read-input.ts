import { isUtf8 } from 'node:buffer';
import { MOST_EMPTY, TOO_MANY_EMPTY } from '#base/bounds';
import { UsageError } from '#base/errors';
import { restore } from '#base/text/defuse';
import { startsWith } from '#files/formats/formats';
import {
  fold,
  type Input,
  type InputRow,
  OUR_COLUMNS,
  type ReadOptions,
  refuseFaults,
  refuseMany,
  showValue,
} from '#files/formats/read/input';
import { linesOf } from '#files/formats/read/input-text';
import { isUuid } from '#service/checks';
import { withNamedColumns } from './header-words.ts';

type Form = 'csv' | 'tsv' | 'json' | 'ndjson';

const FORM_OF_EXTENSION: Readonly<Record<string, Form>> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

/** Parses a file of rows. Throws UsageError if it has format faults. */
export async function parseInput(bytes: Uint8Array, name: string, options: ReadOptions = {}): Promise<Input> {
  const input = await parseWithFaults(bytes, name, options);
  refuseFaults(input, input.faults ?? []);
  return input;
}

export async function parseWithFaults(
  bytes: Uint8Array,
  name: string,
  options: ReadOptions = {},
): Promise<Input> {
  return withNamedColumns(await parseForm(bytes, name, options), options);
}

async function parseForm(bytes: Uint8Array, name: string, options: ReadOptions): Promise<Input> {
  const isPacked = startsWith(bytes, [0x50, 0x4b, 0x03]) || startsWith(bytes, [0xd0, 0xcf, 0x11]);
  if (isPacked || /\.xlsx$/i.test(name))
    return (await import('./xlsx-input.ts')).parseWorkbook(bytes, name, options);
  const flag =
    (options.sheetName !== undefined && '--sheet-name') || (options.visibleOnly && '--visible-only');
  if (flag)
    throw new UsageError(`${flag} requires a workbook (.xlsx), not ${name}`, { hint: `Omit ${flag}.` });
  const { utf8, bom } = toUtf8(bytes, name);
  const form = FORM_OF_EXTENSION[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''] ?? formOfContent(utf8);
  if (form === 'json' || form === 'ndjson') {
    const { parseJsonArray, parseNdjson } = await import('./json-input.ts');
    const parse = form === 'json' ? parseJsonArray : parseNdjson;
    return parse(utf8, name, options.signal);
  }
  const list = options.bareNames ? parseBareNames(utf8, name, { ...options, bom }) : undefined;
  if (list) return list;
  const { parseCsv } = await import('./csv-input.ts');
  return parseCsv(utf8, name, { ...options, bom, separator: form === 'tsv' ? '\t' : undefined });
}

const BEGINNING = 1024;

function formOfContent(utf8: Buffer): Form {
  const [first = ''] = utf8.toString('utf8', 0, BEGINNING).trimStart().split('\n', 1);
  if (first[0] === '[' || first.trim() === '{') return 'json';
  return first[0] === '{' ? 'ndjson' : 'csv';
}

function toUtf8(bytes: Uint8Array, name: string) {
  const utf16 =
    (startsWith(bytes, [0xff, 0xfe]) && 'utf-16le') || (startsWith(bytes, [0xfe, 0xff]) && 'utf-16be');
  if (!utf16) {
    refuseZeros(bytes, name);
    if (!isUtf8(bytes)) throw otherCodePage(bytes, name);
    const bom = startsWith(bytes, [0xef, 0xbb]);
    return { utf8: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).subarray(bom ? 3 : 0), bom };
  }
  try {
    return { utf8: Buffer.from(new TextDecoder(utf16, { fatal: true }).decode(bytes)), bom: true };
  } catch {
    throw notText(name, `bytes that are not ${utf16.toUpperCase()}`);
  }
}

/**
 * Refuses a file with a NUL in the first line (as in UTF-16 without a byte order mark), or four in a row (as
 * after a power cut).
 */
function refuseZeros(bytes: Uint8Array, name: string): void {
  const firstLine = bytes.indexOf(0x0a);
  const single = bytes.subarray(0, firstLine < 0 ? bytes.length : firstLine).indexOf(0);
  const at =
    single < 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(Buffer.alloc(4)) : single;
  if (at < 0) return;
  throw notText(name, 'a NUL byte', 1 + bytes.subarray(0, at).filter((byte) => byte === 0x0a).length);
}

function otherCodePage(bytes: Uint8Array, name: string): UsageError {
  for (let start = 0, line = 1; ; line++) {
    const next = bytes.indexOf(0x0a, start) + 1 || bytes.length;
    const source = bytes.subarray(start, next);
    start = next;
    if (isUtf8(source)) continue;
    const guess = showValue(new TextDecoder('windows-1252').decode(source).trim());
    return notText(name, `bytes that are not UTF-8 (in Windows-1252, the line is ${guess})`, line);
  }
}

function notText(name: string, what: string, line?: number): UsageError {
  return new UsageError(`${name}: ${line === undefined ? '' : `line ${line} `}contains ${what}`, {
    hint: 'In Excel, save the file as a workbook (.xlsx) or as "CSV UTF-8 (comma delimited)".',
  });
}

const HEADERS = new Set([
  ...OUR_COLUMNS,
  ...['ids', 'slugs', 'uuid', 'uuids', 'code', 'codes', 'qr_id', 'qr_slug'],
]);

const NAME = /^\s*(?:"([^\s",;]+)"|([^\s",;]+))\s*$/;

/**
 * Parses IDs or slugs, one per line. Returns undefined for a table: if a line is not a single word, or the
 * first word is a column name.
 */
export function parseBareNames(
  utf8: Buffer,
  name: string,
  { rawCells, bom }: ReadOptions & { bom: boolean },
): Input | undefined {
  const rows: InputRow[] = [];
  let firstLine = 1;
  let emptyLines = 0;
  for (const text of linesOf(utf8)) {
    const lines = text.split(/\r\n?|\n/);
    for (const [at, line] of lines.entries()) {
      if (line.trim() === '') {
        if (++emptyLines > MOST_EMPTY)
          refuseFaults({ name }, [{ line: firstLine + at, message: TOO_MANY_EMPTY }]);
        continue;
      }
      const [, quoted, plain = quoted ?? ''] = NAME.exec(line) ?? [];
      if (plain === '' || (rows.length === 0 && HEADERS.has(fold(plain)))) return undefined;
      const code = rawCells ? plain : restore(plain);
      const values = new Map([[isUuid(code) ? 'id' : 'slug', code]]);
      rows.push({ row: rows.length + 1, line: firstLine + at, values });
      refuseMany(name, rows.length, 1);
    }
    firstLine += lines.length - 1;
  }
  const lineEnd = utf8.includes('\r\n') ? '\r\n' : '\n';
  const form = { is: 'csv', delimiter: ',', bom, lineEnd } as const;
  return { name, columns: ['id', 'slug'], headerLine: undefined, rows, form, isBare: true };
}
