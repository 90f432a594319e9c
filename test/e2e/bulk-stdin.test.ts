import { execFileSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '#sandbox/options';
import { argv } from '../support/argv.ts';
import { newMachine, outcomesOf, rowsOf, useBench } from '../support/bench.ts';
import { type CliOptions, startCli, until } from '../support/cli.ts';
import { fails, sometimes } from '../support/faults.ts';

/** Runs commands in a directory of their own, and says which files they left there. */
async function usePipe(options: SandboxOptions = {}) {
  const bench = await useBench(undefined, options);
  return {
    ...bench,
    cwd: bench.directory,
    qr: (args: string[], input = '', more: CliOptions = {}) => bench.qr(args, { input, ...more }),
    files: () => readdir(bench.directory),
    codes: () => [...bench.sandbox.workspace.codes()],
  };
}

describe('qr create with rows from a pipe', () => {
  const create = ['create', '--from', '-'];

  it('prints the results, writes no file, and creates no duplicates if this machine or another sends the same rows again', async () => {
    const { qr, files, names, codes } = await usePipe();
    const { code, stdout, stderr } = await qr(create, rowsOf(1));
    expect([code, stderr]).toEqual([0, 'Created 1 code (2 requests)\n']);
    const [{ id, slug } = { id: '', slug: '' }] = codes();
    expect(stdout).toMatch(/^name,destination,id,slug,outcome,error,base,decision\n/);
    expect(stdout).toContain(`Code 1,https://example.com/1,${id},${slug},created,,r`);
    for (const [env, outcome] of [
      [undefined, 'unchanged'],
      [await newMachine(), 'exists'],
    ] as const) {
      const again = await qr([...create, '-f', 'json'], rowsOf(1), { env });
      expect([again.code, outcomesOf(JSON.parse(again.stdout))]).toEqual([0, outcome]);
    }
    const json = await qr([...create, '-f', 'json'], '{"name":"b","destination":"https://x.de"}\n');
    expect(JSON.parse(json.stdout)).toMatchObject([{ name: 'b', outcome: 'created' }]);
    expect([names(), await files()]).toEqual([['Code 1', 'b'], []]);
  });

  it('shows each row on a terminal if the input is a named pipe', async () => {
    const { cwd, qr, codes, files } = await usePipe();
    const fifo = join(cwd, 'rows');
    execFileSync('sh', ['-c', 'mkfifo "$0"', fifo]);
    const running = qr(['create', '--from', fifo, '--no-color'], '', { tty: 100 });
    await writeFile(fifo, rowsOf(2));
    const { code, stdout } = await running;
    expect(code).toBe(0);
    for (const { slug, name } of codes()) expect(stdout).toMatch(new RegExp(`${name} .*${slug} +created`));
    expect(await files()).toEqual(['rows']);
  });

  it('prints the results of a failed run, and completes an interrupted run if it gets the same rows again', async () => {
    const { sandbox, cwd, names, files, qr } = await usePipe({ latencyMs: 30 });
    const running = await startCli(['qr', ...create], { env: sandbox.env, cwd, input: rowsOf(40) });
    await until(() => sandbox.requests.length >= 10);
    running.child.kill('SIGINT');
    const stopped = await running.done;
    // Only a file can be read again by the same command.
    expect(stopped).toMatchObject({ code: 130, stderr: expect.not.stringContaining('to resume') });
    expect(stopped.stderr).toMatch(/^Done: at least \d+ of 40 rows$/m);
    expect((await qr([...create, '--settle', '100ms'], rowsOf(40))).code).toBe(0);
    expect([names(), await files()]).toEqual([
      Array.from({ length: 40 }, (_, row) => `Code ${row + 1}`).sort(),
      [],
    ]);

    const full = await usePipe({
      intercept: sometimes(({ request }) => `${request.body}`.includes('Code 2') && fails(400)),
    });
    const failed = await full.qr([...create, '-f', 'json'], rowsOf(4));
    expect([failed.code, outcomesOf(JSON.parse(failed.stdout))]).toEqual([
      8,
      'created failed created created',
    ]);
  });

  it('writes the results to the file in --results, and a run with that file changes nothing', async () => {
    const { qr, files, names } = await usePipe();
    const keep = [...create, '--results', 'kept.results.csv'];
    expect(await qr(keep, rowsOf(2))).toMatchObject({ code: 0 });
    expect(await qr(keep, rowsOf(2))).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('2 rows unchanged (1 request)'),
    });
    expect(await qr(['create', '--from', 'kept.results.csv'])).toMatchObject({ code: 0 });
    expect([await files(), names()]).toEqual([['kept.results.csv'], ['Code 1', 'Code 2']]);
  });
});

describe('a list of IDs or slugs', () => {
  it('is read from a pipe by update, check, image and delete', async () => {
    const { qr, files, codes, sandbox } = await usePipe({ codes: 3 });
    const ids = await qr(['list', '--ids']);
    const paused = await qr(['update', '--from', '-', '--status', 'paused'], ids.stdout);
    expect([paused.code, paused.stderr]).toEqual([
      0,
      expect.stringMatching(/^Updated 3 codes \(\d+ requests\)\n$/),
    ]);
    expect(codes().map(({ status }) => status)).toEqual(['paused', 'paused', 'paused']);
    const slugs = codes().map(({ slug }) => slug);
    const image = argv`image --from - --short-url https://go.example/{slug} --output-dir out --dry-run`;
    expect(await qr(image, `${slugs[0]}\n${slugs[2]}\n`)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('2 '),
    });
    const check = await qr(
      ['check', '--from', '-', '--fail-on', 'none', '-f', 'json', '--timeout', '1s'],
      slugs.join('\r\n'),
    );
    expect(JSON.parse(check.stdout).map(({ slug }: { slug: string }) => slug)).toEqual(slugs);
    const deleted = await qr(['delete', '--from', '-', '--yes'], `${slugs[1]}\n`);
    expect([deleted.code, codes().length]).toEqual([0, 2]);
    expect([await files(), sandbox.refused()]).toEqual([[], 0]);
    expect(await qr(['delete', '--from', '-', '--yes'], '')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The file has no rows'),
    });
  });
});
