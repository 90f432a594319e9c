import { UsageError } from '#base/errors';
import { formatCount } from '#base/text/quote';
import type { LocalTime } from '#base/time/local-time';
import { DAY_MS, parseInstant } from '#base/time/time';
import type { Column } from '#files/formats/columns';
import { plainText } from '#files/formats/json';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export function sheetPath(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

/** Returns the parts of a workbook except the sheets, by path (ECMA-376 part 1). */
export function smallParts(sheetNames: readonly string[]): Readonly<Record<string, string>> {
  const each = (write: (name: string, number: number) => string) =>
    sheetNames.map((name, at) => write(name, at + 1)).join('');
  const styles = sheetNames.length + 1;
  const xml = (text: string) => DECLARATION + text;
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const relations = (all: string) =>
    xml(`<Relationships xmlns="${PACKAGE}/relationships">${all}</Relationships>`);
  return {
    '[Content_Types].xml': xml(
      `<Types xmlns="${PACKAGE}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        '<Default Extension="xml" ContentType="application/xml"/>' +
        `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
        each(
          (_, number) => `<Override PartName="/${sheetPath(number)}" ContentType="${TYPE}.worksheet+xml"/>`,
        ) +
        `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
    ),
    '_rels/.rels': relations(relation(1, 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': xml(
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${each(
        (name, number) =>
          `<sheet name="${escapeText(name).replaceAll('"', '&quot;')}" sheetId="${number}" r:id="rId${number}"/>`,
      )}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': relations(
      each((_, number) => relation(number, 'worksheet', sheetPath(number).slice('xl/'.length))) +
        relation(styles, 'styles', 'styles.xml'),
    ),
    'xl/styles.xml': xml(STYLE_SHEET),
  };
}

const STYLES = { header: 1, text: 2, time: 3, integer: 4, date: 5, percent: 6 } as const;

/** Cell formats in the order of `STYLES`. Format 49 (text) keeps Excel from changing typed text. */
const STYLE_SHEET = // words-ok: XML
  `<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>` +
  '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="166" formatCode="0.0%"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="7">' +
  `${[0, 49, 49, 164, 1, 165, 166].map(cellStyle).join('')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

function cellStyle(format: number, at: number): string {
  const [font, applied] = at === STYLES.header ? [1, ' applyFont="1"'] : [0, ''];
  const number = at === 0 ? '' : ' applyNumberFormat="1"';
  return `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0"${number}${applied}/>`;
}

export function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter;
}

export function sheetBeginning(columns: readonly Column[]): string {
  const widths = columns.map(
    (column, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${widthOf(column)}" style="${column.isTime ? STYLES.time : STYLES.text}" customWidth="1"/>`,
  );
  const names = columns.map(
    ({ name }, index) => `<c r="${columnLetters(index)}1${textCell(name, STYLES.header)}`,
  );
  return (
    `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews>' +
    `<sheetFormatPr defaultRowHeight="15"/><cols>${widths.join('')}</cols><sheetData><row r="1">${names.join('')}</row>`
  );
}

export function sheetEnd(columns: readonly Column[], mostRows: number, filteredRows?: number): string {
  const lists = columns.flatMap(({ choices }, index) => {
    if (!choices) return [];
    const letters = columnLetters(index);
    return (
      `<dataValidation type="list" allowBlank="1" showErrorMessage="1" sqref="${letters}2:${letters}${mostRows}">` +
      `<formula1>"${escapeText(choices.join(','))}"</formula1></dataValidation>`
    );
  });
  const validations =
    lists.length > 0 ? `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>` : '';
  const last = columnLetters(columns.length - 1);
  const filter = filteredRows === undefined ? '' : `<autoFilter ref="A1:${last}${filteredRows}"/>`;
  return `</sheetData>${filter}${validations}</worksheet>`;
}

const WIDTHS: Readonly<Record<string, number>> = {
  id: 38,
  qr_id: 38,
  name: 32,
  qr_name: 32,
  destination: 48,
  referrer: 40,
  error: 48,
  short_url: 32,
  city: 20,
};

function widthOf({ name, isTime, width }: Column): number {
  return Math.max(width ?? (isTime ? 20 : (WIDTHS[name.toLowerCase()] ?? 14)), Math.min(name.length + 2, 60));
}

const MOST_CHARACTERS = 32_767;
const MOST_DIGITS = 15;

const WANTS_CARE = /[&<>\0-\x1f\ud800-\udfff\ufffe\uffff]|_x/;

export function cellOf(value: unknown, isTime: boolean, zone: Pick<LocalTime, 'offsetMs'>): string {
  if (value === null || value === undefined) return '';
  if (isTime && typeof value === 'string') {
    const isDay = DAY.test(value);
    const serial = serialOf(isDay ? `${value} 00:00:00` : value, zone);
    if (serial !== undefined) return `" s="${isDay ? STYLES.date : STYLES.time}"><v>${serial}</v></c>`;
  }
  if (typeof value === 'boolean') return `" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === 'number' || typeof value === 'bigint') return numberCell(value);
  return textCell(plainText(value));
}

export function percentCell(value: number): string {
  return `" s="${STYLES.percent}"><v>${value}</v></c>`;
}

function numberCell(value: number | bigint): string {
  const text = `${value}`;
  if (/^-?\d+$/.test(text)) {
    const isExact = text.replace('-', '').length <= MOST_DIGITS;
    return isExact ? `" s="${STYLES.integer}"><v>${text}</v></c>` : textCell(text);
  }
  return Number.isFinite(value) ? `"><v>${text}</v></c>` : textCell(text);
}

function textCell(text: string, style: number = STYLES.text): string {
  if (text.length > MOST_CHARACTERS) {
    const limit = formatCount(MOST_CHARACTERS);
    throw new UsageError(
      `cannot write a value with ${formatCount(text.length)} characters: a workbook cell holds at most ${limit}`,
      { hint: 'Write a .csv or .json file instead of .xlsx, or omit the column with --fields.' },
    );
  }
  return `" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`;
}

/** Escapes text as ST_Xstring (ECMA-376 part 1, 22.9.2.19). Lone surrogates become U+FFFD. */
function escapeText(text: string): string {
  if (!WANTS_CARE.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[\0-\x08\x0b-\x1f\ufffe\uffff]/g,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Excel's number for 1970-01-01. Before FIRST_DAY, 1900-03-01, Excel counts a day that did not exist. */
export const EPOCH_DAY = 25_569;
const FIRST_DAY = 61;

const DAY = /^\d{4}-\d\d-\d\d$/;

const WALL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

function serialOf(text: string, { offsetMs }: Pick<LocalTime, 'offsetMs'>): number | undefined {
  const ms = parseInstant(text);
  if (ms === undefined) return undefined;
  const wallMs = WALL.test(text) ? ms : ms + offsetMs(ms);
  const days = wallMs / DAY_MS + EPOCH_DAY;
  // Not rounded, because a rounded-down number would appear as a second less.
  return days < FIRST_DAY ? undefined : days;
}
