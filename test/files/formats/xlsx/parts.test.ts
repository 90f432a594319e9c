/** Parts of a workbook, compared with the exact markup (ECMA-376 part 1). */
import { describe, expect, it } from 'vitest';
import {
  cellOf,
  columnLetters,
  percentCell,
  sheetBeginning,
  sheetEnd,
  smallParts,
} from '#files/formats/xlsx/parts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const textCell = (text: string, style = 2) =>
  `" s="${style}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;

describe('a workbook', () => {
  const { 'xl/styles.xml': styles = '', 'xl/workbook.xml': sheets, ...rest } = smallParts(['A', '"B" & C']);

  it('declares the content type and the path of each part', () => {
    const relations = (...targets: string[]) => {
      const each = targets.map((target, at) => {
        const [, type, path] = /^(\w+) (.*)$/.exec(target) ?? [];
        return `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${path}"/>`;
      });
      return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;
    };
    expect(rest).toEqual({
      '[Content_Types].xml': `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/worksheets/sheet2.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
      '_rels/.rels': relations('officeDocument xl/workbook.xml'),
      'xl/_rels/workbook.xml.rels': relations(
        'worksheet worksheets/sheet1.xml',
        'worksheet worksheets/sheet2.xml',
        'styles styles.xml',
      ),
    });
    expect(sheets).toMatch(
      /<sheets><sheet name="A" sheetId="1" r:id="rId1"\/><sheet name="&quot;B&quot; &amp; C" sheetId="2" r:id="rId2"\/><\/sheets><\/workbook>$/,
    );
  });

  it('has a style sheet whose declared counts match its fonts and formats', () => {
    const lists = [...styles.matchAll(/<(\w+) count="(\d)">(.*?)<\/\1>/g)];
    for (const [, name = '', count, list = ''] of lists) {
      const child = name.endsWith('Xfs') ? 'xf' : name.slice(0, -1);
      expect(list.split(new RegExp(`<${child}[ >]`)).length - 1, name).toBe(Number(count));
    }
    expect(lists.map(([, name]) => name).join(' ')).toBe(
      'numFmts fonts fills borders cellStyleXfs cellXfs cellStyles',
    );
    const formats = [
      ...(lists[5]?.[0] ?? '').matchAll(/<xf numFmtId="(\d+)" fontId="(\d)".*?xfId="0"(.*?)\/>/g),
    ];
    expect(formats.map(([, format, font, applied]) => `${format} ${font}${applied}`)).toEqual([
      '0 0',
      '49 1 applyNumberFormat="1" applyFont="1"',
      ...['49', '164', '1', '165', '166'].map((format) => `${format} 0 applyNumberFormat="1"`),
    ]);
    expect([...styles.matchAll(/formatCode="(.*?)"/g)].map(([, code]) => code)).toEqual([
      'yyyy\\-mm\\-dd\\ hh:mm:ss',
      'yyyy\\-mm\\-dd',
      '0.0%',
    ]);
    expect(styles).toContain('<font><b/><sz val="11"/>');
  });
});

describe('a sheet', () => {
  it('names its columns A to Z, AA to ZZ, and so on', () => {
    expect([0, 25, 26, 51, 52, 701, 702].map(columnLetters).join(' ')).toBe('A Z AA AZ BA ZZ AAA');
  });

  it('has column widths based on names and types, or the specified widths', () => {
    const names = ['id', 'QR_NAME', 'a', 'a name of twenty chars', 'n'.repeat(99)];
    const columns = [
      ...names.map((name) => ({ name })),
      { name: 'at', isTime: true },
      { name: 'b', width: 7 },
    ];
    const start = sheetBeginning(columns);
    const styled = [...start.matchAll(/width="(\d+)" style="(\d)"/g)].map(
      ([, width, style]) => `${width} ${style}`,
    );
    expect(styled).toEqual(['38 2', '32 2', '14 2', '24 2', '60 2', '20 3', '7 2']);
    expect(sheetBeginning(columns.slice(0, 2))).toBe(
      `${DECLARATION}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols><col min="1" max="1" width="38" style="2" customWidth="1"/><col min="2" max="2" width="32" style="2" customWidth="1"/></cols><sheetData><row r="1"><c r="A1${textCell('id', 1)}<c r="B1${textCell('QR_NAME', 1)}</row>`,
    );
  });

  it('ends with its filter and its lists of choices, if any', () => {
    const columns = [{ name: 'id' }, { name: 'type', choices: ['url', 'a&b'] }];
    expect(sheetEnd(columns.slice(0, 1), 9)).toBe('</sheetData></worksheet>');
    expect(sheetEnd(columns, 9, 5)).toBe(
      '</sheetData><autoFilter ref="A1:B5"/><dataValidations count="1"><dataValidation type="list" allowBlank="1" showErrorMessage="1" sqref="B2:B9"><formula1>"url,a&amp;b"</formula1></dataValidation></dataValidations></worksheet>',
    );
  });

  it.each([
    [null, false, ''],
    [undefined, false, ''],
    [false, false, '" t="b"><v>0</v></c>'],
    [-12, false, '" s="4"><v>-12</v></c>'],
    [-123456789012345, false, '" s="4"><v>-123456789012345</v></c>'],
    [12n, false, '" s="4"><v>12</v></c>'],
    [-0.5, false, '"><v>-0.5</v></c>'],
    [Infinity, false, textCell('Infinity')],
    [{ a: 1 }, false, textCell('{"a":1}')],
    ['2026-03-01', false, textCell('2026-03-01')],
    ['2026-03-01', true, '" s="5"><v>46082</v></c>'],
    ['2026-03-01T12:00:00Z', true, '" s="3"><v>46082.5</v></c>'],
    ['1900-03-01', true, '" s="5"><v>61</v></c>'],
    ['1900-02-28', true, textCell('1900-02-28')],
    [12, true, '" s="4"><v>12</v></c>'],
    ['x'.repeat(32_767), false, textCell('x'.repeat(32_767))],
  ])('has a cell of the type that suits the value (%#)', (value, isTime, cell) => {
    expect(cellOf(value, isTime, { offsetMs: () => 0 })).toBe(cell);
    expect(percentCell(0.5)).toBe('" s="6"><v>0.5</v></c>');
  });

  it('refuses a text of more than 32,767 characters, which is too long for a cell', () => {
    expect(() => cellOf('x'.repeat(32_768), false, { offsetMs: () => 0 })).toThrow(
      expect.objectContaining({
        message: 'cannot write a value with 32,768 characters: a workbook cell holds at most 32,767',
        hint: 'Write a .csv or .json file instead of .xlsx, or omit the column with --fields.',
      }),
    );
  });
});
