/** Elements, attributes and text of the parts of a workbook. */
import { describe, expect, it } from 'vitest';
import { readList, readXml } from '#files/formats/xlsx/read-xml';

function recorder() {
  const seen: string[] = [];
  const events = {
    open: (element: string, attribute: (name: string) => string | undefined) => {
      seen.push(`<${element} ${attribute('r') ?? '-'}>`);
    },
    close: (element: string) => seen.push(`</${element}>`),
    text: (text: string, element: string) => {
      if (text.trim() !== '') seen.push(`${element || '-'}=${JSON.stringify(text)}`);
    },
  };
  return { seen, events };
}

function read(xml: string): string {
  const { seen, events } = recorder();
  readXml(xml, 'codes.xlsx', events);
  return seen.join(' ');
}

describe('XML', () => {
  it.each([
    ['<x:c r="A1&amp;B"><v>1</v></x:c>', '<c A1&B> <v -> v="1" </v> </c>'],
    ['<t>&#x1F600;&#128512;&#X41;&#66;</t>', '<t -> t="😀😀AB" </t>'],
    ['<t>&amp;&lt;&GT;&quot;&apos;</t>', '<t -> t="&<>\\"\'" </t>'],
    [
      '<t>&#x10FFFF;&#x110000;&#9999999;&other;&#x1234567;</t>',
      '<t -> t="\u{10ffff}&#x110000;&#9999999;&other;&#x1234567;" </t>',
    ],
    ['<t>a\r\nb\rc</t>', '<t -> t="a\\nb\\nc" </t>'],
    ['<t><![CDATA[a\r\n&amp;]]></t>', '<t -> t="a\\n&amp;" </t>'],
    [
      '<si><t>東京</t><rPh><t>トウ</t></rPh><x:rPh><t>キョウ</t></x:rPh><t>!</t></si>',
      '<si -> <t -> t="東京" </t> <rPh -> <t -> </t> </rPh> <rPh -> <t -> </t> </rPh> <t -> t="!" </t> </si>',
    ],
    ['<t>a<b>c</b>d</t>', '<t -> t="a" <b -> b="c" </b> -="d" </t>'],
  ])('is read as elements, attributes and decoded text: %s', (xml, seen) => {
    expect(read(xml)).toBe(seen);
  });

  it('can be read without event handlers', () => {
    expect(readXml('<a>b</a>', 'codes.xlsx', {})).toBeUndefined();
  });

  it('that is not well-formed is refused', () => {
    expect(() => read('<a><b></a>')).toThrow('codes.xlsx');
  });
});

describe('a list', () => {
  /** Reads a sheet that arrives in these pieces, and returns its elements without texts and closing tags. */
  function list(...pieces: string[]): string {
    const { seen, events } = recorder();
    readList(pieces, 'codes.xlsx', { list: 'sheetData', item: 'row' }, events);
    return seen.filter((event) => /^<\w/.test(event)).join(' ');
  }

  it.each([
    [
      '<w><d/><sheetData><row r="1"/><row r="2"/></sheetData><e/></w>',
      '<items -> <row 1> <row 2> <w -> <d -> <sheetData -> <e ->',
    ],
    [
      '<x:w><x:sheetData a="1"><x:row r="1"></x:row></x:sheetData></x:w>',
      '<items -> <row 1> <w -> <sheetData ->',
    ],
    ['<w><sheetData></sheetData></w>', '<w -> <sheetData ->'],
    ['<w><sheetData/><e/></w>', '<w -> <sheetData -> <e ->'],
    ['<w><e/></w>', '<w -> <e ->'],
  ])('has its items first, then the rest of the part: %s', (xml, seen) => {
    expect(list(xml)).toBe(seen);
    expect(list(...xml)).toBe(seen);
  });

  it('that is parsed in several parts has every item once, in order', () => {
    const rows = Array.from(
      { length: 900 },
      (_, at) => `<row r="${at}"><rowBreak/>${' '.repeat(1000)}</row>`,
    );
    const xml = `<w><sheetData>${rows.join('')}</sheetData><after/></w>`;
    const pieces = xml.match(/.{1,65536}/gs) ?? [];
    const found = list(...pieces);
    expect([...found.matchAll(/<row (\d+)>/g)].map(([, n]) => Number(n))).toEqual(rows.map((_, at) => at));
    expect(found).toMatch(/<w -> <sheetData -> <after ->$/);
    expect(found.match(/<items/g)?.length).toBeGreaterThan(2);
  });
});
