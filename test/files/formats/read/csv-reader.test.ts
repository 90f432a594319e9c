import { describe, expect, it } from 'vitest';
import { loadCsvReader } from '#files/formats/read/csv-reader';

const createReader = await loadCsvReader();

type Found = [line: number, ...cells: string[]];

/** The records of pieces, of which each but the last has whole lines. */
function read(pieces: readonly string[], form = {}): Found[] {
  const found: Found[] = [];
  const reader = createReader({ separator: ',', longest: 2 ** 20, ...form }, (cells, line) =>
    found.push([line, ...cells]),
  );
  for (const piece of pieces) reader.read(piece);
  reader.end();
  return found;
}

const faultOf = (text: string, form = {}) => {
  try {
    return read([text], form);
  } catch (error) {
    const { name, line, message } = error as Error & { line: number };
    return [name, line, message];
  }
};

describe('records of CSV', () => {
  it.each<[string, Found[]]>([
    ['', []],
    ['\n\r\n\r', []],
    ['a', [[1, 'a']]],
    [
      'a,b\n,\n',
      [
        [1, 'a', 'b'],
        [2, '', ''],
      ],
    ],
    [
      'a\r\rb\r\n\r\nc',
      [
        [1, 'a'],
        [3, 'b'],
        [5, 'c'],
      ],
    ],
    [
      '"a"\n"b"\r"c"\r\nd',
      [
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
        [4, 'd'],
      ],
    ],
    [
      '"a\n\n,b"\n"""",c\n',
      [
        [1, 'a\n\n,b'],
        [4, '"', 'c'],
      ],
    ],
    [
      '"a\r\nb\rc",\rd\n',
      [
        [1, 'a\r\nb\rc', ''],
        [4, 'd'],
      ],
    ],
    [
      'a\n"b","\n",c\n\nd,e,f\n"g"',
      [
        [1, 'a'],
        [2, 'b', '\n', 'c'],
        [5, 'd', 'e', 'f'],
        [6, 'g'],
      ],
    ],
  ])(
    'in %j have the lines at which they begin, whether read at once, by line or in two pieces',
    (text, records) => {
      const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
      expect(read([text])).toEqual(records);
      expect(read(lines)).toEqual(records);
      expect(read([lines.slice(0, 2).join(''), lines.slice(2).join('')])).toEqual(records);
      const later = records.map(([line, ...cells]): Found => [line + 10, ...cells]);
      expect(read([text], { firstLine: 11 })).toEqual(later);
    },
  );

  it('are split only at unquoted separators of the file', () => {
    expect(read(['a;b,c\n"d;""e"";";f\n'], { separator: ';' })).toEqual([
      [1, 'a', 'b,c'],
      [2, 'd;"e";', 'f'],
    ]);
  });

  it('may have 1000 cells, and are refused with more', () => {
    const [plain, quoted] = [Array(1000).fill('x').join(), Array(1000).fill('","').join()];
    expect(read([`${plain}\n${quoted}\n`]).map((record) => record.length)).toEqual([1001, 1001]);
    expect(read(['"a",b\n'.repeat(1001)]).length).toBe(1001);
    expect(faultOf(`a\n${plain},\n`)).toEqual(['CsvFault', 2, 'has 1001 cells (limit: 1000)']);
    expect(faultOf(`a\n${quoted},\n`)).toEqual(['CsvFault', 2, 'has 1001 cells (limit: 1000)']);
    expect(faultOf(`"a"\n"b\n"\n${quoted},y,z\nc`)).toEqual(['CsvFault', 4, 'has 1002 cells (limit: 1000)']);
  });

  it('may be as long as the limit, and are refused if they are longer', () => {
    const form = { longest: 2 ** 20 };
    const long = 'x'.repeat(2 ** 20);
    const fault = ['CsvFault', 2, 'is longer than 1 MiB'];
    expect(read([`a\n${long}\n`], form)).toEqual([
      [1, 'a'],
      [2, long],
    ]);
    expect(faultOf(`a\n${long}x\n`, form)).toEqual(fault);
    expect(read([`a\n"${long.slice(3)}"\n`], form)).toEqual([
      [1, 'a'],
      [2, long.slice(3)],
    ]);
    expect(faultOf(`a\n"${long.slice(2)}"\n`, form)).toEqual(fault);
    const open = () => read(['a\n"x\n', `${long.slice(5)}\n`, '"\n'], form);
    expect(open).toThrow(fault[2] as string);
    expect(read(['a\n"x\n', `${long.slice(6)}\n`, '"\n'], form)[1]?.[0]).toBe(2);
  });

  it.each<[string, number, string]>([
    ['a\n"b\n\nc', 2, 'a quote (") opened here is never closed'],
    ['a\n"b"\n"c\nd"\n"e"f\n', 5, 'a quote (") appears inside a cell: enclose'],
    ['a\n"b"\nc"\n"\nd\n', 3, 'a quote (") appears inside a cell: enclose'],
  ])('in %j are refused at line %i because %s', (text, line, message) => {
    expect(faultOf(text)).toEqual(['CsvFault', line, expect.stringContaining(message)]);
  });

  it('may have 2^20 empty lines between them, and are refused with more', () => {
    const empty = '\n'.repeat(2 ** 20);
    expect(read([`a\n${empty}b\n`])).toEqual([
      [1, 'a'],
      [2 ** 20 + 2, 'b'],
    ]);
    expect(faultOf(`a\n${empty}b\n\n`)).toEqual([
      'CsvFault',
      2 ** 20 + 3,
      'exceeds the limit of 1048576 empty lines per file',
    ]);
  });

  it('in an incomplete last line are read only if they are one complete record', () => {
    const reader = createReader({ separator: ',', longest: 100 }, () => undefined);
    expect(reader.cellsOfLast('a,b')).toEqual(['a', 'b']);
    expect(reader.cellsOfLast('a\nb')).toBe(undefined);
    expect(reader.cellsOfLast('a,"b')).toBe(undefined);
    expect(reader.isOpen()).toBe(false);
    reader.read('x\n"a\n');
    expect(reader.isOpen()).toBe(true);
    expect(reader.cellsOfLast('b",c')).toEqual(['a\nb', 'c']);
    expect(reader.cellsOfLast('b')).toBe(undefined);
  });
});
