import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '#service/json';
import { firstRows, SOAK } from '../support/property-runs.ts';

test('parseJson returns the same as JSON.parse for a text without long integers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), async (text) => {
      fc.pre(!/\d{16}/.test(text));
      expect(await parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('parseJson keeps all digits in integers up to 2^70', async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), async (id) => {
      const value = await parseJson(`{"rows":[{"id": ${id}},${id}],"n":${id}}`);
      const expected = Number.isSafeInteger(Number(id)) ? Number(id) : id;
      expect(value).toEqual({ rows: [{ id: expected }, expected], n: expected });
    }),
  );
});

test('parseJson keeps all digits in a long integer at any place in a text, and does not change digits in strings', async () => {
  const before = fc.string({ maxLength: 40 }).map((text) => JSON.stringify(text));
  const space = fc.stringMatching(/^[ \n]{0,20}$/);
  await fc.assert(
    fc.asyncProperty(before, space, fc.stringMatching(/^[1-9]\d{15,40}$/), async (text, white, digits) => {
      expect(await parseJson(`[${text},${white}-${digits}]`)).toEqual([
        JSON.parse(text),
        Number.isSafeInteger(-digits) ? -digits : -BigInt(digits),
      ]);
      expect(await parseJson(`[${text},"x${digits}"]`)).toEqual([JSON.parse(text), `x${digits}`]);
    }),
  );
});

test('parseJson reads numbers with a fraction or exponent as floating-point numbers, even next to long integers', async () => {
  const expected = [9007199254740993n, 1.5, 1000, 0.12345678901234568];
  expect(await parseJson('[9007199254740993, 1.5, 1e3, 0.12345678901234567890]')).toEqual(expected);
});

test('parseJson reads __proto__ as an ordinary field, and the last value of a repeated key, even with long integers', async () => {
  for (const id of ['1', '9007199254740993']) {
    const value = await parseJson(`{"id":${id},"__proto__":{"polluted":1},"a":1,"a":2}`);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.entries(value as object).slice(1)).toEqual([
      ['__proto__', { polluted: 1 }],
      ['a', 2],
    ]);
  }
  expect('polluted' in {}).toBe(false);
});

test.each([
  '',
  '{',
  '{"data":[9007199254740993',
  '<html>',
  'NaN',
  `[9007199254740993,${'['.repeat(100_000)}`,
])('parseJson refuses %j', async (text) => {
  await expect(parseJson(text)).rejects.toThrow();
});

describe('parseJson', () => {
  const kinds: [string, () => string][] = [
    ['members', () => `{${'"a":0,'.repeat(1_000_000)}"b":1}`],
    ['objects', () => `[${'{},'.repeat(3_000_000)}{}]`],
    ['arrays', () => `[${'[],'.repeat(3_000_000)}[]]`],
    ['numbers', () => `[${'1,'.repeat(9_000_000)}1]`],
    ['texts', () => `[${'"a",'.repeat(1_500_000)}1]`],
  ];
  test.each(firstRows(1, kinds))('refuses a text with more than a million %s', async (_, make) => {
    await expect(parseJson(make())).rejects.toThrow('has too many values');
  });

  test('accepts a string of at least a million brackets, commas, quotes and backslashes', async () => {
    const long = '{},"\\'.repeat(SOAK ? 2_000_000 : 200_000);
    expect(await parseJson(JSON.stringify([long]))).toEqual([long]);
  });

  test('refuses a text of more than 4 MiB if it has an integer beyond 2^53', async () => {
    const text = `["${'x'.repeat(5_000_000)}",9007199254740993]`;
    await expect(parseJson(text)).rejects.toThrow('is larger than 4 MiB and has integers beyond 2^53');
  });

  test('refuses a number with more than 100 digits', async () => {
    const digits = '7'.repeat(SOAK ? 3_000_000 : 300_000);
    await expect(parseJson(`{"id":${digits}}`)).rejects.toThrow(
      'contains a number with more than 100 digits',
    );
    expect(await parseJson(`{"id":${'7'.repeat(100)}}`)).toEqual({ id: BigInt('7'.repeat(100)) });
  });

  test('refuses a text that is nested more than 100 levels deep', async () => {
    const deep = `${'['.repeat(100_000)}12345678901234567890${']'.repeat(100_000)}`;
    await expect(parseJson(deep)).rejects.toThrow('is nested more than 100 levels deep');
  });
});
