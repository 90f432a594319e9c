/** What is asked of a workspace through a middlebox, and compared with what the workspace itself says. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Intercept } from '#sandbox/exchange';
import type { SandboxOptions } from '#sandbox/options';
import { type CliResult, runCli, useDirectory } from '../support/cli.ts';
import { type Fault, sometimes } from '../support/faults.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const ROWS = 80;

type Env = Record<string, string>;

/** Limits of the service itself are out of the way: what slows a run down is the box. */
export function useService(options: SandboxOptions = {}): Promise<TestSandbox> {
  return useSandbox({ codes: 12, scans: 1200, limit: 100_000, ...options });
}

/** The fifth POST meets `fault`, and every ninth after it; all else is answered as it should be. */
export function everyNinthPost(fault: Fault): Intercept {
  let posts = 0;
  return sometimes(({ request }) => request.method === 'POST' && posts++ % 9 === 4 && fault);
}

/** What a command line needs to reach `sandbox` through a reverse proxy on `port`. */
export function through(port: number, { apiKey }: TestSandbox, scheme = 'http'): Env {
  return { QRCTL_BASE_URL: `${scheme}://localhost:${port}/api/v1`, QRCTL_API_KEY: apiKey };
}

/** An export, an append in two runs and a list have the bytes that they have without the box. */
export async function expectSameBytes(sandbox: TestSandbox, env: Env, flags: string[] = []): Promise<void> {
  const cwd = await useDirectory();
  const run = async (args: string[], by: Env): Promise<string> => {
    const result = await runCli([...args, ...flags], { env: by, cwd });
    expect(result, args.join(' ')).toMatchObject({ code: 0 });
    return result.stdout;
  };
  const file = (name: string) => readFile(join(cwd, name), 'utf8');

  await run(['scans', 'export', '--all', '-o', 'straight.csv'], sandbox.env);
  await run(['scans', 'export', '--all', '-o', 'through.csv'], env);
  const all = await file('straight.csv');
  expect(all.split('\n').length).toBeGreaterThan(3000);
  expect(await file('through.csv')).toBe(all);

  const id = sandbox.codeId(2);
  await run(['scans', 'export', id, '-o', 'one.csv'], sandbox.env);
  await run(['scans', 'export', id, '-o', 'added.csv', '--append', '--until', '2024-12-01'], env);
  await run(['scans', 'export', id, '-o', 'added.csv', '--append'], env);
  expect(await file('added.csv')).toBe(await file('one.csv'));

  expect(await run(['qr', 'list', '-f', 'json'], env)).toBe(
    await run(['qr', 'list', '-f', 'json'], sandbox.env),
  );
}

/** Creates ROWS codes from a file, and one for each name of `more`; the outcomes are those of the results file. */
export async function createRows(
  env: Env,
  flags: string[] = [],
  more: string[] = [],
): Promise<CliResult & { outcomes: string[] }> {
  const cwd = await useDirectory();
  const rows = Array.from({ length: ROWS }, (_, row) => `Row ${row},https://example.com/${row}`);
  await writeFile(
    join(cwd, 'codes.csv'),
    ['name,destination', ...rows, ...more.map((name) => `${name},`), ''].join('\n'),
  );
  const result = await runCli(['qr', 'create', '--from', 'codes.csv', ...flags], { env, cwd });
  const results = await readFile(join(cwd, 'codes.results.csv'), 'utf8').catch(() => '');
  const outcomes = results.trim().split('\n').slice(1);
  return { ...result, outcomes: outcomes.map((line) => line.split(',')[4] ?? '') };
}

/** How many codes there are of each row, for rows that have another number than one. */
export function wrongRows({ workspace }: TestSandbox): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let row = 0; row < ROWS; row++) counts[`Row ${row}`] = 0;
  for (const { name } of workspace.codes()) if (name in counts) counts[name] = (counts[name] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 1));
}

/** Every row of a file is created once, and the run knows it. */
export async function expectEachRowOnce(
  sandbox: TestSandbox,
  env: Env,
  flags: string[] = [],
): Promise<CliResult> {
  const { outcomes, ...result } = await createRows(env, flags);
  expect(result).toMatchObject({ code: 0 });
  expect(wrongRows(sandbox)).toEqual({});
  expect(outcomes).toHaveLength(ROWS);
  expect(outcomes.filter((outcome) => outcome !== 'created' && outcome !== 'adopted')).toEqual([]);
  return result;
}
