import { MOST_VALUES } from '#base/bounds';
import { getOrAdd } from '#base/collections';
import { UsageError } from '#base/errors';
import { nearest } from '#base/text/nearest';
import { formatCount, inQuotes } from '#base/text/quote';
import { decodeEscapes, onItsOwn, readSheet, type SheetRow } from './read-sheet.ts';
import { readList, readXml } from './read-xml.ts';
import { createFormat, LONGEST_CODE, type NumberFormat } from './seen-text.ts';
import { openArchive, type Parts, refuseWorkbook } from './unpack.ts';

/** Opens a sheet (default: the first visible one). Throws UsageError. */
export function readWorkbook(bytes: Uint8Array, name: string, sheetName: string | undefined) {
  const parts = openArchive(bytes, name);
  const workbookPath =
    targets(parts, '', name).find(({ type }) => type.endsWith('/officeDocument'))?.path ?? 'xl/workbook.xml';
  const xml = parts.whole(workbookPath);
  if (xml === undefined) {
    const isBinary = workbookPath.endsWith('.bin');
    const what = isBinary ? 'is a binary workbook (.xlsb)' : 'is not a workbook but another kind of archive';
    refuseWorkbook(name, what);
  }
  const related = targets(parts, workbookPath, name);
  const { sheets, from1904 } = readSheets(xml, name);
  const wanted = chooseSheet(sheets, sheetName, name);
  const path = related.find(({ id }) => id === wanted.relation)?.path;
  const sheet = path === undefined ? undefined : parts.pieces(path);
  if (sheet === undefined) refuseWorkbook(name, `is damaged: its sheet ${inQuotes(wanted.name)} is missing`);
  const pathOf = (type: string) => related.find((relation) => relation.type.endsWith(type))?.path ?? '';
  const strings = readStrings(parts.pieces(pathOf('/sharedStrings')) ?? ['<sst/>'], name);
  const formats = readFormats(parts.whole(pathOf('/styles')) ?? '<styleSheet/>', name);
  const readRows = (onRow: (row: SheetRow) => void) => readSheet(sheet, { name, strings, formats }, onRow);
  return { readRows, from1904 };
}

interface Relation {
  id: string;
  type: string;
  path: string;
}

function targets(parts: Parts, of: string, name: string): Relation[] {
  const at = of.lastIndexOf('/') + 1;
  const [folder, file] = [of.slice(0, at), of.slice(at)];
  const relations: Relation[] = [];
  readXml(parts.whole(`${folder}_rels/${file}.rels`) ?? '<Relationships/>', name, {
    open(element, attribute) {
      if (element !== 'Relationship') return;
      const target = attribute('Target') ?? '';
      const path = target.startsWith('/') ? target.slice(1) : folder + target;
      relations.push({ id: attribute('Id') ?? '', type: attribute('Type') ?? '', path });
    },
  });
  return relations;
}

interface SheetName {
  name: string;
  isHidden: boolean;
  relation: string;
}

function readSheets(xml: string, name: string): { sheets: SheetName[]; from1904: boolean } {
  const sheets: SheetName[] = [];
  let from1904 = false;
  readXml(xml, name, {
    open(element, attribute) {
      if (element === 'sheet') {
        const isHidden = /hidden$/i.test(attribute('state') ?? '');
        sheets.push({ name: attribute('name') ?? '', isHidden, relation: attribute('r:id') ?? '' });
      }
      if (element === 'workbookPr') from1904 = /^(1|true)$/.test(attribute('date1904') ?? '');
    },
  });
  return { sheets, from1904 };
}

function chooseSheet(sheets: readonly SheetName[], wanted: string | undefined, name: string): SheetName {
  const [first] = sheets;
  if (!first) return refuseWorkbook(name, 'has no sheets');
  if (wanted === undefined) return sheets.find(({ isHidden }) => !isHidden) ?? first;
  const found = sheets.find((sheet) => sheet.name === wanted);
  if (found) return found;
  const names = sheets.map((sheet) => sheet.name);
  const meant = nearest(wanted, names);
  throw new UsageError(`${name} has no sheet ${inQuotes(wanted)}`, {
    hint: `${meant === undefined ? '' : `Did you mean ${inQuotes(meant)}? `}Available sheets: ${names.slice(0, 10).map(inQuotes).join(', ')}`,
  });
}

function readStrings(pieces: Iterable<string>, name: string): string[] {
  const strings: string[] = [];
  let text = '';
  readList(
    pieces,
    name,
    { list: 'sst', item: 'si' },
    {
      open(opened) {
        if (opened === 'si') text = '';
      },
      text(more, element) {
        if (element === 't') text += more;
      },
      close(closed) {
        if (closed !== 'si') return;
        strings.push(onItsOwn(decodeEscapes(text)));
        if (strings.length > MOST_VALUES)
          refuseWorkbook(name, `has more than ${formatCount(MOST_VALUES)} shared texts`);
      },
    },
  );
  return strings;
}

function readFormats(xml: string, name: string): NumberFormat[] {
  const made = new Map<number, NumberFormat>();
  const formats: NumberFormat[] = [];
  let inCells = false;
  readXml(xml, name, {
    open(element, attribute) {
      if (element === 'numFmt') {
        const [id, code] = [Number(attribute('numFmtId')), attribute('formatCode') ?? ''];
        if (code.length > LONGEST_CODE)
          refuseWorkbook(name, `is damaged: a number format has more than ${LONGEST_CODE} characters`);
        made.set(id, createFormat(id, code));
      }
      if (element === 'cellXfs') inCells = true;
      if (element !== 'xf' || !inCells) return;
      const id = Number(attribute('numFmtId') ?? 0);
      formats.push(getOrAdd(made, id, () => createFormat(id, '')));
    },
    close(element) {
      if (element === 'cellXfs') inCells = false;
    },
  });
  return formats;
}
