import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstRows, SOAK } from '../support/property-runs.ts';

/** Prints `argv[2]` lines through the console as a command does; the exit code is that of what was thrown. */
const PROGRAM = `
import { exitCodeOf } from './src/base/errors.ts';
import { createConsole } from './src/terminal/console.ts';
import { renderError } from './src/terminal/render-error.ts';
import { systemClock } from './src/base/time/time.ts';
const { stdin, stdout, stderr, env } = process;
const console = createConsole({ stdin, stdout, stderr, env, quiet: false, verbose: false, noColor: false,
  clock: systemClock, signal: new AbortController().signal, onClosedPipe: () => undefined });
try {
  for (let line = 0; line < Number(process.argv[2]); line++) {
    await console.write('line ' + line + ' ' + 'x'.repeat(1000) + '\\n');
    if (line % 100 === 0) console.note('at ' + line);
  }
} catch (error) {
  stderr.write(renderError(error, { json: false, verbose: false }));
  process.exitCode = exitCodeOf(error);
}
`;

const root = fileURLToPath(new URL('../..', import.meta.url));
let directory: string;
let program: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'qrctl-process-'));
  program = join(directory, 'program.mjs');
  const stdin = { contents: PROGRAM, resolveDir: root, loader: 'js' as const };
  buildSync({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: program });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs `script` in sh, with `$RUN` as the program; gives back what it said and its exit code. */
function sh(script: string) {
  const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', script], {
    env: { PATH: process.env.PATH, RUN: `${process.execPath} ${program}`, DIR: directory },
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  return { status, stdout, stderr };
}

describe.runIf(existsSync('/dev/full'))('a process that prints data', () => {
  test('exits with 0 and prints no message if the reader closes the pipe', () => {
    expect(
      sh('$RUN 5000 2>$DIR/said | head -n 1; code=$PIPESTATUS; grep qrctl $DIR/said; exit $code'),
    ).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^line 0 x+\n$/),
    });
  });

  test('exits with 1 if the device is full', () => {
    const { status, stderr } = sh('$RUN 1 > /dev/full');
    expect(status).toBe(1);
    expect(stderr).toContain('qrctl: cannot write to standard output: the disk is full (ENOSPC)');
  });

  test('exits with 1 if its output file reaches the size limit, even if part of the last write succeeded', () => {
    // One block of 1024 bytes: the first write of 1008 fits, the second only begins to.
    expect(sh("trap '' XFSZ; ulimit -f 1; $RUN 2 2>/dev/null > $DIR/small").status).toBe(1);
  });

  test.each(firstRows(1, ['2>&-', '2>/dev/full', '2>&1 >$DIR/out | true; cat $DIR/out']))(
    'prints all of its data with the redirection %s',
    (redirection) => {
      const { status, stdout } = sh(`$RUN 201 ${redirection}`);
      expect(status).toBe(0);
      expect(stdout.split('\n').filter((line) => line.startsWith('line'))).toHaveLength(201);
    },
  );

  test.runIf(SOAK)('delivers every line to a slow reader', () => {
    expect(sh('$RUN 2000 2>/dev/null | (sleep 0.3; wc -l)').stdout.trim()).toBe('2000');
  });
});

test('printing CSV loads no library for tables and colors', async () => {
  const { metafile } = await build({
    entryPoints: [join(root, 'src/commands/output-options.ts')],
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    outdir: directory,
    write: false,
    metafile: true,
  });
  const libraries = (start: string): string[] => {
    const inputs = Object.keys(metafile.outputs[start]?.inputs ?? {});
    const statics = (metafile.outputs[start]?.imports ?? []).filter(
      ({ kind }) => kind === 'import-statement',
    );
    const own = inputs
      .map((path) => /node_modules\/([^/]+)\//.exec(path)?.[1])
      .filter((name) => name !== undefined);
    return [...own, ...statics.flatMap(({ path }) => libraries(path))];
  };
  const chunkOf = (source: string) => {
    const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source);
    if (!found) throw new Error(`no chunk begins at ${source}`);
    return found[0];
  };
  const heavy = ['chalk', 'cli-table3', 'string-width'];
  for (const source of [
    'commands/output-options',
    'files/formats/create-formatter',
    'files/formats/plan-output',
    'files/formats/whole-file',
  ]) {
    expect(libraries(chunkOf(`src/${source}.ts`)).filter((name) => heavy.includes(name))).toEqual([]);
  }
  expect(libraries(chunkOf('src/terminal/table.ts'))).toContain('cli-table3');
});
