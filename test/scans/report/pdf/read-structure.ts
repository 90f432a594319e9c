/** Reads the structure of a tagged PDF with the text of each element, as a screen reader does (ISO 32000-1, 14.7 and 14.8). */
import {
  type PdfDictionary,
  type PdfFile,
  PdfName,
  PdfReference,
  type PdfValue,
  parsePdf,
  parseValue,
} from './parse-pdf.ts';

export interface Node {
  type: string;
  alt: string | undefined;
  scope: string | undefined;
  /** Of its own content. */
  text: string;
  children: Node[];
}

export interface TaggedPdf {
  file: PdfFile;
  catalog: PdfDictionary;
  pages: PdfDictionary[];
  root: Node;
  bookmarks: { title: string; page: number }[];
  /** Marked content that belongs to no element, and text outside of any: there must be none. */
  stray: string[];
  /** Text of artifacts, by page. */
  artifacts: string[][];
}

/** Reads a file. Throws Error if its structure is broken. */
export function readTaggedPdf(bytes: Buffer): TaggedPdf {
  const file = parsePdf(bytes);
  const catalog = file.dictionary(file.trailer.Root);
  const references = file.array(file.dictionary(catalog.Pages).Kids);
  const pages = references.map((page) => file.dictionary(page));
  const ids = references.map((page) => (page as PdfReference).id);
  const contents = pages.map((page) => readContent(file, page));
  const used = pages.map(() => new Set<number>());
  const toNode = (value: PdfValue | undefined, parentPage: number): Node => {
    const element = file.dictionary(value);
    const page = element.Pg instanceof PdfReference ? ids.indexOf(element.Pg.id) : parentPage;
    const node: Node = {
      type: nameOf(file.get(element.S)),
      alt: element.Alt as string | undefined,
      scope: nameOf(file.dictionary(element.A).Scope) || undefined,
      text: '',
      children: [],
    };
    for (const kid of file.array(element.K)) {
      const reference = file.get(kid);
      const isContent = typeof reference === 'number' || (reference as PdfDictionary).MCID !== undefined;
      if (!isContent) {
        node.children.push(toNode(kid, page));
        continue;
      }
      const own =
        typeof reference === 'number'
          ? page
          : ids.indexOf(((reference as PdfDictionary).Pg as PdfReference).id);
      const mcid = typeof reference === 'number' ? reference : Number((reference as PdfDictionary).MCID);
      const text = contents[own]?.marked.get(mcid);
      if (text === undefined) throw new Error(`content ${mcid} of page ${own} does not exist`);
      used[own]?.add(mcid);
      node.text += text;
    }
    return node;
  };
  const tree = file.dictionary(catalog.StructTreeRoot);
  const root = toNode(file.array(tree.K)[0], 0);
  const stray = contents.flatMap(({ marked, outside }, page) => {
    return [
      ...[...marked.keys()].filter((mcid) => !used[page]?.has(mcid)).map((mcid) => `content ${mcid}`),
      ...outside,
    ];
  });
  return {
    file,
    catalog,
    pages,
    root,
    bookmarks: bookmarksOf(file, catalog, ids),
    stray,
    artifacts: contents.map((page) => page.artifacts),
  };
}

/** Returns all elements, in reading order. */
export function nodesOf(node: Node): Node[] {
  return [node, ...node.children.flatMap(nodesOf)];
}

function nameOf(value: PdfValue | undefined): string {
  return value instanceof PdfName ? value.name : '';
}

function bookmarksOf(file: PdfFile, catalog: PdfDictionary, ids: readonly number[]): TaggedPdf['bookmarks'] {
  const found: TaggedPdf['bookmarks'] = [];
  let next = file.dictionary(catalog.Outlines).First;
  while (next !== undefined) {
    const item = file.dictionary(next);
    found.push({
      title: String(item.Title),
      page: ids.indexOf((file.array(item.Dest)[0] as PdfReference).id),
    });
    next = item.Next;
  }
  return found;
}

interface Content {
  /** Text by number of the marked content. */
  marked: Map<number, string>;
  artifacts: string[];
  /** Text or painting outside of both. */
  outside: string[];
}

const OPERATORS =
  /\/(\w+) (<<.*?>>) BDC|\/(\w+) BMC|\bEMC\b|\/(\w+) [\d.]+ Tf|\[([^\]]*)\] TJ|<([0-9a-f]+)> Tj|(?<=\s)(f|S|Do)(?=\s)/gs;

function readContent(file: PdfFile, page: PdfDictionary): Content {
  const fonts = fontsOf(file, page);
  const content: Content = { marked: new Map(), artifacts: [], outside: [] };
  const open: { mcid?: number; isArtifact?: boolean; actual?: string }[] = [];
  let letters = new Map<number, string>();
  const show = (text: string) => {
    if (open.some(({ actual }) => actual !== undefined)) return;
    const own = open.findLast(({ mcid }) => mcid !== undefined)?.mcid;
    if (own !== undefined) content.marked.set(own, (content.marked.get(own) ?? '') + text);
    else if (open.some(({ isArtifact }) => isArtifact)) content.artifacts.push(text);
    else content.outside.push(text);
  };
  for (const [all, tag, properties = '', plain, font, array, hex, paint] of file
    .stream(page.Contents)
    .matchAll(OPERATORS)) {
    if (tag !== undefined || plain !== undefined) {
      const { MCID: mcid, ActualText: actual } =
        properties === '' ? {} : (parseValue(properties, 0).value as PdfDictionary);
      if (typeof actual === 'string') show(actual);
      if (typeof mcid === 'number') content.marked.set(mcid, '');
      const isArtifact = (tag ?? plain) === 'Artifact';
      open.push({
        isArtifact,
        ...(typeof mcid === 'number' && { mcid }),
        ...(typeof actual === 'string' && { actual }),
      });
    } else if (all === 'EMC') open.pop();
    else if (font !== undefined) letters = fonts.get(font) ?? new Map();
    else if (paint !== undefined && open.length === 0) content.outside.push(paint);
    for (const digits of array?.match(/(?<=<)[0-9a-f]+(?=>)/g) ?? (hex === undefined ? [] : [hex])) {
      show(
        (digits.match(/.{4}/g) ?? [])
          .map((number) => letters.get(Number.parseInt(number, 16)) ?? '')
          .join(''),
      );
    }
  }
  return content;
}

/** Returns the letters of each glyph, by font. */
export function fontsOf(file: PdfFile, page: PdfDictionary): Map<string, Map<number, string>> {
  const fonts = file.dictionary(file.dictionary(page.Resources).Font);
  return new Map(
    Object.entries(fonts).map(([name, font]) => {
      const letters = new Map<number, string>();
      const map = file.stream(file.dictionary(font).ToUnicode);
      for (const [, first = '', list = ''] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[(.*)\]/g)) {
        for (const [at, [, units = '']] of [...list.matchAll(/<([0-9a-f ]*)>/g)].entries()) {
          const codes = units.split(' ').flatMap((unit) => (unit === '' ? [] : [Number.parseInt(unit, 16)]));
          letters.set(Number.parseInt(first, 16) + at, String.fromCharCode(...codes));
        }
      }
      return [name, letters];
    }),
  );
}
