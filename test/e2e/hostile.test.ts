/**
 * What attackers write, through every field and every output: nothing that a terminal obeys reaches one, JSON is exact, CSV is
 * inert in a spreadsheet and exact with --raw-cells, and no name of theirs becomes the name of a file.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { describe, expect, test } from 'vitest';
import { restore } from '#base/text/defuse';
import { displayWidth } from '#base/text/display-width';
import { type CliOptions, useDirectory } from '../support/cli.ts';
import { rawAnswer, useFaultServer } from '../support/fault-server.ts';
import { FORMULAS, HOSTILE } from '../support/hostile-strings.ts';
import { listen } from '../support/listen.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const TEXTS = Object.values(HOSTILE);
const KEY = 'svc_live_canary0123456789';

const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

type Fields = Record<string, unknown>;

/** A code that says `text` wherever the service could; the last key would reach a prototype if it were assigned. */
function codeOf(text: string, n: number): Fields {
  const times = { created_at: '2025-01-01T00:00:00Z', updated_at: '2025-01-01T00:00:00Z' };
  const code = { id: uuid(n), slug: text, name: text, type: text, destination: text, status: text, ...times };
  return JSON.parse(JSON.stringify(code).replace(/}$/, ',"__proto__":{"polluted":true},"constructor":"x"}'));
}

function scanOf(text: string, n: number): Fields {
  const ts = new Date(Date.UTC(2025, 0, 1) + n * 1000).toISOString();
  return { id: n + 1, ts, country: text, city: text, device: text, os: text, browser: text, referrer: text };
}

const CODES = TEXTS.map(codeOf);
const SCANS = TEXTS.map(scanOf);
const CODE_FIELDS = ['id', 'slug', 'name', 'type', 'destination', 'status', 'created_at', 'updated_at'];
const SCAN_FIELDS = ['id', 'ts', 'country', 'city', 'device', 'os', 'browser', 'referrer'];

interface Served {
  codes?: Fields[];
  scans?: Fields[];
  /** Error bodies in place of all else. */
  refuse?: (n: number) => { status: number; body: unknown };
}

/** A service that says what it is told to. */
async function useService({ codes = CODES, scans = SCANS, refuse }: Served = {}): Promise<CliOptions> {
  let refused = 0;
  const answer = ({ url = '', method }: IncomingMessage): { status: number; body: unknown } => {
    if (refuse && method !== 'GET') return refuse(refused++);
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const rows = pathname.endsWith('/scans') ? scans : codes;
    const [limit, page] = [Number(searchParams.get('limit') ?? 20), Number(searchParams.get('page') ?? 1)];
    if (!searchParams.has('limit'))
      return { status: 200, body: codes.find(({ id }) => pathname.endsWith(`/${id}`)) };
    const data = rows.slice((page - 1) * limit, page * limit);
    return { status: 200, body: { data, pagination: { page, limit, total: rows.length, pages: 1 } } };
  };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status, body } = answer(request);
      const reset = Math.ceil(Date.now() / 60_000) * 60;
      response.writeHead(status, {
        'Content-Type': 'application/json',
        'X-RateLimit-Limit': 10_000,
        'X-RateLimit-Remaining': 9_000,
        'X-RateLimit-Reset': reset,
      });
      response.end(JSON.stringify(body));
    });
  });
  const port = await listen(server);
  return { env: { QRCTL_BASE_URL: `http://127.0.0.1:${port}/api/v1`, QRCTL_API_KEY: KEY } };
}

const runOn = (service: CliOptions, more: CliOptions): CliOptions => ({
  ...service,
  ...more,
  env: { ...service.env, ...more.env },
});

/** Whatever a terminal would obey, hide or turn around. Our own line ends are CR LF there. */
const OBEYED =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;

function expectHarmless(shown: string, columns?: number): void {
  const lines = shown.split(/\r+\n/);
  expect(lines.filter((line) => OBEYED.test(line)).map((line) => JSON.stringify(line))).toEqual([]);
  // Tags are part of flags, and a tag outside of one says something nobody sees.
  const tagged = shown.match(/\u{1f3f4}?[\u{e0000}-\u{e007f}]+/gu) ?? [];
  expect(tagged.filter((text) => !/^\p{RGI_Emoji}$/v.test(text))).toEqual([]);
  expect(shown).not.toContain(KEY);
  if (columns) expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([]);
}

const onTerminal = (columns: number): CliOptions => ({ tty: columns, env: { NO_COLOR: '1' } });

/** As UTF-8 gives it back: it has no lone surrogates. */
const wellFormed = (text: string) => Buffer.from(text).toString();

/** Cells as a CSV reader sees them. */
const cellsOf = (csv: string): string[][] =>
  parse(csv, { record_delimiter: ['\n', '\r\n'], relax_column_count: true });

/** The rows as CSV has them, before anything is defused: null is empty, and UTF-8 has no lone surrogates. */
const tableOf = (rows: Fields[], fields: string[]): string[][] => [
  fields,
  ...rows.map((row) => fields.map((field) => wellFormed(String(row[field] ?? '')))),
];

/** By the rule, in words of its own: a sign behind whatever some program trims, or a tab or return among that. */
const FORMULA = /^[\s\p{Cc}\p{Cf}\p{Zs}]*([=+\-@＝＋－＠]|[\t\r])/u;

/** The formulas LibreOffice finds in a file, read with these separators (codes of characters) and formulas evaluated. */
function formulasOf(directory: string, name: string, separators: string): string[] {
  const filter = `--infilter=CSV:${separators},34,76,1,,0,false,true,false,false,false,0,true`;
  const profile = `-env:UserInstallation=file://${directory}/office`;
  const words = ['--headless', '--norestore', profile, filter, '--convert-to', 'fods', `${name}.csv`];
  spawnSync('soffice', words, { cwd: directory });
  return readFileSync(join(directory, `${name}.fods`), 'utf8').match(/table:formula="[^"]*"/g) ?? [];
}

function expectInert(cells: string[][], exact: string[][]): void {
  expect(cells.flat().filter((cell) => FORMULA.test(cell))).toEqual([]);
  expect(cells.map((row) => row.map(restore))).toEqual(exact);
  // A cell without a formula in it is as it was.
  const plain = exact.flat().filter((cell) => !/[=+\-@＝＋－＠\t\r]/u.test(cell));
  expect(plain.filter((cell) => !cells.flat().includes(cell))).toEqual([]);
}

test('the sample texts number at least 60, and every formula at the start of a text is recognized', () => {
  expect(TEXTS.length).toBeGreaterThanOrEqual(60);
  const inner = ['a formula behind a quote and a separator', 'a formula on a second line'];
  const plain = Object.entries(FORMULAS).filter(([, text]) => !FORMULA.test(text));
  expect(plain.map(([name]) => name)).toEqual(inner);
});

describe('codes with hostile values', () => {
  test('are exact in JSON and NDJSON, including unknown fields', async () => {
    const service = await useService();
    const [json, ndjson, one] = await Promise.all([
      runByDay(['qr', 'list', '--format', 'json'], service),
      runByDay(['qr', 'list', '--format', 'ndjson'], service),
      runByDay(['qr', 'get', uuid(7), '--format', 'json'], service),
    ]);
    const exact = JSON.stringify(CODES);
    expect(JSON.stringify(JSON.parse(json.stdout))).toBe(exact);
    const lines = ndjson.stdout.trimEnd().split('\n');
    expect(JSON.stringify(lines.map((line) => JSON.parse(line)))).toBe(exact);
    expect(JSON.stringify(JSON.parse(one.stdout))).toBe(JSON.stringify(CODES[7]));
  });

  test('are inert in CSV, with and without --excel, and exact with --raw-cells', async () => {
    const service = await useService();
    const [plain, excel, raw] = await Promise.all([
      runByDay(['qr', 'list', '--format', 'csv'], service),
      runByDay(['qr', 'list', '--format', 'csv', '--excel'], service),
      runByDay(['qr', 'list', '--format', 'csv', '--raw-cells'], service),
    ]);
    const exact = tableOf(CODES, CODE_FIELDS);
    expect(cellsOf(raw.stdout)).toEqual(exact);
    expectInert(cellsOf(plain.stdout), exact);
    expect(excel.stdout.startsWith('\ufeff')).toBe(true);
    expectInert(cellsOf(excel.stdout.slice(1)), exact);
  });

  test.runIf(SOAK && spawnSync('soffice', ['--version']).status === 0)(
    'in CSV lead to no formula in LibreOffice, with any separator',
    async () => {
      const directory = await useDirectory();
      const service = runOn(await useService(), { cwd: directory });
      await runByDay(['qr', 'list', '-o', 'plain.csv'], service);
      await runByDay(['qr', 'list', '-o', 'excel.csv', '--excel'], service);
      await runByDay(['qr', 'list', '-o', 'raw.csv', '--raw-cells'], service);
      for (const separators of ['44', '59', '9', '124', '44/59/9']) {
        const [plain, excel, raw] = ['plain', 'excel', 'raw'].map((name) =>
          formulasOf(directory, name, separators),
        );
        expect([plain, excel]).toEqual([[], []]);
        expect(raw?.length).toBeGreaterThan(separators.startsWith('44') ? 5 : 0); // it would have found them
      }
    },
  );

  test('are harmless on a terminal in different formats', async () => {
    const service = await useService();
    const formats = firstRows(1, ['json', 'csv', 'ndjson', 'table']);
    const commands = formats.map((format) => ['qr', 'list', '--format', format, '-q']);
    const [narrow, ...others] = await Promise.all([
      runByDay(['qr', 'list', '-q'], runOn(service, onTerminal(80))),
      ...commands.map((args) => runByDay(args, runOn(service, onTerminal(4000)))),
    ]);
    expectHarmless(narrow.stdout, 80);
    expect(narrow.stdout.split('\r\n')).toHaveLength(CODES.length + 3);
    for (const { stdout, code } of others) {
      expect(code).toBe(0);
      expectHarmless(stdout);
    }
    // Nothing is lost by that: a parser of what is on the screen reads the same values.
    const [json] = others;
    expect(JSON.stringify(JSON.parse(json?.stdout ?? ''))).toBe(JSON.stringify(CODES));
  });

  test('are harmless in the prompt before a deletion', async () => {
    const service = await useService();
    const ids = CODES.slice(0, 20).map(({ id }) => String(id));
    const { stdout } = await runByDay(
      ['qr', 'delete', ...ids],
      runOn(service, { ...onTerminal(200), input: 'no\n' }),
    );
    expect(stdout).toContain('nothing was deleted');
    // The line editor's own sequences are around what is typed.
    expectHarmless(stdout.replace(/\x1b\[1G[\s\S]*$/, ''));
  });

  test('are completed as plain words, each with the name of the code on one line', async () => {
    const service = await useService();
    const { stdout } = await runByDay(
      ['__complete', 'qr', 'get', ''],
      runOn(service, { env: { XDG_CACHE_HOME: await useDirectory() } }),
    );
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toContain('constructor\tconstructor');
    for (const line of lines)
      expect(line).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}._~-]*\t[^\p{Cc}\p{Zl}\p{Zp}]*$/u);
  });

  test('lead to an error before any file is written if their IDs are not UUIDs', async () => {
    const directory = await useDirectory();
    const ids = [
      '../../x',
      '__proto__',
      '/etc/passwd',
      `${uuid(1)}/../x`,
      `${uuid(1)}\n`,
      `${uuid(1)}\0`,
      '',
      null,
      7,
    ];
    for (const id of ids) {
      const service = await useService({ codes: [{ ...CODES[0], id }] });
      const output = join(directory, 'scans');
      const { code, stderr } = await runByDay(['scans', 'export', '--all', '--output-dir', output], service);
      expect(stderr).toMatch(/has an ID that is not a UUID/);
      expect(code).toBe(1);
      expect(await readdir(directory)).toEqual([]);
    }
  });
});

describe('scans with hostile values', () => {
  const ID = uuid(1);

  test('are inert in CSV files, exact in JSON, NDJSON and raw CSV files, and absent from the names of files per code', async () => {
    const directory = await useDirectory();
    const service = { ...(await useService({ codes: CODES.slice(0, 3) })), cwd: directory };
    const ends = await Promise.all([
      runByDay(['scans', 'export', ID, '-o', 'plain.csv'], service),
      runByDay(['scans', 'export', ID, '-o', 'raw.csv', '--raw-cells'], service),
      runByDay(['scans', 'export', ID, '-o', 'appended.csv', '--append'], service),
      runByDay(['scans', 'export', ID, '-o', 'all.json'], service),
      runByDay(['scans', 'export', ID, '-o', 'all.ndjson'], service),
      runByDay(['scans', 'export', '--all', '--output-dir', 'each', '--format', 'csv'], service),
    ]);
    expect(ends.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual(ends.map(() => 0));
    const read = (name: string) => readFile(join(directory, name), 'utf8');
    const exact = tableOf(SCANS, SCAN_FIELDS);
    expectInert(cellsOf(await read('plain.csv')), exact);
    expectInert(cellsOf(await read('appended.csv')), exact);
    expect(cellsOf(await read('raw.csv'))).toEqual(exact);
    expect(JSON.stringify(JSON.parse(await read('all.json')))).toBe(JSON.stringify(SCANS));
    const lines = (await read('all.ndjson')).trimEnd().split('\n');
    expect(JSON.stringify(lines.map((line) => JSON.parse(line)))).toBe(JSON.stringify(SCANS));
    expect(await readdir(join(directory, 'each'))).toEqual([0, 1, 2].map((n) => `${uuid(n)}.csv`));
    expect(await readdir(directory)).toEqual([
      'all.json',
      'all.ndjson',
      'appended.csv',
      'appended.csv.state.json',
      'each',
      'plain.csv',
      'raw.csv',
    ]);
  });

  test('for several codes have inert slugs and names in the first columns', async () => {
    const [code] = [codeOf(HOSTILE.DDE ?? '', 1)];
    const service = await useService({ codes: [code, codeOf('b', 2)], scans: SCANS.slice(0, 2) });
    const { stdout } = await runByDay(['scans', 'export', '--all'], service);
    expect(cellsOf(stdout)[1]?.slice(0, 3)).toEqual([uuid(1), `'${HOSTILE.DDE}`, `'${HOSTILE.DDE}`]);
  });

  test('are harmless on a terminal', async () => {
    const service = await useService();
    const shown = await runByDay(['scans', 'export', ID, '-q'], runOn(service, onTerminal(100)));
    expect(shown.code).toBe(0);
    expectHarmless(shown.stdout, 100);
  });
});

describe('texts with thousands of combining characters', () => {
  const texts = ['\u{1f1e6}', '👨‍👩‍👧', '東\u0301', '1\ufe0f\u20e3'].map((unit) => unit.repeat(2000));
  const bounded = { timeoutMs: 20_000 };

  const commands: [string, string[]][] = [
    ['a list', ['qr', 'list']],
    ['one record', ['qr', 'get', uuid(1)]],
    ['an export', ['scans', 'export', uuid(1)]],
  ];
  test.each(firstRows(1, commands))('are shown as a table within 20 s: %s (T12)', async (_, args) => {
    const scanned = Array.from({ length: 5 }, () => texts).flat();
    const service = await useService({ codes: texts.map(codeOf), scans: scanned.map(scanOf) });
    const { code, stdout } = await runByDay([...args, '-f', 'table'], runOn(service, bounded));
    expect(code).toBe(0);
    expect(stdout).toContain('…');
    const shown = await runByDay(
      [...args, '-f', 'table', '-q'],
      runOn(service, { ...onTerminal(80), ...bounded }),
    );
    expect(shown.code).toBe(0);
    expectHarmless(shown.stdout, args[1] === 'get' ? undefined : 80);
  });

  test('are shown in the error for a row within 20 s', async () => {
    const directory = await useDirectory();
    const service = await useService({
      codes: [],
      refuse: (n) => ({ status: 400, body: { error: texts[n], code: 'x' } }),
    });
    await writeFile(
      join(directory, 'codes.csv'),
      `name,type\n${texts.map((_, n) => `code ${n},sms`).join('\n')}\n`,
    );
    const args = ['qr', 'create', '--from', 'codes.csv', '--format', 'table', '-q'];
    const { code, stdout } = await runByDay(
      args,
      runOn(service, { cwd: directory, ...onTerminal(80), ...bounded }),
    );
    expect(code).toBe(8);
    expectHarmless(stdout);
  });
});

describe('hostile text from the service', () => {
  /** Refuses the n-th code with the n-th text. */
  const refusing: Served = {
    codes: [],
    refuse: (n) => ({ status: 400, body: { error: TEXTS[n], code: TEXTS[n] } }),
  };

  test('in errors is harmless on a terminal, inert in the results file, and readable in the ledger', async () => {
    const directory = await useDirectory();
    const rows = TEXTS.map((_, n) => `code ${n},sms`).join('\n');
    await writeFile(join(directory, 'codes.csv'), `name,type\n${rows}\n`);
    const service = runOn(await useService(refusing), { cwd: directory, ...onTerminal(3000) });
    const args = ['qr', 'create', '--from', 'codes.csv', '--format', 'table', '-q', '--concurrency', '1'];
    const { stdout, code } = await runByDay(args, service);
    expect(code).toBe(8);
    expectHarmless(stdout);
    const results = await readFile(join(directory, 'codes.results.csv'), 'utf8');
    const cells = cellsOf(results);
    expect(cells).toHaveLength(TEXTS.length + 1);
    expect(cells.flat().filter((cell) => FORMULA.test(cell))).toEqual([]);
    expect(cells.flat().filter((cell) => OBEYED.test(cell))).toEqual([]);
    expect((await runByDay([...args, '--dry-run'], service)).code).toBe(0);
  });

  test.each([
    'clear screen',
    'C1 control sequence',
    'a line of its own',
    'right-to-left override',
    'lone high surrogate',
    'NUL',
  ])('in an error is harmless on a terminal and in JSON: %s', async (name) => {
    const text = HOSTILE[name];
    const service = await useService({
      refuse: () => ({ status: 400, body: { error: `no: ${text}`, code: text } }),
    });
    const args = ['qr', 'create', '--name', 'x', '--destination', 'https://example.com'];
    const [shown, json] = await Promise.all([
      runByDay([...args, '-v'], runOn(service, onTerminal(100))),
      runByDay([...args, '--format', 'json'], service),
    ]);
    expect(shown.code).toBe(10);
    expectHarmless(shown.stdout);
    expect(json.code).toBe(10);
    expect(json.stderr.trimEnd()).not.toMatch(OBEYED);
    expect(JSON.parse(json.stderr).error).toMatchObject({ status: 400, exit: 10 });
  });

  test('in headers is harmless on a terminal', async () => {
    const body = { data: [], pagination: { page: 1, limit: 1, total: 0, pages: 0 } };
    const some: Record<string, string>[] = [
      { 'X-RateLimit-Plan': '\x9b2Jfree\x07\x1b[31m' },
      { 'X-RateLimit-Plan': '\x9b2J' },
      { 'X-RateLimit-Plan': Buffer.from('\u202egold\u2066').toString('latin1') },
      { 'X-RateLimit-Limit': '1e99', 'X-RateLimit-Remaining': '-5', 'X-RateLimit-Reset': '__proto__' },
      { 'X-\x1b[2J': 'x' },
      { 'Content-Type': 'text/html; charset=\x1b[2J' },
      { 'Retry-After': '\x9b', Date: '\x9b' },
    ];
    const shown = await Promise.all(
      some.map(async (headers) => {
        const answer = Buffer.from(rawAnswer(200, body, headers), 'latin1');
        const server = await useFaultServer(({ socket }) => void socket.end(answer));
        return runByDay(['auth', 'status', '-v', '--retry-for', '1s'], runOn(server, onTerminal(100)));
      }),
    );
    for (const { stdout } of shown) {
      expectHarmless(stdout);
      expect(stdout).toMatch(/plan|not HTTP|truncated/);
    }
  });
});

describe('hostile values', () => {
  test('in a file become the names of codes on the service, and are inert in the results', async () => {
    const directory = await useDirectory();
    const sandbox = await useSandbox({ codes: 0, limit: 100_000 });
    const names = TEXTS.map(wellFormed).filter((text) => text.trim() !== '' && !text.includes('\0'));
    await writeFile(
      join(directory, 'codes.csv'),
      stringify([['name', '__proto__', 'destination'], ...names.map((name) => [name, name, ''])]),
    );
    const options = { cwd: directory, env: sandbox.env };
    const first = await runByDay(['qr', 'create', '--from', 'codes.csv', '--force'], options);
    expect(first.stderr).toMatch(new RegExp(`Created ${names.length} codes`));
    expect(first.code).toBe(0);
    const created = sandbox.workspace.codes().map(({ name }) => name);
    // As every CSV is read: an apostrophe before a formula is a spreadsheet's.
    expect(created.sort()).toEqual(names.map(restore).sort());
    const results = cellsOf(await readFile(join(directory, 'codes.results.csv'), 'utf8'));
    // The person's own column comes back untouched, whatever is in it; all others are inert.
    expect(results.slice(1).map(([, own]) => own)).toEqual(names);
    expect(
      results.flatMap(([name, , ...ours]) => [name, ...ours]).filter((cell) => FORMULA.test(cell ?? '')),
    ).toEqual([]);
    const again = await runByDay(['qr', 'create', '--from', 'codes.csv', '--force'], options);
    expect(again.code).toBe(0);
    expect(sandbox.workspace.codes()).toHaveLength(names.length);
  });

  test('in JSON rows are inert in CSV results, and are read back unchanged', async () => {
    const cwd = await useDirectory();
    const sandbox = await useSandbox({ codes: 0 });
    const row = {
      name: '-20% Sale',
      destination: 'https://example.com/',
      note: '=1+1',
      more: ['x;=1+1'],
      link: "https://x/;=cmd|'/C calc'!A0",
    };
    await writeFile(join(cwd, 'codes.ndjson'), `${JSON.stringify(row)}\n`);
    const args = ['qr', 'create', '--from', 'codes.ndjson', '--results', 'results.csv', '-q'];
    expect(await runByDay(args, { cwd, env: sandbox.env })).toMatchObject({ code: 0 });
    const text = await readFile(join(cwd, 'results.csv'), 'utf8');
    const [, cells = []] = cellsOf(text);
    expect(cells.slice(0, 5)).toEqual([
      "'-20% Sale",
      'https://example.com/',
      "'=1+1",
      `["x;'=1+1"]`,
      "https://x/;'=cmd|'/C calc'!A0",
    ]);
    expect(cells.slice(0, 5).map(restore)).toEqual([
      row.name,
      row.destination,
      row.note,
      JSON.stringify(row.more),
      row.link,
    ]);
  });

  test('are escaped in the --since-last file, and compared by their original text', async () => {
    const cwd = await useDirectory();
    const service = runOn(
      await useService({
        codes: [{ ...codeOf('=1+1', 1), type: 'email', destination: "mailto:a;=cmd|'x'!A0" }],
      }),
      { cwd },
    );
    const check = () => runByDay(['qr', 'check', '--since-last', 'last.csv', '-f', 'ndjson', '-q'], service);
    const first = await check();
    expect(first.stderr).not.toContain('defect');
    const kept = await readFile(join(cwd, 'last.csv'), 'utf8');
    expect(cellsOf(kept)[1]?.filter((cell) => FORMULA.test(cell))).toEqual([]);
    expect(kept).toContain("'=1+1");
    expect(kept).toContain("mailto:a;'=cmd|'x'!A0");
    expect((await check()).stdout).toBe('');
  });

  test('in profiles and settings are harmless on a terminal', async () => {
    const home = await useDirectory();
    const config = join(home, 'config');
    await mkdir(config, { mode: 0o700 });
    const entries = TEXTS.map((text) => [
      text,
      { baseUrl: text, apiKey: KEY, keyBaseUrl: text, timezone: text, shortUrl: text },
    ]);
    const stored = { version: 1, current: HOSTILE['clear screen'], profiles: Object.fromEntries(entries) };
    await writeFile(join(config, 'config.json'), JSON.stringify(stored), { mode: 0o600 });
    const env = { QRCTL_CONFIG_DIR: config };
    for (const args of [
      ['auth', 'list'],
      ['config', 'list'],
      ['config', 'get', 'timezone'],
      ['qr', 'list'],
      ['doctor'],
    ]) {
      const { stdout } = await runByDay(args, { ...onTerminal(100), env: { NO_COLOR: '1', ...env } });
      expect(stdout).not.toBe('');
      expectHarmless(stdout);
      expect(stdout).not.toMatch(/unexpected failure/);
    }
  });
});

describe(`a name of ${SOAK ? 20 : 0.5} MB`, () => {
  const huge = { ...codeOf('x', 1), name: '\x1b[31m=東京👨‍👩‍👧'.repeat(SOAK ? 700_000 : 18_000) };

  test('is complete in JSON and CSV, and shortened on a terminal', async () => {
    const service = await useService({ codes: [huge] });
    const [json, csv, ...shown] = await Promise.all([
      runByDay(['qr', 'list', '--format', 'json'], service),
      runByDay(['qr', 'list', '--format', 'csv', '--raw-cells'], service),
      runByDay(['qr', 'list', '-q'], runOn(service, onTerminal(100))),
      runByDay(['qr', 'get', uuid(1)], runOn(service, onTerminal(100))),
    ]);
    expect(JSON.parse(json.stdout)[0].name === huge.name).toBe(true);
    expect(csv.stdout.includes(huge.name)).toBe(true);
    for (const { stdout, code } of shown) {
      expect(code).toBe(0);
      expectHarmless(stdout);
      expect(stdout.length).toBeLessThan(100_000);
    }
  });

  test('is shortened in messages and omitted from results', async () => {
    const directory = await useDirectory();
    const service = await useService({
      refuse: () => ({ status: 400, body: { error: huge.name, code: huge.name } }),
    });
    const { stdout, code } = await runByDay(
      ['qr', 'create', '--name', 'x', '--type', 'sms'],
      runOn(service, onTerminal(100)),
    );
    expect(code).toBe(10);
    expect(stdout.length).toBeLessThan(2000);
    expectHarmless(stdout);
    await writeFile(join(directory, 'codes.csv'), 'name,type\nx,sms\n');
    await runByDay(['qr', 'create', '--from', 'codes.csv'], runOn(service, { cwd: directory }));
    expect((await stat(join(directory, 'codes.results.csv'))).size).toBeLessThan(2000);
  });
});
