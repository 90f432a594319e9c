/** Reads the XML parts of a workbook element by element. */
import { Parser } from 'saxen';
import { refuseWorkbook } from './unpack.ts';

export interface XmlEvents {
  /** Elements come without prefixes, values of attributes with their entities decoded. */
  open?(element: string, attribute: (name: string) => string | undefined): void;
  close?(element: string): void;
  /** Of the innermost element. */
  text?(text: string): void;
}

/** Parses a part. Throws UsageError if it is not XML. Entities of a DTD are not expanded. */
export function readXml(xml: string, name: string, events: XmlEvents): void {
  let failure: Error | undefined;
  const local = (element: string) => element.slice(element.indexOf(':') + 1);
  new Parser()
    .on('openTag', (element, attributes) => {
      events.open?.(local(element), (wanted) => {
        const all = attributes();
        const value = all[wanted];
        return value === undefined ? undefined : decodeText(value);
      });
    })
    .on('closeTag', (element) => events.close?.(local(element)))
    .on('text', (text) => events.text?.(decodeText(text)))
    .on('cdata', (text) => events.text?.(withXmlLineEnds(text)))
    .on('error', (error) => {
      failure ??= error;
    })
    .parse(xml);
  if (failure) refuseWorkbook(name, 'is damaged: part of it is not valid XML', failure);
}

const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes references to single characters (XML 1.0, 4.1). The parser's own decoder garbles emoji in numeric form. */
function decodeText(text: string): string {
  return withXmlLineEnds(text).replace(REFERENCE, (reference, hex?: string, decimal?: string, name = '') => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal ?? Number.NaN);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    return NAMED[name.toLowerCase()] ?? reference;
  });
}

/** XML 1.0, 2.11: an editor added a literal return with the line end. */
function withXmlLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
