/** The cells of a worksheet with what they hold, row by row (ECMA-376 part 1, 18.3.1). */

import { readXml } from './read-xml.ts';
import { isDate, type NumberFormat } from './seen-text.ts';
import { refuseWorkbook } from './unpack.ts';

export type CellValue =
  | { is: 'text'; text: string }
  | { is: 'number'; value: number; format: NumberFormat }
  | { is: 'date'; serial: number }
  | { is: 'boolean'; value: boolean }
  /** `#N/A` and the like. */
  | { is: 'error'; text: string }
  /** A formula of which no program has worked out the value yet. */
  | { is: 'formula' };

export interface SheetRow {
  /** Its number in the sheet, 1-based. */
  line: number;
  /** By column, counted from 0; empty cells are missing. */
  cells: Map<number, CellValue>;
}

/** A rectangle of cells, 1-based lines and columns counted from 0, its ends included. */
export interface Area {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export interface Sheet {
  /** Those with any value, top to bottom. */
  rows: SheetRow[];
  merged: Area[];
}

interface CellContext {
  name: string;
  strings: readonly string[];
  formats: readonly NumberFormat[];
}

const UNKNOWN: CellValue = { is: 'formula' };
const GENERAL: NumberFormat = { id: 0, code: '' };

/** Throws UsageError where it is not XML. */
export function readSheet(xml: string, { name, strings, formats }: CellContext): Sheet {
  const sheet: Sheet = { rows: [], merged: [] };
  let row: SheetRow = { line: 0, cells: new Map() };
  let column = -1;
  let type = 'n';
  let format = GENERAL;
  let element = '';
  let text = '';
  let isFormula = false;
  let inPhonetics = false;

  readXml(xml, name, {
    open(opened, attribute) {
      element = opened;
      if (opened === 'row') {
        row = { line: Number(attribute('r')) || row.line + 1, cells: new Map() };
        column = -1;
      } else if (opened === 'c') {
        column = columnOf(attribute('r')) ?? column + 1;
        type = attribute('t') ?? 'n';
        format = formats[Number(attribute('s'))] ?? GENERAL;
        text = '';
        isFormula = false;
      } else if (opened === 'f') isFormula = true;
      else if (opened === 'rPh') inPhonetics = true;
      else if (opened === 'mergeCell') sheet.merged.push(areaOf(attribute('ref') ?? ''));
    },
    text(more) {
      if (!inPhonetics && (element === 'v' || element === 't')) text += more;
    },
    close(closed) {
      element = '';
      if (closed === 'rPh') inPhonetics = false;
      if (closed === 'row' && row.cells.size > 0) sheet.rows.push(row);
      if (closed !== 'c') return;
      if (type === 's' && text !== '' && strings[Number(text)] === undefined)
        refuseWorkbook(name, 'is damaged: a cell names a text that is not there');
      const value = isFormula && text === '' && type !== 'str' ? UNKNOWN : cellValueOf(type, text, format, strings);
      if (value) row.cells.set(column, value);
    },
  });
  return sheet;
}

function cellValueOf(type: string, text: string, format: NumberFormat, strings: readonly string[]): CellValue | undefined {
  if (type === 's') return textOf(strings[Number(text)] ?? '');
  if (type === 'str' || type === 'inlineStr') return textOf(decodeEscapes(text));
  if (text === '') return undefined;
  if (type === 'b') return { is: 'boolean', value: text === '1' || text === 'true' };
  if (type === 'e') return { is: 'error', text };
  if (type === 'd') return textOf(text);
  const value = Number(text);
  if (Number.isNaN(value)) return textOf(text);
  return isDate(format) ? { is: 'date', serial: value } : { is: 'number', value, format };
}

function textOf(text: string): CellValue | undefined {
  return text === '' ? undefined : { is: 'text', text };
}

/** `_x000D_` stands for what XML cannot hold (ST_Xstring, ECMA-376 part 1, 22.9.2.19). */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Counted from 0, of a reference such as `AB12`. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,4}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function areaOf(reference: string): Area {
  const [from = '', to = from] = reference.split(':');
  const line = (corner: string) => Number(/\d+$/.exec(corner)?.[0] ?? 0);
  return { top: line(from), bottom: line(to), left: columnOf(from) ?? 0, right: columnOf(to) ?? 0 };
}
