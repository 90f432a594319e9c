/** A directory with a file of rows, a sandbox to create them in, and the command in between. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { SandboxOptions } from '#sandbox/options';
import type { QrCode } from '#service/shapes';
import { type CliOptions, useDirectory } from './cli.ts';
import { runByDay } from './run-here.ts';
import { type TestSandbox, useSandbox } from './sandbox.ts';

export interface Bench {
  sandbox: TestSandbox;
  directory: string;
  file: string;
  results: string;
  /** Runs `qrctl …args` in the directory, with a config directory in it. */
  run(...args: string[]): ReturnType<typeof runByDay>;
  /** Runs `qrctl qr …args` in the directory. */
  qr(args: string[], options?: CliOptions): ReturnType<typeof runByDay>;
  /** Runs `qrctl qr create --from FILE …more`. */
  create(more?: string[], options?: CliOptions): ReturnType<typeof runByDay>;
  write(name: string, text: string): Promise<void>;
  read(name: string): Promise<string>;
  /** Edits the rows of a CSV file, as in a spreadsheet. */
  edit(
    name: string,
    change: (row: Record<string, string>, at: number) => Record<string, string> | undefined,
  ): Promise<void>;
  /** Rows of a CSV file; those of the results if no name is given. */
  readResults(name?: string): Promise<Record<string, string>[]>;
  /** Names of codes in the workspace, sorted. */
  names(): string[];
  /** The only code with this name. */
  code(name: string): QrCode;
  posts(): number;
  /** Number of requests by method since the last call. */
  methods(): Record<string, number>;
}

export async function useBench(
  text?: string,
  options: SandboxOptions = {},
  name = 'codes.csv',
): Promise<Bench> {
  const sandbox = await useSandbox({ codes: 0, scans: 0, ...options });
  const directory = await useDirectory();
  const file = join(directory, name);
  const results = join(directory, 'codes.results.csv');
  const qr = (args: string[], options: CliOptions = {}) =>
    runByDay(['qr', ...args], { cwd: directory, ...options, env: { ...sandbox.env, ...options.env } });
  const rows = async (name: string): Promise<Record<string, string>[]> =>
    parse(await readFile(join(directory, name)), { columns: true, bom: true });
  let seen = 0;
  if (text !== undefined) await writeFile(file, text);
  return {
    sandbox,
    directory,
    file,
    results,
    run: (...args) =>
      runByDay(args, {
        cwd: directory,
        env: { ...sandbox.env, QRCTL_CONFIG_DIR: join(directory, 'config') },
      }),
    qr,
    create: (more = [], options) => qr(['create', '--from', file, ...more], options),
    write: (name, text) => writeFile(join(directory, name), text),
    read: (name) => readFile(join(directory, name), 'utf8'),
    async edit(name, change) {
      const edited = (await rows(name)).map(change).filter((row) => row !== undefined);
      const columns = [...new Set(edited.flatMap((row) => Object.keys(row)))];
      const cell = (value = '') => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
      const lines = edited.map((row) => columns.map((column) => cell(row[column])).join(','));
      await writeFile(join(directory, name), `${[columns.join(','), ...lines].join('\n')}\n`);
    },
    readResults: (name = 'codes.results.csv') => rows(name),
    names: () =>
      sandbox.workspace
        .codes()
        .map((code) => code.name)
        .sort(),
    code(name) {
      const [code, ...more] = sandbox.workspace.codes().filter((one) => one.name === name);
      if (!code || more.length > 0)
        throw new Error(`${more.length + (code ? 1 : 0)} codes have the name ${name}`);
      return code;
    },
    posts: () => sandbox.requests.filter(({ method }) => method === 'POST').length,
    methods() {
      const counts: Record<string, number> = {};
      for (const { method } of sandbox.requests.slice(seen)) counts[method] = (counts[method] ?? 0) + 1;
      seen = sandbox.requests.length;
      return counts;
    },
  };
}

/** Environment of a machine that has no ledger of any workspace. */
export async function newMachine(): Promise<{ QRCTL_STATE_DIR: string }> {
  return { QRCTL_STATE_DIR: await useDirectory() };
}

/** CSV of rows `Code 1`, `Code 2`, …, each with an address of its own. */
export const rowsOf = (count: number) =>
  `name,destination\n${Array.from({ length: count }, (_, row) => `Code ${row + 1},https://example.com/${row + 1}\n`).join('')}`;

/** Outcomes of the rows of results, in one line. */
export const outcomesOf = (results: readonly Record<string, string>[]) =>
  results.map(({ outcome }) => outcome).join(' ');
