import { Parser } from 'saxen';
import { refuseLarge, refuseWorkbook } from './unpack.ts';

interface XmlEvents {
  /** Called at a start tag. Element names have no prefix; attribute values are decoded. */
  open?(element: string, attribute: (name: string) => string | undefined): void;
  close?(element: string): void;
  text?(text: string, element: string): void;
}

/** Parses XML without expanding entities from a DTD. Throws UsageError for invalid XML. */
export function readXml(xml: string, name: string, events: XmlEvents): void {
  let failure: Error | undefined;
  let element: string;
  let inPhonetics = false;
  const local = (tag: string) => tag.slice(tag.indexOf(':') + 1);
  const addText = (text: string) => {
    if (!inPhonetics) events.text?.(text, element);
  };
  new Parser()
    .on('openTag', (tag, attributes) => {
      element = local(tag);
      if (element === PHONETICS) inPhonetics = true;
      events.open?.(element, (wanted) => {
        const value = attributes()[wanted];
        return value === undefined ? undefined : decodeText(value);
      });
    })
    .on('closeTag', (tag) => {
      element = '';
      if (local(tag) === PHONETICS) inPhonetics = false;
      events.close?.(local(tag));
    })
    .on('text', (text) => addText(decodeText(text)))
    .on('cdata', (text) => addText(withXmlLineEnds(text)))
    .on('error', (error) => {
      failure ??= error;
    })
    .parse(xml);
  if (failure) refuseWorkbook(name, 'is damaged: part of it is not valid XML', failure);
}

const PHONETICS = 'rPh';
const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes character references (XML 1.0, 4.1). The parser garbles emoji that are written as numbers. */
function decodeText(text: string): string {
  return withXmlLineEnds(text).replace(REFERENCE, (reference, hex?: string, decimal?: string, name = '') => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal ?? Number.NaN);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    return NAMED[name.toLowerCase()] ?? reference;
  });
}

function withXmlLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** Minimum number of characters to parse at once. Doubled until they include an item, for linear time. */
const LEAST_TEXT = 1 << 18;

/** Parses a list in bounded memory: first all items, then the rest of the part. */
export function readList(
  pieces: Iterable<string>,
  name: string,
  names: { list: string; item: string },
  events: XmlEvents,
): void {
  let tags: { item: string; end: string } | undefined;
  let around = '';
  let waiting = '';
  let isOver = false;
  let enough = LEAST_TEXT;

  function take(): void {
    tags ??= begin();
    if (tags) readItems(tags);
    refuseLarge(waiting, name);
    enough = Math.max(LEAST_TEXT, 2 * waiting.length);
  }

  function begin(): typeof tags {
    const opened = new RegExp(`<((?:[\\w.-]+:)?)${names.list}(?:\\s[^<>]*)?>`).exec(waiting);
    if (!opened || opened[0].endsWith('/>')) return undefined;
    const [tag, prefix = ''] = opened;
    around = waiting.slice(0, opened.index + tag.length);
    waiting = waiting.slice(around.length);
    return { item: `<${prefix}${names.item}`, end: `</${prefix}${names.list}` };
  }

  function readItems({ item, end }: { item: string; end: string }): void {
    const endAt = waiting.indexOf(end);
    isOver = endAt >= 0;
    const whole = isOver ? endAt : startOfLast(waiting, item);
    if (whole > 0) readXml(`<items>${waiting.slice(0, whole)}</items>`, name, events);
    waiting = waiting.slice(whole);
    if (!isOver) return;
    around += waiting;
    waiting = '';
  }

  for (const piece of pieces) {
    if (isOver) {
      around += piece;
      refuseLarge(around, name);
      continue;
    }
    waiting += piece;
    if (waiting.length >= enough) take();
  }
  if (!isOver) take();
  readXml(around + waiting, name, events);
}

/** Returns the start of the last, possibly incomplete item; 0 if there is no other item. */
function startOfLast(text: string, tag: string): number {
  for (let at = text.lastIndexOf(tag); at > 0; at = text.lastIndexOf(tag, at - 1)) {
    if (/[\s/>]/.test(text.charAt(at + tag.length))) return at;
  }
  return 0;
}
