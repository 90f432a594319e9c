import { MOST_COLUMNS, MOST_TEXT } from '#base/bounds';
import {
  type Fault,
  faultsOfHeader,
  fold,
  type Input,
  type InputRow,
  MOST_FAULTS,
  OUR_COLUMNS,
  type ReadOptions,
  refuseFaults,
  refuseMany,
  UTM_COLUMNS,
} from '#files/formats/read/input';
import type { Area, CellValue, SheetRow } from '#files/formats/xlsx/read-sheet';
import { readWorkbook } from '#files/formats/xlsx/read-workbook';
import { dateText, seenNumber } from '#files/formats/xlsx/seen-text';
import { type FirstRow, MOST_TITLE_ROWS, refuseFirstRow } from './first-row.ts';
import { nameColumns } from './header-words.ts';

const UNREAD = new Set(['created_at', 'updated_at']);
const TIMES = new Set([...UNREAD, 'at']);

interface SheetColumn {
  name: string;
  isText: boolean;
  isTime: boolean;
}

function toColumns(names: readonly string[], options: ReadOptions): SheetColumn[] {
  const { key } = options;
  const { fields } = nameColumns(names, options);
  const all = names.map((name) => fields.get(name) ?? fold(name));
  const ours = new Set([...OUR_COLUMNS, ...UTM_COLUMNS, ...(key === undefined ? [] : [fold(key)])]);
  for (const unread of UNREAD) ours.delete(unread);
  return names.map((name, at) => ({
    name,
    isText: ours.has(all[at] ?? ''),
    isTime: TIMES.has(all[at] ?? ''),
  }));
}

/**
 * Parses a sheet with a header row. Throws UsageError if the workbook is unreadable, the first row is a title
 * or data, or a limit is exceeded. Returns other problems, such as merged cells, in `faults`.
 */
export async function parseWorkbook(bytes: Uint8Array, name: string, options: ReadOptions): Promise<Input> {
  const { sheetName, visibleOnly } = options;
  const { readRows, from1904 } = readWorkbook(bytes, name, sheetName);
  const faults: Fault[] = [];
  const rows: InputRow[] = [];
  let header: { line: number; columns: string[]; read: SheetColumn[] } | undefined;
  let hiddenRows = 0;
  let size = 0;
  let lastLine = 0;
  const first: FirstRow[] = [];
  const areDates = new Map<number, boolean>();
  const merged = readRows((row) => {
    if ([...row.cells.values()].every((cell) => cell.is === 'text' && cell.text.trim() === '')) return;
    lastLine = row.line;
    if (first.length < MOST_TITLE_ROWS)
      first.push({ line: row.line, cells: [...row.cells.values()].map(textOf) });
    if (!header) {
      const columns = readHeader(row, name);
      header = { line: row.line, columns, read: toColumns(columns, options) };
      faults.push(...faultsOfHeader(header.columns, row.line));
      return;
    }
    if (row.isHidden && visibleOnly) return;
    if (row.isHidden) hiddenRows += 1;
    size += [...row.cells.values()].reduce((sum, cell) => sum + textOf(cell).length, 0);
    if (size > MOST_TEXT)
      refuseFaults({ name }, [
        { line: row.line, message: `exceeds the limit of ${MOST_TEXT / 2 ** 20} MiB of text per file` },
      ]);
    rows.push(readRow(row, rows.length + 1, header.read, { from1904, faults }));
    refuseMany(name, rows.length, header.columns.length);
    for (const [at, cell] of row.cells) areDates.set(at, cell.is === 'date' && areDates.get(at) !== false);
    if (faults.length < MOST_FAULTS) return;
    refuseFirstRow(name, first);
    refuseFaults({ name }, faults);
  });
  const form = { is: 'xlsx' } as const;
  if (!header) return { name, columns: [], headerLine: 1, rows: [], form };
  refuseFirstRow(name, first);
  const { line: headerLine, columns } = header;
  faults.push(...faultsOfMerging(merged, headerLine, lastLine, columns.length));
  const dateColumns = new Set(columns.filter((_, at) => areDates.get(at)));
  return { name, columns, headerLine, rows, form, dateColumns, hiddenRows, faults };
}

function readRow(
  { line, cells }: SheetRow,
  row: number,
  columns: readonly SheetColumn[],
  { from1904, faults }: { from1904: boolean; faults: Fault[] },
): InputRow {
  const values = new Map(
    columns.map((column, at) => {
      const fault = (message: string) => faults.push({ line, column: column.name, message });
      return [column.name, readCell(cells.get(at), column, { from1904, fault })] as const;
    }),
  );
  for (const at of cells.keys()) {
    if (at < columns.length) continue;
    faults.push({ line, message: 'has a cell beyond the last named column' });
    break;
  }
  return { row, line, values };
}

function readHeader({ line, cells }: SheetRow, name: string): string[] {
  const last = [...cells.keys()].reduce((most, at) => Math.max(most, at), -1);
  if (last >= MOST_COLUMNS)
    refuseFaults({ name }, [{ line, message: `has ${last + 1} columns (limit: ${MOST_COLUMNS})` }]);
  const columns = Array.from({ length: last + 1 }, (_, at) => {
    const cell = cells.get(at);
    return cell === undefined ? '' : textOf(cell).trim();
  });
  while (columns.at(-1) === '') columns.pop();
  return columns;
}

function textOf(cell: CellValue): string {
  if (cell.is === 'text') return cell.text;
  return cell.is === 'number' ? `${cell.value}` : '';
}

function faultsOfMerging(merged: readonly Area[], first: number, last: number, width: number): Fault[] {
  const area = merged.find(({ top, bottom, left }) => bottom >= first && top <= last && left < width);
  if (!area) return [];
  const message = 'contains merged cells: unmerge them so that each row has its own value';
  return [{ line: Math.max(area.top, first), message }];
}

function readCell(
  cell: CellValue | undefined,
  { isText, isTime }: SheetColumn,
  { from1904, fault }: { from1904: boolean; fault(message: string): void },
): unknown {
  if (cell === undefined) return '';
  switch (cell.is) {
    case 'text':
      return cell.text;
    case 'boolean':
      return isText ? `${cell.value}`.toUpperCase() : cell.value;
    case 'date': {
      const text = dateText(cell.serial, from1904, isTime);
      if (isText && !isTime)
        fault(
          `is a date${text === undefined ? '' : ` (${text})`}, and its display depends on the locale: ${FORMAT_AS_TEXT}`,
        );
      return text ?? cell.serial;
    }
    case 'number': {
      const text = isText ? seenNumber(cell.value, cell.format) : undefined;
      if (isText && text === undefined)
        fault(
          `is a number (${cell.value}), and its display depends on the format and locale: ${FORMAT_AS_TEXT}`,
        );
      return text ?? cell.value;
    }
    case 'error':
      if (isText) fault(`contains a spreadsheet error (${cell.text.slice(0, 20)})`);
      return cell.text;
    case 'formula':
      if (isText)
        fault('is a formula without a stored value: open the file in a spreadsheet program and save it');
      return '';
  }
}

const FORMAT_AS_TEXT = 'format the cell as text and retype the value';
