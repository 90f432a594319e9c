import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defuse, restore } from '#base/text/defuse';
import { type CsvOptions, createCsvFormatter, defusedCell } from '#files/formats/csv';
import { textOf } from '#files/formats/formatter';
import { anyCharacter } from '../../support/any-character.ts';
import { runs, SOAK } from '../../support/property-runs.ts';

const names = ['id', 'name', 'city'];
const plain = { header: true, rawCells: true, excel: false };

function csv(rows: Record<string, unknown>[], options: CsvOptions = plain, columns = names): string {
  return inBatches([rows], options, columns);
}

function inBatches(
  batches: Record<string, unknown>[][],
  options: CsvOptions = plain,
  columns = names,
): string {
  const formatter = createCsvFormatter(columns, options);
  return formatter.begin() + batches.map((batch) => textOf(formatter.rows(batch))).join('') + formatter.end();
}

const cell = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.bigInt(),
  fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', '=', "'", '東', '\t') }),
  fc.string({ unit: anyCharacter }),
);
const row = fc.record({ id: cell, name: cell, city: cell });

const SIGNS = '=+-@＝＋－＠';
const BLANK = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Behind a separator, or the end of a line, before a formula; behind the comma, which is the file's own, only beside others. */
function wantsApostrophe(units: readonly string[], at: number): boolean {
  if (!',;|\t\n\r'.includes(units[at] ?? '') || (units[at] === '\r' && units[at + 1] === '\n')) return false;
  const sign = units.slice(at + 1).find((unit) => !BLANK.test(unit) && unit !== '"' && unit !== "'") ?? ' ';
  return SIGNS.includes(sign) && (units[at] !== ',' || units[at + 1] === "'");
}

/** The rules for a cell, each written out: what csv.ts copies and what it leaves to csv-stringify must come to the same bytes. */
function cellByRules(value: unknown, defused: boolean): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const inside = [...value]
    .map((unit, at) => unit + (defused && wantsApostrophe([...value], at) ? "'" : ''))
    .join('');
  const rest = inside.replace(/^'+/, '');
  const first = [...rest].find((character) => !BLANK.test(character));
  const before = first === undefined ? rest : rest.slice(0, rest.indexOf(first));
  const isFormula = /[\t\r\n]/.test(before) || (first !== undefined && SIGNS.includes(first));
  const text = defused && isFormula ? `'${inside}` : inside;
  return (defused ? /[",\n\r;\t]/ : /[",\n\r]/).test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What csv-stringify makes of the same rows. */
function oracle(rows: unknown[]): string {
  return stringify(rows, {
    header: true,
    columns: names,
    quoted_match: /\r/,
    cast: { bigint: (value) => `${value}`, number: (value) => `${value}` },
  });
}

describe('CSV (RFC 4180)', () => {
  test('has the same bytes as csv-stringify for any raw cells', () => {
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        expect(csv(rows)).toBe(oracle(rows));
      }),
    );
  });

  test('has the same bytes as csv-stringify for repeated raw values, and for more values than are cached', () => {
    const texts = ['DE', 'München', 'say "a"', '', 'a,b', 'x'.repeat(SOAK ? 300_000 : 70_000), '東京'];
    const common = fc.constantFrom(...texts, ...[0, -0, 1.5], 7n);
    const rowOfCommon = fc.record({ id: common, name: common, city: common });
    fc.assert(
      fc.property(fc.array(fc.array(rowOfCommon)), (batches) => {
        expect(inBatches(batches)).toBe(oracle(batches.flat()));
      }),
      runs(3),
    );
    const many = Array.from({ length: 3000 }, (_, i) => ({
      id: i,
      name: `Köln, ${i % 1500}`,
      city: i % 2 ? `"${i}` : 'é',
    }));
    expect(inBatches([many.slice(0, 1700), many.slice(1700)])).toBe(oracle(many));
  });

  test.each([true, false])(
    'has the same bytes as a plain implementation of the rules, with raw cells: %s (T2)',
    (rawCells) => {
      const sign = fc.string({
        unit: fc.constantFrom(...'=+-@＝＋－＠ \t\r\n\0;,"\'\u200b\u3000\ufeffaé東🍜'),
      });
      const any = fc.oneof(cell, sign);
      fc.assert(
        fc.property(fc.array(fc.record({ id: any, name: any, city: any })), fc.boolean(), (rows, excel) => {
          const end = excel ? '\r\n' : '\n';
          const lines = rows.map(
            (one) => names.map((name) => cellByRules(one[name as 'id'], !rawCells)).join(',') + end,
          );
          const start = `${excel ? '\ufeff' : ''}id,name,city${end}`;
          expect(csv(rows, { header: true, rawCells, excel })).toBe(start + lines.join(''));
        }),
        runs(40, 6000),
      );
    },
  );

  test.each([';', '\t'])(
    'quotes cells that contain a comma, semicolon or tab if the delimiter is %j (T4, T11)',
    (delimiter) => {
      const rows = [{ id: 'a,b', name: 'c;d', city: 'e\tf' }];
      const line = ['"a,b"', '"c;d"', '"e\tf"'].join(delimiter);
      for (const rawCells of [true, false]) {
        expect(csv(rows, { ...plain, rawCells, header: false, delimiter })).toBe(`${line}\n`);
      }
    },
  );

  test('escapes the same cells as the rules that use Unicode properties, for each BMP character or emoji before a formula (T1)', () => {
    const pairs = Array.from({ length: 0x1fc00 - 0x1f000 }, (_, i) => String.fromCodePoint(0x1f000 + i));
    const units = Array.from({ length: 0x10000 }, (_, i) => String.fromCharCode(i));
    const texts = [...units, ...pairs]
      .filter((first) => !/[",;\t\n\r]/.test(first))
      .map((first) => `${first}=1`);
    expect(texts.filter((text) => defusedCell(text) !== cellByRules(text, true))).toEqual([]);
    expect(texts.filter((text) => defuse(text) !== cellByRules(text, true))).toEqual([]);
  });

  test('quotes and escapes header cells like other cells', () => {
    expect(csv([], { ...plain, rawCells: false }, ['a,b', '=c', 'd;e'])).toBe('"a,b",\'=c,"d;e"\n');
    expect(csv([], plain, ['a,b', '=c', 'd;e'])).toBe('"a,b",=c,d;e\n');
  });

  test('has "" instead of an empty line for a single empty cell, because readers skip empty lines (T3)', () => {
    expect(csv([{ name: null }, { name: 'x' }], plain, ['name'])).toBe('name\n""\nx\n');
  });

  test('has an empty cell for a missing key, and JSON for a nested value', () => {
    expect(csv([{ id: 1, city: { a: [1n] } }])).toBe('id,name,city\n1,,"{""a"":[1]}"\n');
  });

  test('ignores a field named __proto__', () => {
    const hostile = JSON.parse('{"id":1,"__proto__":{"name":"forged"}}');
    expect(csv([hostile])).toBe('id,name,city\n1,,\n');
  });
});

describe('a cell', () => {
  test.each([
    ['\t=1', `"'\t'=1"`],
    ['\r=1', `"'\r'=1"`],
    ['\n=1', `"'\n'=1"`],
    ['\r\n-2', `"'\r\n'-2"`],
    ['x\r\n-2', `"x\r\n'-2"`],
    ['\rA', `"'\rA"`],
  ])('with a tab or line end is quoted, with apostrophes where a formula could begin: %j', (text, cell) => {
    expect(defusedCell(text)).toBe(cell);
  });

  test.each([
    '',
    'a=1',
    '1-2',
    "'a=1",
    'https://example.com/?a=b',
    '  text',
    '東京',
    'Ann @ home',
    '2026-03-29T01:00:00Z',
    '\u0301a',
  ])('is unchanged if its value is %j', (text) => {
    expect(defusedCell(text)).toBe(text);
  });

  test('with half a million spaces before a formula is escaped within the time limit of a test', () => {
    const spaces = '\u3000'.repeat(SOAK ? 5_000_000 : 500_000);
    expect(defusedCell(`${spaces}=1`)).toBe(`'${spaces}=1`);
    expect(defusedCell(`${spaces}x`)).toBe(`${spaces}x`);
  });

  test('is unchanged if it is a number, even a negative number', () => {
    expect([-1, -9007199254740993n].map((value) => defusedCell(value))).toEqual(['-1', '-9007199254740993']);
  });

  test('with a nested value is escaped where a formula could begin', () => {
    expect(defusedCell({ note: 'x;=1' })).toBe(`"{""note"":""x;'=1""}"`);
    expect(defusedCell(null)).toBe('');
  });

  test('never begins with a formula, even after blank or invisible characters, and can be restored (T1)', () => {
    const start = fc.string({
      unit: fc.constantFrom(...' \0\n\r\t\u200b\ufeff\u00a0\u3000\u2028\u3164'),
    });
    fc.assert(
      fc.property(start, fc.constantFrom(...'=+-@＝＋－＠'), fc.string(), (before, sign, after) => {
        const read = parse(defusedCell(before + sign + after), { record_delimiter: '\u0001' })[0]?.[0];
        expect(read).not.toMatch(
          /^[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]/u,
        );
        expect(restore(read ?? '')).toBe(before + sign + after);
      }),
    );
  });

  test.each(['x;=1+1', 'x\t=1+1', '\t=1+1'])(
    'is quoted for readers that also split at semicolons and tabs: %j (T4)',
    (text) => {
      expect(defusedCell(text)).toMatch(/^"[^"]*'=1\+1"$/);
    },
  );

  test('without separators is escaped whenever csv-stringify escapes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const theirs = stringify([[text]], { escape_formulas: true, quoted_match: /[\r;\t]/ }).slice(0, -1);
        const isTheirs = theirs.replace(/^"/, '').startsWith("'") && !text.startsWith("'");
        if (isTheirs && !/[,;|\t\n\r]/.test(text)) expect(defusedCell(text)).toBe(theirs);
      }),
    );
  });
});
