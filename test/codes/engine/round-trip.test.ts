/** What the formatters wrote, read by what reads `--from`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInput } from '../../../src/codes/input/read-input.ts';
import { createFormatter } from '../../../src/files/formats/create-formatter.ts';
import { textOf } from '../../../src/files/formats/formatter.ts';
import { HOSTILE } from '../../support/hostile-strings.ts';
import { runs } from '../../support/property-runs.ts';

const columns = ['id', 'name', 'destination'].map((name) => ({ name }));
/** CSV is UTF-8, and no reader takes runs of NULs for text. */
const representable = (text: string) => text.toWellFormed().replace(/\0{2,}/g, '\0');
const text = fc
  .oneof(
    fc.constantFrom(...Object.values(HOSTILE).filter((value) => value.length < 10_000)),
    fc.constantFrom('007', '9007199254740993', '1e5', '2026-03-01', '1/2', 'TRUE', '', ' ', '12,5', '_x0041_'),
    fc.string({ unit: fc.constantFrom(...`'''=+-@＝ \t\r\n;,"\u200baß東🍜0`) }),
    fc.string({ unit: 'binary' }),
  )
  .map(representable);
const row = fc.record({ id: fc.constant('1'), name: text, destination: text });

const dialect = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t'),
  bom: fc.boolean(),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  rawCells: fc.boolean(),
});

function write(format: 'csv' | 'json' | 'ndjson', rows: Record<string, unknown>[], more = {}, shown = columns): Buffer {
  const plain = { shape: 'list', keepExtra: false, header: true, excel: false, rawCells: false } as const;
  const formatter = createFormatter(format, { ...plain, columns: shown, ...more });
  return Buffer.from(formatter.begin() + textOf(formatter.rows(rows)) + formatter.end());
}

async function read(bytes: Buffer, name: string, rawCells = false): Promise<Record<string, unknown>[]> {
  const { rows } = await parseInput(bytes, name, { rawCells });
  return rows.map(({ values }) => Object.fromEntries(values));
}

describe('what was written is read back unchanged', () => {
  it('as CSV, for any strings in any dialect (T10, T11)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row), dialect, async (rows, options) => {
        expect(await read(write('csv', rows, options), 'x.csv', options.rawCells)).toEqual(rows);
      }),
      runs(100),
    );
  });

  it('also as one column, where no separator can be seen (T11)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text), fc.constantFrom(',', ';', '\t'), async (names, delimiter) => {
        const some = names.filter((name) => name.trim() !== '').map((name) => ({ name }));
        expect(await read(write('csv', some, { delimiter }, [{ name: 'name' }]), 'x.csv')).toEqual(some);
      }),
      runs(100),
    );
  });

  it('as JSON and NDJSON, half characters too', async () => {
    const any = fc.oneof(text, fc.string({ unit: 'binary' }), fc.constantFrom('a\ud800', '\udc00'));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ id: any, name: any, destination: any })), async (rows) => {
        for (const format of ['json', 'ndjson'] as const) expect(await read(write(format, rows), `x.${format}`)).toEqual(rows);
      }),
      runs(50),
    );
  });
});
