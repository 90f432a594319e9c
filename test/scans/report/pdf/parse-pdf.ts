/** Parses PDF objects (ISO 32000-1, 7.3 and 7.5), by the file alone: dictionaries, arrays, strings, names, numbers and references. */
import { inflateSync } from 'node:zlib';

export type PdfValue = string | number | boolean | null | PdfName | PdfReference | PdfValue[] | PdfDictionary;
export interface PdfDictionary {
  [key: string]: PdfValue | undefined;
}
export class PdfName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}
export class PdfReference {
  readonly id: number;
  constructor(id: number) {
    this.id = id;
  }
}

export interface PdfFile {
  trailer: PdfDictionary;
  /** Follows references. */
  get(value: PdfValue | undefined): PdfValue | undefined;
  dictionary(value: PdfValue | undefined): PdfDictionary;
  array(value: PdfValue | undefined): PdfValue[];
  /** Content of a stream, inflated. */
  stream(value: PdfValue | undefined): string;
}

/** Reads a file by its table of positions. */
export function parsePdf(bytes: Buffer): PdfFile {
  const text = bytes.toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF/.exec(text)?.[1]);
  const positions = [
    ...text.slice(start, text.indexOf('trailer', start)).matchAll(/^(\d{10}) \d{5} [nf]/gm),
  ].map(([, at]) => Number(at));
  const trailer = parseValue(text, text.indexOf('<<', text.indexOf('trailer', start))).value as PdfDictionary;
  const objects = new Map<number, { value: PdfValue; end: number }>();
  const object = (id: number) => {
    const known = objects.get(id) ?? parseValue(text, text.indexOf('obj', positions[id]) + 3);
    objects.set(id, known);
    return known;
  };
  const get = (value: PdfValue | undefined): PdfValue | undefined =>
    value instanceof PdfReference ? get(object(value.id).value) : value;
  return {
    trailer,
    get,
    dictionary: (value) => (get(value) ?? {}) as PdfDictionary,
    array: (value) => (get(value) ?? []) as PdfValue[],
    stream(value) {
      if (!(value instanceof PdfReference)) throw new Error('not a stream');
      const { value: dictionary, end } = object(value.id);
      const from = text.indexOf('stream\n', end) + 'stream\n'.length;
      const data = bytes.subarray(from, from + Number((dictionary as PdfDictionary).Length));
      return ((dictionary as PdfDictionary).Filter === undefined ? data : inflateSync(data)).toString(
        'latin1',
      );
    },
  };
}

/** Parses the value at a position; returns it and where it ends. */
export function parseValue(text: string, from: number): { value: PdfValue; end: number } {
  const at = from + (/^\s*/.exec(text.slice(from, from + 20))?.[0].length ?? 0);
  const ahead = text.slice(at, at + 60);
  if (ahead.startsWith('<<')) return parseDictionary(text, at + 2);
  if (ahead.startsWith('[')) return parseArray(text, at + 1);
  if (ahead.startsWith('(')) return parseString(text, at + 1);
  const hex = ahead.startsWith('<') ? /<([0-9a-fA-F\s]*)>/y : undefined;
  if (hex) {
    hex.lastIndex = at;
    const digits = hex.exec(text)?.[1] ?? '';
    return {
      value: decodeText(Buffer.from(digits.replaceAll(/\s/g, ''), 'hex').toString('latin1')),
      end: hex.lastIndex,
    };
  }
  const [reference, id] = /^(\d+) \d+ R\b/.exec(ahead) ?? [];
  if (reference !== undefined) return { value: new PdfReference(Number(id)), end: at + reference.length };
  const [name, called = ''] = /^\/([^\s/<>[\]()]*)/.exec(ahead) ?? [];
  if (name !== undefined) return { value: new PdfName(called), end: at + name.length };
  const [word = ''] = /^[^\s/<>[\]()]+/.exec(ahead) ?? [];
  if (word === '') throw new Error(`no value at ${at}: ${ahead}`);
  const value = word === 'true' ? true : word === 'false' ? false : word === 'null' ? null : Number(word);
  return { value, end: at + word.length };
}

function parseDictionary(text: string, from: number): { value: PdfDictionary; end: number } {
  const value: PdfDictionary = {};
  for (let at = from; ; ) {
    const next = skipSpace(text, at);
    if (text.startsWith('>>', next)) return { value, end: next + 2 };
    const key = parseValue(text, next);
    const entry = parseValue(text, key.end);
    value[(key.value as PdfName).name] = entry.value;
    at = entry.end;
  }
}

function parseArray(text: string, from: number): { value: PdfValue[]; end: number } {
  const value: PdfValue[] = [];
  for (let at = from; ; ) {
    const next = skipSpace(text, at);
    if (text[next] === ']') return { value, end: next + 1 };
    const entry = parseValue(text, next);
    value.push(entry.value);
    at = entry.end;
  }
}

const ESCAPED: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function parseString(text: string, from: number): { value: string; end: number } {
  let raw = '';
  for (let at = from, depth = 1; ; at++) {
    const sign = text[at] ?? '';
    if (sign === '\\') {
      at++;
      const escaped = text[at] ?? '';
      raw += ESCAPED[escaped] ?? escaped;
      continue;
    }
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    if (depth === 0) return { value: decodeText(raw), end: at + 1 };
    raw += sign;
  }
}

function decodeText(raw: string): string {
  return raw.startsWith('\xfe\xff') ? Buffer.from(raw.slice(2), 'latin1').swap16().toString('utf16le') : raw;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? '')) at++;
  return at;
}
