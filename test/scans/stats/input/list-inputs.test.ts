/** The logs that `--input` reads, with their files, and what is said about other files. */
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMPANION, filesOf, peekInput, recordOf, refuseLosses } from '#scans/stats/input/input-log';
import { listInputs } from '#scans/stats/input/list-inputs';
import { useDirectory } from '../../../support/cli.ts';
import { keepFile } from '../../../support/kept-log.ts';

const SCANS = 'id,ts\n1,2026-10-01T00:00:00Z\n';

/** Writes files, by default with one scan each, and the state of those that an export appends to. Deletes `gone`. */
async function useFiles(names: readonly string[], states: Record<string, boolean> = {}) {
  const directory = await useDirectory();
  for (const line of names) {
    const [name = '', content = SCANS] = line.split(/=> ?/);
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content);
  }
  for (const [name, isRotated] of Object.entries(states)) {
    await keepFile(join(directory, name), { isRotated });
    if (name.endsWith('gone.csv')) await rm(join(directory, name));
  }
  return directory;
}

async function listIn(directory: string, inputs: readonly string[]) {
  const said: string[] = [];
  const options = {
    rotated: true,
    note: (line: string) => void said.push(line),
    warn: (line: string) => void said.push(`warning: ${line}`),
  };
  const logs = await listInputs(
    inputs.map((name) => join(directory, name)),
    options,
  );
  const inside = (path: string) => path.slice(directory.length + 1);
  const named = logs.map(({ keptBy, paths }) => [
    keptBy ? `${'file' in keptBy ? inside(keptBy.file) : `${inside(keptBy.directory)}/`}:` : '-',
    ...paths.map(inside),
  ]);
  return { logs, named: named.map((words) => words.join(' ')), said, options };
}

const also = (names: string) => `Also reading ${names} (add --no-rotated to read only the specified files)`;
const unread = (name: string) =>
  `warning: ${name} looks like a scan file but was not read. To count it, specify it with --input`;

describe('the logs for --input', () => {
  const A = ['a.csv', 'a.csv.1', 'a.csv.2'];

  it.each<[string[], Record<string, boolean>, string[], string[], string[]]>([
    [
      A,
      { 'a.csv': true },
      ['a.csv'],
      ['a.csv: a.csv.2 a.csv.1 a.csv'],
      [also('2 rotated files: a.csv.2, a.csv.1')],
    ],
    [A, { 'a.csv': true }, ['a.csv', 'a.csv.1', 'a.csv.2'], ['a.csv: a.csv.2 a.csv.1 a.csv'], []],
    [
      A,
      { 'a.csv': true },
      ['a.csv.2', 'a.csv'],
      ['a.csv: a.csv.2 a.csv.1 a.csv'],
      [also('1 rotated file: a.csv.1')],
    ],
    [
      ['gone.csv', 'gone.csv.1'],
      { 'gone.csv': true },
      ['gone.csv'],
      ['gone.csv: gone.csv.1'],
      [also('1 rotated file: gone.csv.1')],
    ],
    [['a.csv', 'a.csv.1'], {}, ['a.csv'], ['- a.csv'], [unread('a.csv.1')]],
    [['a.csv', 'a.csv.1'], {}, ['a.csv', 'a.csv.1'], ['- a.csv', '- a.csv.1'], []],
    [['a.csv'], {}, ['a.csv', './a.csv', 'x/../a.csv'], ['- a.csv'], []],
    [['a.csv', 'a.csv.bak', 'b.csv.bak', 'a.csv.old=> x'], {}, ['a.csv'], ['- a.csv'], [unread('a.csv.bak')]],
    [
      ['scans', 'scans.1'],
      { scans: true },
      ['scans'],
      ['scans: scans.1 scans'],
      [also('1 rotated file: scans.1')],
    ],
    [
      ['a.csv', 'a.csv.state.json=> {}', 'a.csv.journal', 'b.csv.lock'],
      {},
      ['a.csv', 'a.csv.state.json', 'a.csv.journal', 'b.csv.lock'],
      ['- a.csv', '- b.csv.lock'],
      ['Skipped 2 files that qrctl keeps next to scan files: a.csv.state.json, a.csv.journal'],
    ],
  ])('in %j (rotated: %j), specified as %j, are %j', async (names, states, inputs, logs, notes) => {
    const { named, said } = await listIn(await useFiles(names, states), inputs);
    expect({ named, said }).toEqual({ named: logs, said: notes });
  });

  it.each<[string[], Record<string, boolean>, string[], string[]]>([
    [['d/b.csv', 'd/a.csv', 'd/.c.csv', 'd/_d.csv'], {}, ['- d/a.csv', '- d/b.csv'], []],
    [
      ['d/a.csv', 'd/x/a.csv', 'd/a.csv.1'],
      { 'd/a.csv': false },
      ['d/a.csv: d/a.csv.1 d/a.csv', '- d/x/a.csv'],
      [],
    ],
    [['d/a-20261001.csv', 'd/a-2026-10-01.csv'], {}, ['- d/a-2026-10-01.csv d/a-20261001.csv'], []],
    [
      ['d/scans', 'd/notes', 'd/notes.state.json=> {}', 'd/notes.txt'],
      { 'd/scans': false },
      ['d/scans: d/scans'],
      [],
    ],
    [
      ['d/a.csv', 'd/x/a.csv.old', 'd/y/a.csv.old'],
      {},
      ['- d/a.csv'],
      [
        'warning: a.csv.old, a.csv.old look like scan files but were not read. To count them, specify them with --input',
      ],
    ],
    [['d/a.csv', 'd/a.csv.old', 'd/b.csv~=> x'], {}, ['- d/a.csv'], [unread('a.csv.old')]],
    [
      ['d/dt=2026-10-01/a.csv', 'd/dt=2026-10-02/a.csv'],
      {},
      ['- d/dt=2026-10-01/a.csv', '- d/dt=2026-10-02/a.csv'],
      [],
    ],
    [
      ['d/a.csv', 'd/_qrctl.json=> {', 'd/dt=2026-10-01/a.csv'],
      {},
      ['d/: d/dt=2026-10-01/a.csv', '- d/a.csv'],
      [],
    ],
    [
      ['d/a.csv', 'd/gone.csv', 'd/other.csv.state.json=> {}', 'd/notes.state.json=> {}'],
      { 'd/gone.csv': false },
      ['- d/a.csv', 'd/gone.csv:'],
      [],
    ],
    [
      ['d/a.csv', 'd/codes.csv=> id,slug', 'd/run.json=> {"codes":1}', 'd/x.csv=> a'],
      {},
      ['- d/a.csv', '- d/x.csv'],
      [],
    ],
  ])('in a directory with %j (appended to: %j) are %j', async (names, states, logs, notes) => {
    const { named, said } = await listIn(await useFiles(names, states), ['d']);
    expect({ named, said }).toEqual({ named: logs, said: notes });
  });

  it.each([
    [
      ['d/notes.txt'],
      'no scan files in d',
      'Specify a directory with .csv, .ndjson, .json or .parquet files.',
    ],
    [
      ['d/a.csv.xz'],
      /d\/a\.csv\.xz: qrctl decompresses \.gz, not \.xz$/,
      'Decompress a.csv.xz, or move it to another directory to count without it.',
    ],
    [['d/_qrctl.json=> {', 'd/dt=2026-10-01/a.csv.xz'], /a\.csv\.xz: qrctl decompresses/, expect.any(String)],
  ])('in a directory with %j are refused', async (names, message, hint) => {
    const directory = await useFiles(names);
    const error = await listIn(directory, ['d']).catch((caught: Error & { hint: string }) => caught);
    expect(error).toMatchObject({ hint });
    expect((error as Error).message.replace(`${directory}/`, '')).toMatch(message);
  });

  it('in a directory include a missing file whose state is damaged', async () => {
    const directory = await useFiles(['d/a.csv', 'd/gone.csv'], { 'd/gone.csv': false });
    await truncate(join(directory, 'd/gone.csv.state.json'), 100);
    expect((await listIn(directory, ['d'])).named).toEqual(['- d/a.csv', 'd/gone.csv:']);
  });

  it('are refused if they include standard input', async () => {
    const error = {
      message: "--input can't read standard input",
      hint: 'Save the data to a file first, then pass its path.',
    };
    const options = { rotated: true, note: () => undefined, warn: () => undefined };
    await expect(listInputs(['a.csv', '-'], options)).rejects.toMatchObject(error);
  });

  it('have the files that no export appends to as their closed files', () => {
    const logs = [{ paths: ['a', 'b'] }, { paths: ['c'], keptBy: { file: 'c' } }];
    expect(filesOf(logs)).toEqual({ paths: ['a', 'b', 'c'], closed: new Set(['a', 'b']) });
  });

  it('without a state have no record', async () => {
    expect(await recordOf(undefined)).toBeUndefined();
  });
});

describe('a log that lost scans', () => {
  it.each([
    [['d/a.csv'], 'd/a.csv', 'To count only the scans that are left, copy a.csv to another directory.'],
    [['d/gone.csv'], 'd/gone.csv', 'If you deleted the file on purpose, delete gone.csv.state.json too.'],
    [
      ['d/_qrctl.json=> {', 'd/dt=2026-10-01/a.csv'],
      undefined,
      'To count only the scans that are left, specify the directories in d with --input.',
    ],
  ])(
    'in a directory that had %j is refused with the way to count the rest (F22)',
    async (names, emptied, hint) => {
      const directory = await useFiles(names, emptied ? { [emptied]: false } : {});
      if (emptied === 'd/a.csv') await writeFile(join(directory, emptied), '');
      const { logs, options } = await listIn(directory, ['d']);
      const refused = refuseLosses(logs, options, AbortSignal.abort());
      await expect(refused).rejects.toMatchObject({ hint: `Restore it from a backup. ${hint}` });
    },
  );

  it('causes a warning if no other log is specified and its rotated files are elsewhere', async () => {
    const directory = await useFiles(['a.csv', 'b.csv'], { 'a.csv': true });
    const saidOf = async (...inputs: string[]) => {
      const { logs, options, said } = await listIn(directory, inputs);
      await refuseLosses(logs, options, new AbortController().signal);
      return said;
    };
    const warning =
      'warning: a.csv was rotated, but no rotated files are next to it. Their scans are not counted';
    expect(await saidOf('a.csv')).toEqual([warning]);
    expect(await saidOf('a.csv', 'b.csv')).toEqual([]);
  });
});

it.each([
  ['a.csv', '', 'scans'],
  ['a.csv', '\ufeffid,ts\n', 'scans'],
  ['a.csv', 'name,slug\n', 'codes'],
  ['a.csv', 'name,outcome\n', 'codes'],
  ['a.csv', 'name,"[x]",outcome\n', 'codes'],
  ['a.csv', 'name,[]\n', 'other'],
  ['a.csv', 'name,PAR1', 'other'],
  ['a.parquet', 'PAR1\0', 'scans'],
  ['a.json', '[ \n ]', 'scans'],
  ['a.json', '[]\n', 'scans'],
  ['a.json', '[1]', 'other'],
  ['a.json', '[{"id":1,"ts":"x"},{"id":2}]', 'scans'],
  ['a.json', '[{"id":1},{"ts":2}]', 'other'],
  ['a.json', '[{"slug":"a"}]', 'codes'],
  ['a.json', '[{"outcome":"created"}]', 'other'],
  ['a.json', '\n{"slug":"a"}', 'record'],
  ['a.json.gz', '{"slug":"a"}', 'codes'],
  ['a.ndjson', '{"slug":"a"}\n', 'codes'],
])('a file %s with %j counts as %s', async (name, content, kind) => {
  const directory = await useDirectory();
  await writeFile(join(directory, name), content);
  expect(await peekInput(join(directory, name))).toBe(kind);
});

it.each([
  ['all.csv.state.json', 'all.csv'],
  ['all.csv.LOCK', 'all.csv'],
  ['codes.results.csv', 'codes'],
  ['all.csv.lock.lock', 'all.csv.lock'],
])('the file %s is kept next to %s', (name, base) => {
  expect(COMPANION.exec(name)?.[1]).toBe(base);
});

it.each(['all.csv.lock.csv', 'codes.results.1', '.lock'])(
  'the file %s is not kept next to another',
  (name) => {
    expect(COMPANION.test(name)).toBe(false);
  },
);
