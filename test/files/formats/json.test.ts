import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFormatter } from '#files/formats/create-formatter';
import { textOf } from '#files/formats/formatter';
import { formatJson, plainText } from '#files/formats/json';

const columns = ['id', 'name'].map((name) => ({ name }));

function render(
  format: 'json' | 'ndjson',
  batches: Record<string, unknown>[][],
  shape: 'list' | 'record' = 'list',
  keepExtra = true,
) {
  const formatter = createFormatter(format, {
    columns,
    shape,
    keepExtra,
    header: true,
    rawCells: false,
    excel: false,
  });
  return formatter.begin() + batches.map((batch) => textOf(formatter.rows(batch))).join('') + formatter.end();
}

/** Few values, so that many come again, of every kind that JSON has. */
const texts = ['DE', 'München', 'say "a"', '', '\ud800', '東京'];
const common = fc.constantFrom(...texts, ...[0, -0, 1.5, 1e300], true, null, [], { a: [1] });
const likeScans = fc.record(
  { id: fc.integer(), city: common, 'a"b': common, extra: common },
  { requiredKeys: ['id'] },
);
const record = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });

describe('json', () => {
  test('is one array for several batches, with one record per line', () => {
    expect(render('json', [[{ id: 1 }], [], [{ id: 2 }, { id: 3 }]])).toBe(
      '[\n{"id":1},\n{"id":2},\n{"id":3}\n]\n',
    );
  });

  test('is an empty array if there are no records', () => {
    expect(render('json', [])).toBe('[]\n');
    expect(render('json', [[], []])).toBe('[]\n');
  });

  test('is one indented object if the output is a single record instead of a list', () => {
    expect(render('json', [[{ id: 1, tags: ['a', {}] }]], 'record')).toBe(
      '{\n  "id": 1,\n  "tags": [\n    "a",\n    {}\n  ]\n}\n',
    );
  });

  test('has the exact values, including unknown fields', () => {
    fc.assert(
      fc.property(fc.array(fc.array(record)), (batches) => {
        expect(JSON.stringify(JSON.parse(render('json', batches)))).toBe(JSON.stringify(batches.flat()));
      }),
    );
  });
});

describe('ndjson', () => {
  test('has one record per line, as JSON.stringify formats it', () => {
    fc.assert(
      fc.property(fc.array(record), (rows) => {
        expect(render('ndjson', [rows])).toBe(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      }),
    );
  });

  test('has the lines that JSON.stringify returns for repeated keys and values, in batches of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.array(likeScans)), (batches) => {
        const lines = batches.flat().map((row) => `${JSON.stringify(row)}\n`);
        expect(render('ndjson', batches)).toBe(lines.join(''));
      }),
    );
  });

  test('has the lines that JSON.stringify returns for more values and keys than are cached, and for long values', () => {
    const rows = Array.from({ length: 5000 }, (_, i) => ({
      id: i,
      ts: `t${i}`,
      city: `Köln ${i % 1500}`,
      [`key ${i}`]: 'x',
    }));
    const long = ['x'.repeat(300_000), `${'y'.repeat(300_000)}ü`, 'x'.repeat(300_000)].map((name) => ({
      name,
    }));
    const lines = [...rows, ...long].map((row) => `${JSON.stringify(row)}\n`);
    expect(render('ndjson', [rows, long])).toBe(lines.join(''));
    const wide = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, `v${i}`]));
    expect(render('ndjson', [[wide, wide]])).toBe(`${JSON.stringify(wide)}\n`.repeat(2));
  });

  test('omits undefined values, as JSON.stringify does', () => {
    expect(render('ndjson', [[{ a: undefined, id: 1 }, { a: undefined }, {}]])).toBe('{"id":1}\n{}\n{}\n');
    expect(render('ndjson', [[{ a: undefined, id: 9007199254740993n }]])).toBe('{"id":9007199254740993}\n');
  });
});

describe('JSON and NDJSON', () => {
  test('have only the keys in --fields, in that order, with null for a missing key', () => {
    expect(render('ndjson', [[{ extra: 1, name: 'x', id: 5 }, { id: 6 }]], 'list', false)).toBe(
      '{"id":5,"name":"x"}\n{"id":6,"name":null}\n',
    );
    expect(render('json', [[{ extra: 1, name: 'x', id: 5 }]], 'list', false)).toBe(
      '[\n{"id":5,"name":"x"}\n]\n',
    );
  });

  test('print integers beyond 2^53 with all their digits', () => {
    const rows = [{ id: 9007199254740993n, deep: [{ n: 12345678901234567890n }] }];
    expect(render('ndjson', [rows])).toBe('{"id":9007199254740993,"deep":[{"n":12345678901234567890}]}\n');
    expect(render('json', [rows], 'record')).toContain('"n": 12345678901234567890');
  });

  test('keep lone surrogates as escapes, and __proto__ as a key', () => {
    const row = JSON.parse('{"__proto__":{"x":1},"name":"a\\ud800"}');
    expect(render('ndjson', [[row]])).toBe('{"__proto__":{"x":1},"name":"a\\ud800"}\n');
    expect(render('json', [[row]])).toBe('[\n{"__proto__":{"x":1},"name":"a\\ud800"}\n]\n');
  });

  test('are formatted by formatJson() as by JSON.stringify for any value, with and without indentation', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        expect(formatJson(value, indent)).toBe(JSON.stringify(value, undefined, indent));
      }),
    );
  });
});

test.each([0, 2])(
  'formatJson refuses a value nested more than 200 levels deep, before the stack overflows (indent %i)',
  (indent) => {
    const nested = (depth: number) => {
      let value: unknown = 1n;
      for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value };
      return value;
    };
    expect(formatJson(nested(100), indent)).toContain('1');
    expect(() => formatJson(nested(100_000), indent)).toThrow(
      'the service returned a value nested more than 200 levels deep',
    );
  },
);

test.each([
  [null, ''],
  [undefined, ''],
  ['', ''],
  ['null', 'null'],
  [0, '0'],
  [false, 'false'],
  [{ a: [1] }, '{"a":[1]}'],
])('%j as plain text is %j', (value, text) => {
  expect(plainText(value)).toBe(text);
});
