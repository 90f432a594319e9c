/** Files of some kilobytes that are gigabytes when they are read: refused while they are unpacked, in bounded time and memory (the heap is capped). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createParquetFormatter } from '#files/formats/parquet/parquet';
import { runCli, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { workbookOf } from '../support/workbook.ts';

/** A workbook of one sheet; `more` is another part of it. */
const workbook = (rows: string, more?: Record<string, string>) =>
  workbookOf({ A: `<row><c t="str"><v>name</v></c></row>${rows}` }, more);

const columns = Array.from({ length: 1000 }, (_, n) => `c${n}`).join();

/** Many times what is allowed by the long runs; by day a little more than that, of which the making takes the most time. */
const times = (long: number, day: number) => (SOAK ? long : day);
const COMMAS = 60e6;

type Bomb = [what: string, name: string, make: () => string | Uint8Array, message: RegExp];

const BOMBS: Bomb[] = [
  ['rows', 'a.csv.gz', () => `name\n${'a\n'.repeat(times(9e6, 1.1e6))}`, /has more than 1048575 rows/],
  [
    'rows of many columns',
    'a.csv.gz',
    () => `${columns}\n${'a\n'.repeat(times(9e6, 5000))}`,
    /has more than 4000 rows of 1000 columns/,
  ],
];

/** Other ways to the same bounds; test/codes/input reaches each bound in this process. */
const LONG_BOMBS: Bomb[] = [
  [
    'commas',
    'a.csv.gz',
    () => Buffer.alloc(COMMAS, ','),
    new RegExp(`line 1: has ${COMMAS + 1} cells \\(limit: 1000\\)`),
  ],
  ['one cell', 'a.csv.gz', () => `name\n東${'a'.repeat(40e6)}\n`, /line 2: is longer than 16 MiB/],
  ['lines', 'a.ndjson.gz', () => '{}\n'.repeat(9e6), /has more than 1048575 rows/],
  ['rows', 'a.xlsx', () => workbook('<row/>'.repeat(6e6)), /has more than 1,048,576 rows/],
  [
    'texts',
    'a.xlsx',
    () => workbook('', { 'xl/texts.xml': `<sst>${'<si/>'.repeat(6e6)}</sst>` }),
    /has more than|compressed more/,
  ],
  [
    'commas in half a semicolon file',
    'a.csv.gz',
    () => `name,type;;\n${','.repeat(15e6)};;\n`,
    /has 15000001 cells \(limit: 1000\)/,
  ],
  ['empty lines', 'a.csv.gz', () => `name\n${'\n'.repeat(60e6)}`, /exceeds the limit of 1048576 empty lines/],
  ['quotes', 'a.csv.gz', () => `name\n${'""\n'.repeat(9e6)}`, /has more than 1048575 rows/],
  ['an unknown separator', 'a.csv.gz', () => `sep=é\n${'é'.repeat(40e6)}`, /line 2: is longer than 16 MiB/],
  ['objects', 'a.json.gz', () => `[${'{},'.repeat(9e6)}{}]`, /has more than 1048575 rows/],
  ['arrays', 'a.ndjson.gz', () => `{"a":[${'[],'.repeat(9e6)}[]]}\n`, /line 1: is longer than 16 MiB/],
  [
    'formats',
    'a.xlsx',
    () => workbook('', { 'xl/styles.xml': '<cellXfs/>'.repeat(9e6) }),
    /compressed more|more than 16 MiB/,
  ],
];

test.each<Bomb>([...BOMBS, ...(SOAK ? LONG_BOMBS : [])])(
  'a file that is too large when it is decompressed is refused: %s in %s',
  async (_, name, make, message) => {
    const directory = await useDirectory();
    const bytes = make();
    await writeFile(join(directory, name), name.endsWith('.gz') ? gzipSync(bytes, { level: 1 }) : bytes);
    const options = { cwd: directory, nodeArgs: ['--max-old-space-size=400'] };
    const { code, stderr } = await runCli(['qr', 'create', '--from', name], options);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  },
  300_000,
);

const HEAD = `{"version":1,"base_url":"http://127.0.0.1:9/api/v1","workspace":"${'a'.repeat(32)}:${'b'.repeat(64)}","codes":[`;

const LOCK_FILES: [what: string, make: () => string, message: RegExp][] = [
  ['objects', () => `${HEAD}${'{},'.repeat(times(33e6, 8e6))}null]}`, /at least 1,000 faults/],
];

const LONG_LOCK_FILES: typeof LOCK_FILES = [
  ['values in one entry', () => `${HEAD}[${'0,'.repeat(50e6)}0],null]}`, /line 1 has too many values/],
  ['numbers', () => `${HEAD}${'0,'.repeat(50e6)}null]}`, /at least 1,000 faults/],
  ['members', () => `{${'"a":0,'.repeat(16e6)}"b":0}`, /is not a lock file/],
  ['conflict markers', () => `${HEAD}\n${'<<<<<<< HEAD\n'.repeat(8e6)}`, /at least 1,000 faults/],
  ['spaces', () => ' '.repeat(100e6), /is not valid JSON/],
];

test.each([...LOCK_FILES, ...(SOAK ? LONG_LOCK_FILES : [])])(
  'a lock file with millions of %s is refused within a heap of at most 400 MB (E22)',
  async (_, make, message) => {
    const cwd = await useDirectory();
    await writeFile(join(cwd, 'codes.csv'), 'key,name,type,destination\na,A,url,https://example.com\n');
    await writeFile(join(cwd, 'codes.lock.json'), make());
    const args = ['qr', 'apply', '--from', 'codes.csv', '--dry-run', '--offline'];
    const { code, stderr } = await runCli(args, {
      cwd,
      nodeArgs: [`--max-old-space-size=${times(400, 150)}`],
    });
    expect(stderr).toMatch(message);
    expect(stderr.length).toBeLessThan(10_000);
    expect(code).toBe(2);
  },
  300_000,
);

test.each(SOAK ? ['{},', '[],', '0,'] : ['{},'])(
  'a JSON line with millions of %s is refused within a heap of 60 MB',
  async (value) => {
    const cwd = await useDirectory();
    await writeFile(join(cwd, 'a.json.gz'), gzipSync(`[${value.repeat(times(20e6, 8e6))}0]`, { level: 1 }));
    const args = ['scans', 'stats', '--input', 'a.json.gz', '--by', 'day'];
    const { code, stderr } = await runCli(args, { cwd, nodeArgs: ['--max-old-space-size=60'] });
    expect(stderr).toMatch(/cannot read scans from a\.json\.gz/);
    expect(code).toBe(2);
  },
  300_000,
);

test.runIf(SOAK)('a list of codes with more than 1,048,576 empty lines is refused', async () => {
  const cwd = await useDirectory();
  await writeFile(
    join(cwd, 'a.txt.gz'),
    gzipSync('\n'.repeat(times(9e6, 1.1e6)) + 'a\n'.repeat(times(9e6, 1e5)), { level: 1 }),
  );
  const { code, stderr } = await runByDay(['qr', 'delete', '--from', 'a.txt.gz', '--yes'], {
    cwd,
    nodeArgs: SOAK ? ['--max-old-space-size=400'] : undefined,
  });
  expect(stderr).toMatch(/exceeds the limit of 1048576 empty lines/);
  expect(code).toBe(2);
});

test.runIf(SOAK)(
  'a Parquet file with one changed byte is read or refused within 30 s',
  async () => {
    const cwd = await useDirectory();
    const formatter = createParquetFormatter(['id', 'ts', 'country']);
    const rows = Array.from({ length: 20 }, (_, i) => ({
      id: i + 1,
      ts: '2026-10-01T01:02:03.004Z',
      country: 'DE',
    }));
    const whole = Buffer.concat([
      Buffer.from(formatter.rows(rows) as Uint8Array),
      Buffer.from(formatter.end() as Uint8Array),
    ]);
    for (let at = 4; at < 30; at += SOAK ? 1 : 7) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ (at % 2 ? 0x80 : 0x10);
      await writeFile(join(cwd, 'a.parquet'), damaged);
      const { code, stderr } = await runByDay(['scans', 'stats', '--input', 'a.parquet', '--by', 'day'], {
        cwd,
        timeoutMs: 30_000,
      });
      expect([0, 2, 9]).toContain(code);
      expect(stderr).not.toMatch(/^\s+at |unhandled ?(promise ?)?rejection/im);
      expect(stderr.length).toBeLessThan(1000);
    }
  },
  300_000,
);
