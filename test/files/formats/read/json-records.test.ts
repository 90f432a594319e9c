/** Records of NDJSON and of JSON arrays, from pieces of text that end anywhere. */
import { describe, expect, it } from 'vitest';
import { parseLines, readJsonArray, readNdjson } from '#files/formats/read/json-records';

type Reader = typeof readNdjson;

const show = (row: unknown) =>
  JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value));

/** Returns each batch as its first line, its rows as JSON, and `torn` if the last line is incomplete; or the message of the error. */
async function read(reader: Reader, ...texts: string[]): Promise<unknown> {
  async function* pieces() {
    let line = 1;
    for (const [at, text] of texts.entries()) {
      yield { text, line, isLast: at === texts.length - 1 };
      line += text.split('\n').length - 1;
    }
  }
  const batches: unknown[] = [];
  try {
    for await (const { rows, line, torn } of reader(pieces(), 'scans.json'))
      batches.push(`${line}: ${rows.map(show).join(' ')}${torn ? ' torn' : ''}`);
  } catch (error) {
    return (error as Error).message;
  }
  return batches;
}

const fault = (text: string) => expect.stringContaining(text);

describe('NDJSON', () => {
  it.each([
    [
      ['{"a":1}\n{"a":2}\n', '{"a":3}'],
      ['1: {"a":1} {"a":2}', '3: {"a":3}'],
    ],
    [['\n {"a":1} \n\n{"a":2}\n'], ['1: {"a":1} {"a":2}']],
    [['{"a":"],["}\n{"b":1}\n'], ['1: {"a":"],["} {"b":1}']],
    [['{"a":1}\n{"a":'], ['1: {"a":1} torn']],
    [['{"a":1}\n7'], ['1: {"a":1} torn']],
    [['{"a":1}\n\n{"a":'], ['1: {"a":1} torn']],
    [['{"a":1}\n{"a":\n'], fault('line 2 is not a JSON object')],
    [['{"a":\n{"a":1}'], fault('line 1 is not a JSON object')],
    [['{"a":1}\n', '\n{"a":', '{"a":1}\n'], fault('line 3 is not a JSON object')],
    [['{"a":1},{"a":2}\n{"a":3}\n'], fault('line 1 is not a JSON object')],
    [['{"a":1}\nnull\n'], fault('line 2 is not a JSON object')],
    [['{"id":9007199254740993}\n{"id":1}\n'], ['1: {"id":"9007199254740993"} {"id":1}']],
  ])(
    'is read in batches with the number of their first line, or is refused with a line number: %j',
    async (texts, batches) => {
      expect(await read(readNdjson, ...texts)).toEqual(batches);
    },
  );

  it('has the line number of each value, even with empty lines between values', async () => {
    const parsed: string[] = [];
    const parse = async (text: string) => {
      parsed.push(text);
      return JSON.parse(text);
    };
    const together = await parseLines('{"a":1}\n{"a":2}\n\n', 5, parse);
    expect([together.values, together.lineOf(0), together.lineOf(1)]).toEqual([[{ a: 1 }, { a: 2 }], 5, 6]);
    expect(parsed).toEqual(['[{"a":1},{"a":2}]']);
    const apart = await parseLines('\n{"a":1}\n \n{"a":2}', 5, parse);
    expect([apart.values, apart.lineOf(0), apart.lineOf(1)]).toEqual([[{ a: 1 }, { a: 2 }], 6, 8]);
  });
});

describe('a JSON array', () => {
  it.each([
    [[' [{"a":1},{"a":2}]\n '], ['1: {"a":1} {"a":2}']],
    [['[]'], ['1: ']],
    [
      ['[\n{"a":1},\n', '{"a":2}]'],
      ['1: {"a":1}', '3: {"a":2}'],
    ],
    [
      ['[\n{"a":1},\n{"b":\n', '[1,2]},\n{"c":"}],\\",{"}\n', ']'],
      ['1: {"a":1}', '3: {"b":[1,2]}', '5: {"c":"}],\\",{"}'],
    ],
    [
      ['[{"a"', ':1', '}', ',{"a":2}', ']'],
      ['1: {"a":1}', '1: {"a":2}'],
    ],
    [
      ['[{"a":{"b":[1,', '2]}},\n', '{"a":3}]'],
      ['1: {"a":{"b":[1,2]}}', '2: {"a":3}'],
    ],
    [['[{"id":9007199254740993}]'], ['1: {"id":"9007199254740993"}']],
    [['[{"a":1},\n', '{"a":2}'], fault('the JSON array is incomplete')],
    [['[{"a":1},\n', 'x]'], fault('invalid JSON in or after line 2')],
    [['[{"a":1},\n{"a":1},\n', '7]'], fault('a value in or after line 3 is not an object')],
    [['[{"a":"', 'b'.repeat(2 ** 20), '"}]'], fault('a record in or after line 1 is longer than 1 MiB')],
  ])(
    'is read in batches with the number of their first line, or is refused with a reason: %j',
    async (texts, batches) => {
      expect(await read(readJsonArray, ...texts)).toEqual(batches);
    },
  );
});
