/** A list of codes that was saved and read back: nothing in it counts as edited, whatever the codes are called. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseOf, formatBase } from '#codes/engine/plan/base';
import type { Row } from '#codes/engine/plan/model';
import { checkRows } from '#codes/engine/rows/read-rows';
import { parseInput } from '#codes/input/read-input';
import { createFormatter } from '#files/formats/create-formatter';
import { textOf } from '#files/formats/formatter';
import { createWorkbookSink } from '#files/formats/xlsx/workbook-sink';
import { CODE_FIELDS, CODE_STATUSES, type QrCode } from '#service/shapes';
import { anyCharacter } from '../../support/any-character.ts';
import { HOSTILE } from '../../support/hostile-strings.ts';
import { runs } from '../../support/property-runs.ts';
import { codeOf, planOf } from './plan/make.ts';

const text = fc.oneof(
  fc.constantFrom(...Object.values(HOSTILE).filter((value) => value.length < 10_000)),
  fc.constantFrom(
    '007',
    '9007199254740993',
    '1e5',
    '2026-03-01',
    '1/2',
    'TRUE',
    '',
    ' ',
    '12,5',
    '_x0041_',
    'R3fa9c1',
  ),
  fc.string({ unit: fc.constantFrom(...`'''=+-@＝ \t\r\n;,"\u200baß東🍜0`) }),
  fc.string({ unit: anyCharacter }),
);
// No reader takes runs of NULs for text.
const value = text.map((chosen) => chosen.replace(/\0{2,}/g, '\0'));
const codes = fc
  .array(
    fc.record({
      name: value,
      destination: fc.option(value),
      status: fc.constantFrom(...CODE_STATUSES, 'archived'),
    }),
  )
  .map((values) => values.map((given, at) => codeOf(at + 1, given)));

const COLUMNS = [...CODE_FIELDS, 'base'].map((name) => ({ name, isTime: name.endsWith('_at') }));
const saved = (code: QrCode) => ({ ...code, base: formatBase(baseOf(code)) });

type TextFormat = 'csv' | 'json' | 'ndjson';

function asText(format: TextFormat, list: readonly QrCode[], more = {}): Buffer {
  const plain = { shape: 'list', keepExtra: false, header: true, excel: false, rawCells: false } as const;
  const formatter = createFormatter(format, { ...plain, columns: COLUMNS, ...more });
  return Buffer.from(formatter.begin() + textOf(formatter.rows(list.map(saved))) + formatter.end());
}

async function asWorkbook(list: readonly QrCode[]): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const none = async () => undefined;
  const write = async (bytes: Uint8Array) => void parts.push(Uint8Array.from(bytes));
  const sink = createWorkbookSink(
    { write, commit: none, discard: none },
    { columns: COLUMNS, zone: { offsetMs: () => 7_200_000 } },
  );
  await sink.write(list.map(saved));
  await sink.commit();
  return Buffer.concat(parts);
}

async function rowsOf(bytes: Buffer, name: string, verb: 'create' | 'update'): Promise<Row[]> {
  const { rows, faults } = await checkRows(await parseInput(bytes, name), { verb });
  expect(faults).toEqual([]);
  return rows;
}

function expectUnedited(rows: readonly Row[], list: readonly QrCode[], verb: 'create' | 'update'): void {
  expect(rows.map(({ id, base }) => [id, base && formatBase(base)])).toEqual(
    list.map((code) => [code.id, formatBase(baseOf(code))]),
  );
  const { items, faults, warnings } = planOf(rows, { codes: list, policy: { verb } });
  expect([items.flatMap(({ changes }) => changes), faults, warnings]).toEqual([[], [], []]);
  // And each side's edit is told from the other's: what the service changed since stays.
  const changed = list.map(
    (code): QrCode => ({ ...code, name: `${code.name} 2`, destination: `${code.destination}2` }),
  );
  const { items: later } = planOf(rows, { codes: changed, policy: { verb } });
  expect(new Set(later.flatMap(({ changes }) => changes.map(({ what }) => what)))).toEqual(
    new Set(
      rows.some(({ wish }) => wish.name !== undefined || wish.destination !== undefined) ? ['keep'] : [],
    ),
  );
}

describe.each(['create', 'update'] as const)('a list that is read back by `qr %s` has no edits', (verb) => {
  const dialect = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    bom: fc.boolean(),
    lineEnd: fc.constantFrom('\n', '\r\n'),
  });

  it('if it is CSV, whatever its delimiter, byte order mark and line ends', async () => {
    await fc.assert(
      fc.asyncProperty(codes, dialect, async (list, options) => {
        expectUnedited(await rowsOf(asText('csv', list, options), 'codes.csv', verb), list, verb);
      }),
      runs(15, 6000),
    );
  });

  it('if it is JSON or NDJSON', async () => {
    await fc.assert(
      fc.asyncProperty(codes, fc.constantFrom<TextFormat>('json', 'ndjson'), async (list, format) => {
        expectUnedited(await rowsOf(asText(format, list), `codes.${format}`, verb), list, verb);
      }),
      runs(15),
    );
  });

  it('if it is a workbook', async () => {
    await fc.assert(
      fc.asyncProperty(codes, async (list) => {
        expectUnedited(await rowsOf(await asWorkbook(list), 'codes.xlsx', verb), list, verb);
      }),
      runs(15),
    );
  });
});
