/** A CSV that is read by another separator than its own, as Excel of another country does: no cell begins a formula (T13). */
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restore } from '#base/text/defuse';
import { parseInput } from '#codes/input/read-input';
import { createCsvFormatter } from '#files/formats/csv';
import { textOf } from '#files/formats/formatter';
import { FORMULAS, HOSTILE } from '../../support/hostile-strings.ts';
import { runs, SOAK } from '../../support/property-runs.ts';

const SEPARATORS = [',', ';', '\t', '|'] as const;
const OWN = [',', ';', '\t'] as const;
const NAMES = ['id', 'name', 'referrer'];

interface Reader {
  separator: string;
  /** A quote at the beginning of a cell begins a quoted part; anywhere else it is a letter. Otherwise it is one everywhere. */
  knowsQuotes: boolean;
}

/** The cells as such a program has them; what it splits at is all that it knows. */
function cellsBy({ separator, knowsQuotes }: Reader, text: string): string[] {
  const cells: string[] = [];
  let at = 0;
  while (at <= text.length) {
    let cell = '';
    if (knowsQuotes && text[at] === '"') {
      at += 1;
      while (at < text.length) {
        if (text[at] !== '"') cell += text[at++];
        else if (text[at + 1] === '"') {
          cell += '"';
          at += 2;
        } else {
          at += 1;
          break;
        }
      }
    }
    while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r')
      cell += text[at++];
    cells.push(cell);
    at += 1;
  }
  return cells;
}

const FORMULA = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]/u;

const unit = fc.constantFrom(...'"""\'\';;||,,\t\n\r==+-@＝ab 1\0\u200b東', 'https://x/');
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit, maxLength: 12 }) },
  fc.constantFrom(...Object.values(HOSTILE).filter((value) => value.length < 1000)),
  fc
    .tuple(fc.string({ unit, maxLength: 4 }), fc.constantFrom(...Object.values(FORMULAS)))
    .map(([before, formula]) => before + formula),
);
const row = fc.record({
  id: fc.oneof(text, fc.nat()),
  name: text,
  referrer: fc.oneof(text, fc.constant(null)),
});
const dialect = fc.record({ delimiter: fc.constantFrom(...OWN), excel: fc.boolean(), header: fc.boolean() });

function write(
  rows: readonly Record<string, unknown>[],
  options = { delimiter: ',', excel: false, header: false },
): string {
  const formatter = createCsvFormatter(NAMES, { ...options, rawCells: false });
  return (formatter.begin() + textOf(formatter.rows(rows)) + formatter.end()).replace(/^\ufeff/, '');
}

describe('a CSV file', () => {
  it.each(SEPARATORS)(
    'has no cell that begins like a formula if a reader splits at %j and supports quotes, or if the file has another separator (T13)',
    (separator) => {
      fc.assert(
        fc.property(fc.array(row, { maxLength: 4 }), dialect, fc.boolean(), (rows, options, knowsQuotes) => {
          // Who splits at the separator of the file finds a quote at the beginning of each cell that has one in it.
          fc.pre(knowsQuotes || separator !== options.delimiter);
          const cells = cellsBy({ separator, knowsQuotes }, write(rows, options));
          expect(cells.filter((cell) => FORMULA.test(cell))).toEqual([]);
        }),
        runs(150, 150_000),
      );
    },
  );

  it('is read unchanged, even if it was saved again with another separator (T10, T13)', async () => {
    /** No reader takes runs of NULs for text, and UTF-8 has no half characters. */
    const held = (value: unknown) =>
      String(value ?? '')
        .toWellFormed()
        .replace(/\0{2,}/g, '\0');
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 4 }),
        dialect,
        fc.constantFrom(...OWN),
        async (rows, options, other) => {
          const plain = rows.map((one) => NAMES.map((name) => held(one[name as 'id'])));
          const made = plain.map((values) => Object.fromEntries(NAMES.map((name, at) => [name, values[at]])));
          const written = write(made, { ...options, header: true });
          const parsed: string[][] = parse(written, {
            delimiter: options.delimiter,
            record_delimiter: options.excel ? '\r\n' : '\n',
          });
          const resaved = parsed
            .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(other))
            .join('\r\n');
          for (const file of [written, `${resaved}\r\n`]) {
            const { columns, rows: found } = await parseInput(Buffer.from(file), 'x.csv');
            const wanted = plain.filter((values) => values.some((value) => value.trim() !== ''));
            expect(found.map(({ values }) => columns.map((name) => values.get(name)))).toEqual(wanted);
          }
        },
      ),
      runs(40, 30_000),
    );
  });

  it('has no apostrophe after its own separator, because readers respect the quotes', () => {
    const destination = 'https://maps.example/@40.7,-74.0,15z';
    expect(write([{ id: 1, name: 'a', referrer: destination }])).toBe(`1,a,"${destination}"\n`);
  });

  it('has no formula from a known attack if it is split at semicolons', async () => {
    const referrer = "https://x/;=cmd|'/C calc'!A0";
    const written = write([{ id: 1, name: 'a', referrer }], { delimiter: ',', excel: false, header: true });
    expect(written).toBe(`id,name,referrer\n1,a,"https://x/;'=cmd|'/C calc'!A0"\n`);
    const { rows } = await parseInput(Buffer.from(written), 'x.csv');
    expect(rows[0]?.values.get('referrer')).toBe(referrer);
  });
});

describe('escaping at separators', () => {
  it.each([
    ['x;=1', "x;'=1"],
    ["x;'=1", "x;''=1"],
    ['x,=1', 'x,=1'],
    ["x,'=1", "x,''=1"],
    ['x; "" =1', `x;' "" =1`],
    ['a|\n-b', "a|'\n'-b"],
    ['x;y', 'x;y'],
    ["x;'y", "x;'y"],
  ])('writes %j as %j, and restore() returns the original', (value, cell) => {
    const [line = ''] = write([{ id: value, name: '', referrer: '' }]).split(/,,\n$/);
    expect(line.replace(/^"([\s\S]*)"$/, '$1').replaceAll('""', '"')).toBe(cell);
    expect(restore(cell)).toBe(value);
  });

  it('handles 200,000 separators or blanks within the time limit of a test', () => {
    for (const unit of [';', '\n', '\t"', ";'", ' ']) {
      const many = unit.repeat((SOAK ? 5_000_000 : 200_000) / unit.length);
      const cell = write([{ id: `${many}=`, name: '', referrer: '' }]);
      expect(cell.length).toBeGreaterThan(many.length);
      expect(restore(many)).toBe(many);
    }
  });
});
