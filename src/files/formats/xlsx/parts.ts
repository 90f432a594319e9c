/** The parts of a workbook around its rows (ECMA-376 part 1): one sheet, the row of names in view, columns of useful width. */
import type { Column } from '../columns.ts';
import { escapeText, STYLES, textCell } from './cells.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export const SHEET_PATH = 'xl/worksheets/sheet1.xml';

/** All parts but the sheet, by their paths. */
export function smallParts(sheetName: string): Readonly<Record<string, string>> {
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
        `<Override PartName="/${SHEET_PATH}" ContentType="${TYPE}.worksheet+xml"/>` +
        `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
    ),
    '_rels/.rels': relations(relation(1, 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': xml(
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escapeText(sheetName)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': relations(
      relation(1, 'worksheet', 'worksheets/sheet1.xml') + relation(2, 'styles', 'styles.xml'),
    ),
    'xl/styles.xml': xml(STYLE_SHEET),
  };
}

/** Cell formats in the order of `STYLES`. 49 is Excel's own format of text: typed text stays unchanged. */
const STYLE_SHEET = // words-ok: XML
  `<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>` +
  '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6">' +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="1" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

/** `A`, `Z`, `AA` … of a column, counted from 0. */
export function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter;
}

/** XML before the rows of data. */
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

/** XML after the rows: drop-downs for columns of few words. */
export function sheetEnd(columns: readonly Column[], mostRows: number): string {
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
  return `</sheetData>${validations}</worksheet>`;
}

/** Widths in characters: for the values of known columns, or else at least for the name. */
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
