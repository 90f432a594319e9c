/** Workbooks as other programs write them: the XML of each sheet, and of other parts. */
import { zipSync } from 'fflate';

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const relations = (...targets: readonly (readonly [type: string, target: string])[]) =>
  `<Relationships>${targets.map(([type, target], n) => `<Relationship Id="rId${n + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`).join('')}</Relationships>`;

/** `sheets`: the rows of each sheet, by its name; `more`: other parts, such as `xl/styles.xml`. */
export function workbookOf(sheets: Record<string, string>, more: Record<string, string> = {}): Uint8Array {
  const names = Object.keys(sheets);
  const parts: Record<string, string> = {
    '_rels/.rels': relations(['officeDocument', '/xl/workbook.xml']),
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${OFFICE}"><sheets>${names.map((name, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...names.map((_, n) => ['worksheet', `sheet${n + 1}.xml`] as const),
      ['styles', 'styles.xml'],
      ['sharedStrings', 'texts.xml'],
    ),
    ...Object.fromEntries(
      Object.values(sheets).map((rows, n) => [
        `xl/sheet${n + 1}.xml`,
        `<worksheet ${MAIN}><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
    ...more,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, Buffer.from(text)])));
}
