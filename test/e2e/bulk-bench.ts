/** A file of rows, a sandbox to create them in, and the command in between. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { type CliOptions, useDirectory } from '../support/cli.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

export interface Bench {
  sandbox: TestSandbox;
  directory: string;
  file: string;
  results: string;
  /** Runs `qr create --from FILE …more`. */
  create(more?: string[], options?: CliOptions): ReturnType<typeof runByDay>;
  /** Names of codes in the workspace, sorted. */
  names(): string[];
  posts(): number;
  readResults(): Promise<Record<string, string>[]>;
}

export async function useBench(text: string, options: SandboxOptions = {}, name = 'codes.csv'): Promise<Bench> {
  const sandbox = await useSandbox({ codes: 0, scans: 0, ...options });
  const directory = await useDirectory();
  const file = join(directory, name);
  const results = join(directory, 'codes.results.csv');
  await writeFile(file, text);
  return {
    ...{ sandbox, directory, file, results },
    create: (more = [], options = {}) =>
      runByDay(['qr', 'create', '--from', file, ...more], { env: sandbox.env, cwd: directory, ...options }),
    names: () =>
      sandbox.workspace
        .codes()
        .map((code) => code.name)
        .sort(),
    posts: () => sandbox.requests.filter(({ method }) => method === 'POST').length,
    readResults: async () => parse(await readFile(results), { columns: true }),
  };
}

/** CSV of rows `Code 1`, `Code 2`, …, each with an address of its own. */
export const rowsOf = (count: number) =>
  `name,destination\n${Array.from({ length: count }, (_, row) => `Code ${row + 1},https://example.com/${row + 1}\n`).join('')}`;
