/** README and the guides, pasted: each block of shell with `bash -e`, one after the other, in the sandbox that README starts. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SandboxOptions } from '#sandbox/options';
import { useDirectory } from '../support/cli.ts';
import { blocksIn, DOCUMENTS, readDocument } from '../support/documents.ts';
import { SOAK } from '../support/property-runs.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';
import { useShell } from '../support/shell.ts';

const DAY_MS = 86_400_000;
/** Where README says that the sandbox listens. */
const README_URL = 'http://127.0.0.1:4010/api/v1';

/** Tools of guides that not every machine has: lines with one that is missing are left out. */
const MISSING = ['jq', 'sqlite3'].filter((tool) => spawnSync(tool, ['--version']).error);

/** A shell with a sandbox as `qrctl sandbox` starts it; by day with fewer codes and scans. */
async function useSandboxShell(options: SandboxOptions = {}) {
  const size = SOAK ? {} : { codes: 10, scans: 40 };
  const sandbox = await useSandbox({
    ...size,
    endsAtMs: Math.floor(Date.now() / DAY_MS) * DAY_MS,
    ...options,
  });
  const shell = await useShell(sandbox.env);
  return (script: string) => shell(script.replaceAll(README_URL, sandbox.baseUrl));
}

/** The blocks of a document that are run. */
function runnable(name: string): string[] {
  const needs = (line: string) => MISSING.some((tool) => new RegExp(`\\b${tool} `).test(line));
  return blocksIn(readDocument(name), 'sh').map((block) =>
    block
      .split('\n')
      .filter((line) => !needs(line))
      .join('\n'),
  );
}

/** The files and directories that a block of shell names as output. */
function writtenBy(block: string): string[] {
  const code = block.replace(/(^|\s)# .*$/gm, '');
  return [
    ...code.matchAll(
      /(?:(?:-o|--output|--output-dir|--backup|--state|--since-last|--summary|mkdir -p)\s|>+ ?)([\w./-]+)/g,
    ),
  ].map(([, name = '']) => name);
}

/** README, then the guides in the order of its list. */
const PAGES = [
  'README.md',
  ...[...readDocument('README.md').matchAll(/^\| \[[^\]]+\]\((docs\/[\w-]+\.md)\)/gm)].map(
    ([, name = '']) => name,
  ),
].filter((name) => runnable(name).length > 0);

/** Runs the blocks of pages in one directory, with one sandbox. */
async function runPages(names: readonly string[]): Promise<void> {
  const shell = await useSandboxShell();
  for (const name of names) {
    for (const block of runnable(name)) {
      const { status, said } = await shell(block);
      expect(status, `${name}: ${said}`).toBe(0);
    }
  }
}

describe('in README and the guides,', () => {
  // By day each line of the guides is parsed (test/commands/readme.test.ts).
  const guides = DOCUMENTS.filter((name) => runnable(name).length > 0 && name !== 'README.md');
  test.each(['README.md', ...(SOAK ? guides : [])])('each shell block in %s works unchanged', (name) =>
    runPages([name]),
  );

  test.runIf(SOAK)(
    'all shell blocks work unchanged, one after the other in one directory',
    { timeout: 600_000 },
    () => runPages(PAGES),
  );

  test('no two pages write the same file', () => {
    const files = PAGES.map((name) => [...new Set(runnable(name).flatMap(writtenBy))]);
    expect(files.filter((names) => names.length === 0)).toEqual([]);
    const all = files.flat();
    expect(all.filter((file, at) => all.indexOf(file) !== at)).toEqual([]);
  });

  test('only three guides have no runnable shell block', () => {
    const without = DOCUMENTS.filter((name) => runnable(name).length === 0);
    expect(without).toEqual(['docs/guarantees.md', 'docs/install.md', 'docs/performance.md']);
  });

  test('only blocks that install, prompt, or need another machine are not run', () => {
    for (const name of DOCUMENTS) {
      for (const block of blocksIn(readDocument(name), 'bash'))
        expect(block).toMatch(/\bnpm |^qrctl sandbox$|auth login|rclone/m);
    }
  });

  test('the first output shown in README is the output of the commands before it on the stated day', async () => {
    const [expected = ''] = blocksIn(readDocument('README.md'), 'console');
    const [, day = ''] = /to (\d{4}-\d\d-\d\d) /.exec(expected) ?? [];
    const sandbox = await useSandbox({ hasEqualSizes: false, endsAtMs: Date.parse(day) + DAY_MS });
    const cwd = await useDirectory();
    const run = (...args: string[]) => runHere(['scans', ...args], { env: sandbox.env, cwd });
    await run('export', '--all', '-o', 'all.csv');
    const stats = ['stats', '--input', 'all.csv', '--by', 'country', '--top', '4', '-f', 'table'];
    const { stdout } = await run(...stats, '--timezone', 'UTC');
    expect(stdout.trim()).toBe(expected.trim());
  });

  test('README contains the API key of the sandbox', async () => {
    expect(readDocument('README.md')).toContain(
      `QRCTL_API_KEY=${(await useSandbox({ codes: 1, scans: 0 })).apiKey}\n`,
    );
  });
});

test('a short URL with the placeholder HOST is neither stored nor drawn', async () => {
  const shell = await useSandboxShell();
  for (const line of [
    'qrctl config set short-url https://HOST/{slug}',
    'qrctl qr image spring-menu --short-url https://HOST/{slug} -o menu.pdf',
  ]) {
    const { status, said } = await shell(line);
    expect([status, said]).toEqual([2, expect.stringContaining('HOST is a placeholder')]);
  }
  // One that an earlier version stored stays readable, and is not drawn.
  await shell(
    'qrctl config set short-url https://go.example/{slug} && sed -i s/go.example/HOST/ "$(qrctl config path)"',
  );
  expect(await shell('qrctl qr list --limit 1')).toMatchObject({ status: 0 });
  expect(await shell('qrctl qr image spring-menu -o menu.pdf')).toMatchObject({
    status: 2,
    said: expect.stringContaining('HOST is a placeholder'),
  });
});

describe.runIf(SOAK)('the script for the CI job', () => {
  const [check = '', , create = ''] = runnable('docs/ci.md');

  test('succeeds again when it is run a second time', async () => {
    const shell = await useSandboxShell();
    await shell(check);
    expect((await shell(create)).status).toBe(0);
    expect((await shell(create)).status).toBe(0);
  });

  test('fails if its command fails, even under bash -e, and prints advice', async () => {
    const shell = await useSandboxShell();
    await shell(check);
    // No less an outage for being waited out a second instead of half a minute.
    const outage = create.replace('--quiet', '--quiet --retry-for 1s');
    const { status, stdout } = await shell(`export QRCTL_BASE_URL=http://127.0.0.1:9/api/v1\n${outage}`);
    expect([status, stdout]).toEqual([1, 'run the job again later\n']);
  });

  test('suggests upgrading the plan or deleting codes if the plan allows no more codes', async () => {
    const shell = await useSandboxShell({ codes: 25, codeLimit: 26 });
    await shell(check);
    const { status, stdout } = await shell(create);
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/^the plan has no room for more codes: upgrade it, or delete codes/),
    ]);
  });
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
test.skipIf(!hasSystemd)('systemd accepts the units in the guide on scheduled exports', async () => {
  const directory = await useDirectory();
  const guide = readDocument('docs/scheduled-exports.md');
  const units = [...guide.matchAll(/^```ini\n# (qrctl\S+)\n(.*?)^```/gms)].map(
    ([, name = '', text = '']) => ({ name, text }),
  );
  expect(units.map(({ name }) => name)).toEqual([
    'qrctl-export.service',
    'qrctl-export.timer',
    'qrctl-failed@.service',
  ]);
  // Whether there is such a command is not what is asked here.
  for (const { name, text } of units)
    await writeFile(join(directory, name), text.replace('/usr/local/bin/qrctl', '/bin/true'));
  const paths = units.map(({ name }) => join(directory, name));
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${directory}:` },
    encoding: 'utf8',
  });
  const ours = (stdout + stderr).split('\n').filter((line) => line.includes('qrctl'));
  expect([status, ours]).toEqual([0, []]);
});
