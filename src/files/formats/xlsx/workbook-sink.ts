import { MOST_ROWS } from '#base/bounds';
import { UsageError } from '#base/errors';
import { countOf, formatCount } from '#base/text/quote';
import type { LocalTime } from '#base/time/local-time';
import type { Column } from '#files/formats/columns';
import { createField } from '#files/formats/create-field';
import type { ByteSink, DocumentSink } from '#files/formats/document-sink';
import type { Row } from '#files/formats/row-sink';
import {
  cellOf,
  columnLetters,
  percentCell,
  sheetBeginning,
  sheetEnd,
  sheetPath,
  smallParts,
} from './parts.ts';
import { createZipStream } from './zip-stream.ts';

export function tooManyRows(rows?: number): UsageError {
  const most = formatCount(MOST_ROWS);
  const what = rows === undefined ? 'too many rows' : `${countOf(rows, 'row')} are too many`;
  return new UsageError(`${what} for a workbook (at most ${most})`, {
    hint: 'Write a .csv or .csv.gz file, choose a shorter range, or add --output-dir DIR.',
  });
}

const UTC = { offsetMs: () => 0 };

export function createWorkbookSink(
  bytes: ByteSink,
  { columns, zone }: { columns: readonly Column[]; zone: Pick<LocalTime, 'offsetMs'> },
): DocumentSink {
  const zip = createZipStream(bytes);
  const formatRow = createRowFormat(columns, zone);
  let begun = false;
  let rowNumber = 1;

  async function begin(): Promise<void> {
    if (begun) return;
    begun = true;
    await addSmallParts(zip, ['qrctl']);
    await zip.begin(sheetPath(1));
    await zip.write(sheetBeginning(columns));
  }

  return {
    rewinds: bytes.checkpoint !== undefined,
    async write(rows) {
      await begin();
      if (rowNumber + rows.length > MOST_ROWS + 1) throw tooManyRows();
      await zip.write(rows.map((row) => formatRow(row, ++rowNumber)).join(''));
      return rows.length;
    },
    async checkpoint() {
      await begin();
      const before = rowNumber;
      if (!bytes.checkpoint) return async () => rowNumber === before;
      const rewind = await zip.checkpoint();
      return async () => {
        await rewind();
        rowNumber = before;
        return true;
      };
    },
    async commit() {
      await begin();
      await zip.write(sheetEnd(columns, MOST_ROWS + 1));
      await zip.end();
      await bytes.commit();
    },
    discard: bytes.discard,
  };
}

function createRowFormat(columns: readonly Column[], zone: Pick<LocalTime, 'offsetMs'>) {
  const fields = columns.map(({ name, isTime = false, isPercent }, index) => {
    const encode = (value: unknown) =>
      isPercent && typeof value === 'number'
        ? percentCell(value)
        : cellOf(value, isTime !== false, isTime === 'utc' ? UTC : zone);
    return { name, format: createField('', encode), reference: `<c r="${columnLetters(index)}` };
  });
  return (row: Row, number: number): string => {
    let cells = '';
    for (const { name, format, reference } of fields) {
      const value = row[name];
      if (value !== null && value !== undefined) cells += reference + number + format(value);
    }
    return `<row r="${number}">${cells}</row>`;
  };
}

async function addSmallParts(zip: ReturnType<typeof createZipStream>, sheetNames: readonly string[]) {
  for (const [path, text] of Object.entries(smallParts(sheetNames))) {
    await zip.begin(path);
    await zip.write(text);
  }
}

interface Sheet {
  name: string;
  columns: readonly Column[];
  rows: readonly Row[];
}

/** Writes small sheets with filters. Throws UsageError for too many rows or a long text. */
export async function writeSheets(bytes: ByteSink, sheets: readonly Sheet[]): Promise<void> {
  const zip = createZipStream(bytes);
  const names = sheetNames(sheets.map(({ name }) => name));
  await addSmallParts(zip, names);
  for (const [at, { columns, rows }] of sheets.entries()) {
    if (rows.length > MOST_ROWS) throw tooManyRows(rows.length);
    const formatRow = createRowFormat(columns, UTC);
    const lines = rows.map((row, at) => formatRow(row, at + 2));
    await zip.begin(sheetPath(at + 1));
    await zip.write(
      sheetBeginning(columns) + lines.join('') + sheetEnd(columns, MOST_ROWS + 1, rows.length + 1),
    );
  }
  await zip.end();
  await bytes.commit();
}

const LONGEST_NAME = 31;

/** Makes sheet names valid and unique. Excel ignores their case. */
function sheetNames(names: readonly string[]): string[] {
  const used = new Set(['history']);
  return names.map((name) => {
    const cut = name.slice(0, LONGEST_NAME);
    const plain = cut.replace(/[\\/?*[\]:\p{C}]/gu, ' ').replace(/^[' ]+|[' ]+$/g, '') || 'table';
    let own = plain;
    for (let number = 2; used.has(own.toLowerCase()); number++)
      own = `${plain.slice(0, LONGEST_NAME - 4)} ${number}`;
    used.add(own.toLowerCase());
    return own;
  });
}
