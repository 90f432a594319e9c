import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UsageError } from '#base/errors';
import { createLocalTime } from '#base/time/local-time';
import type { Column } from '#files/formats/columns';
import { openWholeFile } from '#files/formats/whole-file';
import { createWorkbookSink, tooManyRows, writeSheets } from '#files/formats/xlsx/workbook-sink';
import { SOAK } from '../../../support/property-runs.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'qrctl-xlsx-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const columns: Column[] = [{ name: 'id' }, { name: 'ts', isTime: true }, { name: 'name' }];

async function open(shown: readonly Column[] = columns, zone = 'UTC') {
  const path = join(directory, 'x.xlsx');
  const file = await openWholeFile(path, { processes: { pid: 1, isRunning: () => false } });
  const sink = createWorkbookSink(file, { columns: shown, zone: createLocalTime(zone) });
  /** The parts as text. */
  const parts = () =>
    Object.fromEntries(
      Object.entries(unzipSync(readFileSync(path))).map(([name, bytes]) => [
        name,
        Buffer.from(bytes).toString(),
      ]),
    );
  return { sink, path, sheet: () => parts()['xl/worksheets/sheet1.xml'] ?? '' };
}

async function sheetOf(rows: Record<string, unknown>[], shown = columns, zone = 'UTC'): Promise<string> {
  const { sink, sheet } = await open(shown, zone);
  await sink.write(rows);
  await sink.commit();
  return sheet();
}

describe('a workbook', () => {
  test('stores text as text, never as a formula, and adds no apostrophe', async () => {
    const sheet = await sheetOf([{ name: '=1+1' }, { name: "'-2 & <b>" }]);
    expect(sheet).toContain(
      '<row r="2"><c r="C2" s="2" t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c></row>',
    );
    expect(sheet).toContain(">'-2 &amp; &lt;b&gt;<");
    expect(sheet).not.toContain('<f>');
  });

  test('escapes characters that XML cannot hold, and texts that look like these escapes, as Excel does', async () => {
    const sheet = await sheetOf([{ name: 'a\0b\rc\ud800_x0041_\uffff' }]);
    expect(sheet).toContain('a_x0000_b_x000D_c\ufffd_x005F_x0041__xFFFF_');
  });

  test('has times as dates in the requested time zone, to the millisecond, and invalid times as text', async () => {
    const rows = [
      { ts: '2026-07-01T22:30:00.250Z' },
      { ts: '2026-01-01T00:00:00Z' },
      { ts: 'soon' },
      { ts: '2026-07-02 00:30:00' },
    ];
    const sheet = await sheetOf(rows, columns, 'Europe/Berlin');
    const serials = [...sheet.matchAll(/<c r="B\d" s="3"><v>([\d.]+)</g)].map(([, serial]) => Number(serial));
    const days = (ms: number) => ms / 86_400_000 + 25_569;
    const summer = Date.UTC(2026, 6, 2, 0, 30, 0);
    expect(serials).toEqual([days(summer + 250), days(Date.UTC(2026, 0, 1, 1)), days(summer)]);
    expect(sheet).toContain('>soon<');
  });

  test('keeps all digits in IDs by storing IDs with more than 15 digits as text', async () => {
    const sheet = await sheetOf([
      { id: 123456789012345 },
      { id: 1234567890123456 },
      { id: 9007199254740993n },
      { id: 1.5 },
    ]);
    expect(sheet).toContain('<c r="A2" s="4"><v>123456789012345</v></c>');
    expect(sheet).toMatch(
      /r="A3" s="2" t="inlineStr".*>1234567890123456<.*r="A4" s="2" t="inlineStr".*>9007199254740993</,
    );
    expect(sheet).toContain('<c r="A5"><v>1.5</v></c>');
  });

  test('freezes its header, and has column widths and lists of choices', async () => {
    const sheet = await sheetOf([], [{ name: 'name' }, { name: 'type', choices: ['url', 'wifi'] }]);
    expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
    expect(sheet).toContain('<col min="1" max="1" width="32" style="2" customWidth="1"/>');
    expect(sheet).toContain('sqref="B2:B1048576"><formula1>"url,wifi"</formula1>');
  });

  test('has empty cells for null and missing values', async () => {
    expect(await sheetOf([{ id: null, name: true }])).toContain(
      '<row r="2"><c r="C2" t="b"><v>1</v></c></row>',
    );
  });

  test('can be rolled back to a checkpoint, even to the first checkpoint and after many rows', async () => {
    const MANY = SOAK ? 30_000 : 5000;
    const many = (name: string) => Array.from({ length: MANY }, (_, id) => ({ id, name: `${name} ${id}` }));
    const { sink, sheet } = await open();
    const toStart = await sink.checkpoint();
    await sink.write(many('no'));
    expect(await toStart()).toBe(true);
    await sink.write(many('yes'));
    const back = await sink.checkpoint();
    await sink.write(many('never'));
    await back();
    await back();
    await sink.write([{ id: 7, name: 'last' }]);
    await sink.commit();
    expect(sink.rewinds).toBe(true);
    expect(sheet().match(/<row /g)).toHaveLength(MANY + 2);
    expect(sheet()).not.toMatch(/>(no|never) /);
    expect(sheet()).toContain(`<row r="${MANY + 2}"><c r="A${MANY + 2}" s="4"><v>7<`);
  });

  test('has the same bytes for the same rows', async () => {
    const bytes = async () => {
      const { sink, path } = await open();
      await sink.write([{ id: 1, name: 'a' }]);
      await sink.commit();
      return readFileSync(path);
    };
    expect(await bytes()).toEqual(await bytes());
  });

  test.runIf(SOAK)('refuses more than 1,048,575 rows', async () => {
    const { sink, path } = await open([{ name: 'a' }]);
    await sink.write(Array(1_048_575).fill({}));
    const more = await sink.write([{}]).catch((error: unknown) => error);
    expect(more).toBeInstanceOf(UsageError);
    expect(more).toMatchObject({
      message: 'too many rows for a workbook (at most 1,048,575)',
      hint: expect.stringContaining('.csv'),
    });
    await sink.discard();
    expect(() => readFileSync(path)).toThrow('ENOENT');
  });
});

describe('a workbook with several sheets', () => {
  async function sheetsOf(sheets: Parameters<typeof writeSheets>[1]): Promise<Record<string, string>> {
    const path = join(directory, 'x.xlsx');
    await writeSheets(await openWholeFile(path, { processes: { pid: 1, isRunning: () => false } }), sheets);
    const parts = Object.entries(unzipSync(readFileSync(path)));
    return Object.fromEntries(parts.map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
  }

  test('has valid sheet names that differ in more than case, as Excel requires', async () => {
    const names = [
      "' a/b\\c?*[x]:\u0007 '",
      'A',
      'a',
      'a',
      'History',
      "it's",
      '?',
      'x'.repeat(40),
      `${'x'.repeat(27)}${'X'.repeat(9)}`,
      `${'y'.repeat(30)}'s`,
      `${'z'.repeat(30)}🎪`,
    ];
    const parts = await sheetsOf(names.map((name) => ({ name, columns: [], rows: [] })));
    expect(
      [...(parts['xl/workbook.xml'] ?? '').matchAll(/<sheet name="(.*?)"/g)].map(([, name]) => name),
    ).toEqual([
      'a b c   x',
      'A',
      'a 2',
      'a 3',
      'History 2',
      "it's",
      'table',
      'x'.repeat(31),
      `${'x'.repeat(27)} 2`,
      'y'.repeat(30),
      'z'.repeat(30),
    ]);
  });

  test('has the rows of each sheet with a filter, percentages, and times in UTC', async () => {
    const columns: Column[] = [
      { name: 'share', isPercent: true },
      { name: 'ts', isTime: 'utc' },
      { name: 'text' },
    ];
    const rows = [
      { share: 0.5, ts: '2026-01-01T12:00:00Z', text: '2026-01-01T12:00:00Z' },
      { share: '50%', ts: null },
    ];
    const parts = await sheetsOf([
      { name: 'a', columns, rows },
      { name: 'b', columns, rows: [] },
    ]);
    const sheet = parts['xl/worksheets/sheet1.xml'] ?? '';
    expect(sheet).toContain(
      '<row r="2"><c r="A2" s="6"><v>0.5</v></c><c r="B2" s="3"><v>46023.5</v></c><c r="C2" s="2" t="inlineStr">',
    );
    expect(sheet).toContain(
      '<row r="3"><c r="A3" s="2" t="inlineStr"><is><t xml:space="preserve">50%</t></is></c></row>',
    );
    expect(sheet).toContain('<autoFilter ref="A1:C3"/>');
    expect(parts['xl/worksheets/sheet2.xml']).toContain('<autoFilter ref="A1:C1"/>');
  });

  test('is refused if a sheet has more than 1,048,575 rows', async () => {
    const refused = writeSheets(
      { write: async () => undefined, commit: async () => undefined, discard: async () => undefined },
      [{ name: 'a', columns: [], rows: Array(1_048_576) }],
    );
    await expect(refused).rejects.toMatchObject({
      message: '1,048,576 rows are too many for a workbook (at most 1,048,575)',
      hint: 'Write a .csv or .csv.gz file, choose a shorter range, or add --output-dir DIR.',
    });
    expect(tooManyRows().message).toBe('too many rows for a workbook (at most 1,048,575)');
  });
});

test('a workbook in a stream can be rolled back only if no rows were written since the checkpoint', async () => {
  const stream = {
    write: async () => undefined,
    commit: async () => undefined,
    discard: async () => undefined,
  };
  const sink = createWorkbookSink(stream, { columns, zone: createLocalTime('UTC') });
  await sink.write([{ id: 1 }]);
  const rewind = await sink.checkpoint();
  expect([sink.rewinds, await rewind()]).toEqual([false, true]);
  await sink.write([{ id: 2 }]);
  expect(await rewind()).toBe(false);
});
