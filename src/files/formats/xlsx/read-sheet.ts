import { MOST_VALUES } from '#base/bounds';
import { formatCount } from '#base/text/quote';
import { readList } from './read-xml.ts';
import type { NumberFormat } from './seen-text.ts';
import { refuseWorkbook } from './unpack.ts';

export type CellValue =
  | { is: 'text'; text: string }
  | { is: 'number'; value: number; format: NumberFormat }
  | { is: 'date'; serial: number }
  | { is: 'boolean'; value: boolean }
  | { is: 'error'; text: string }
  | { is: 'formula' };

export interface SheetRow {
  line: number;
  cells: Map<number, CellValue>;
  isHidden: boolean;
}

/** Cell range (inclusive). Lines count from 1, columns from 0. */
export interface Area {
  top: number;
  bottom: number;
  left: number;
}

interface SheetContext {
  name: string;
  strings: readonly string[];
  formats: readonly NumberFormat[];
}

const UNKNOWN: CellValue = { is: 'formula' };
const GENERAL: NumberFormat = { id: 0, code: '', isDate: false };

/** Calls `onRow` for each row with a value. Returns the merged cells (ECMA-376 part 1, 18.3.1). */
export function readSheet(
  pieces: Iterable<string>,
  { name, strings, formats }: SheetContext,
  onRow: (row: SheetRow) => void,
): Area[] {
  const merged: Area[] = [];
  let row: SheetRow = { line: 0, cells: new Map(), isHidden: false };
  let column = -1;
  let type: string;
  let format: NumberFormat;
  let text = '';
  let isFormula = false;
  let rows = 0;
  let cells = 0;

  readList(pieces, name, SHEET, {
    open(opened, attribute) {
      if (opened === 'row') {
        const isHidden = /^(1|true)$/.test(attribute('hidden') ?? '');
        row = { line: Number(attribute('r')) || row.line + 1, cells: new Map(), isHidden };
        column = -1;
        rows += 1;
        if (rows > MOST_SHEET_ROWS)
          refuseWorkbook(name, `has more than ${formatCount(MOST_SHEET_ROWS)} rows`);
      } else if (opened === 'c') {
        cells += 1;
        if (cells > MOST_VALUES) refuseWorkbook(name, `has more than ${formatCount(MOST_VALUES)} cells`);
        column = columnOf(attribute('r')) ?? column + 1;
        type = attribute('t') ?? 'n';
        format = formats[Number(attribute('s'))] ?? GENERAL;
        text = '';
        isFormula = false;
      } else if (opened === 'f') isFormula = true;
      else if (opened === 'mergeCell') merged.push(areaOf(attribute('ref') ?? ''));
    },
    text(more, element) {
      if (element === 'v' || element === 't') text += more;
    },
    close(closed) {
      if (closed === 'row' && row.cells.size > 0) onRow(row);
      if (closed !== 'c') return;
      if (type === 's' && text !== '' && strings[Number(text)] === undefined)
        refuseWorkbook(name, 'is damaged: a cell refers to a string that is missing');
      const value =
        isFormula && text === '' && type !== 'str' ? UNKNOWN : cellValueOf(type, text, format, strings);
      if (value) row.cells.set(column, value);
    },
  });
  return merged;
}

const MOST_SHEET_ROWS = 2 ** 20;

const SHEET = { list: 'sheetData', item: 'row' };

function cellValueOf(
  type: string,
  text: string,
  format: NumberFormat,
  strings: readonly string[],
): CellValue | undefined {
  // Treats an empty text as no text, because `Number('')` is 0, the index of the first string.
  if (type === 's') return textOf(text === '' ? '' : (strings[Number(text)] ?? ''));
  if (type === 'str' || type === 'inlineStr') return textOf(onItsOwn(decodeEscapes(text)));
  if (text === '') return undefined;
  if (type === 'b') return { is: 'boolean', value: text === '1' || text === 'true' };
  if (type === 'e') return { is: 'error', text: onItsOwn(text) };
  if (type === 'd') return textOf(onItsOwn(text));
  const value = Number(text);
  if (Number.isNaN(value)) return textOf(onItsOwn(text));
  return format.isDate ? { is: 'date', serial: value } : { is: 'number', value, format };
}

function textOf(text: string): CellValue | undefined {
  return text === '' ? undefined : { is: 'text', text };
}

/** Maximum length of slices that V8 always copies. */
const LONGEST_COPIED = 12;

/** Copies a long text, because a slice would keep its source in memory. */
export function onItsOwn(text: string): string {
  return text.length > LONGEST_COPIED ? ` ${text}`.slice(1) : text;
}

/** Decodes escapes of ST_Xstring (ECMA-376 part 1, 22.9.2.19). */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,4}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function areaOf(reference: string): Area {
  const [from = '', to = from] = reference.split(':');
  const line = (corner: string) => Number(/\d+$/.exec(corner)?.[0] ?? 0);
  return { top: line(from), bottom: line(to), left: columnOf(from) ?? 0 };
}
