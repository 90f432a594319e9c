import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outcomesOf, rowsOf, useBench } from '../support/bench.ts';
import { startCli, until, useDirectory } from '../support/cli.ts';
import { applyThenDrop, dropBefore, fails, hang, landLate, sometimes } from '../support/faults.ts';
import { firstRows } from '../support/property-runs.ts';
import { useSandbox } from '../support/sandbox.ts';

describe('a run that loses responses', () => {
  it('finds codes that it created, repeats other requests, and exits with 9 if another client created an equal code', async () => {
    const faults = [
      dropBefore,
      applyThenDrop,
      undefined,
      landLate(400),
      undefined,
      fails(500),
      fails(500, { applied: true }),
    ];
    let posts = 0;
    let isAlone = false;
    const { create, qr, sandbox, names, edit, readResults } = await useBench(rowsOf(9), {
      intercept: sometimes(({ request }) => {
        if (request.method !== 'POST' || isAlone) return;
        if (!/Code [89]"/.test(`${request.body}`)) return faults[posts++];
        const { name, destination } = JSON.parse(`${request.body}`);
        sandbox.workspace.create({ name, destination });
        return applyThenDrop;
      }),
    });
    const { code, stderr } = await create(['--concurrency', '1', '--settle', '1s']);
    isAlone = true;
    expect([code, stderr]).toEqual([
      9,
      expect.stringContaining('2 rows could not be matched to a code with certainty'),
    ]);
    const results = await readResults();
    expect(outcomesOf(results)).toBe(
      'created created created created created created created undecided undecided',
    );
    const [mine = '', other] = results[7]?.error?.match(/[0-9a-f-]{36}/g) ?? [];
    expect(stderr).toContain(mine);
    expect(other).not.toBe(mine);

    const [, its = ''] = results[8]?.error?.match(/[0-9a-f-]{36}/g) ?? [];
    await edit('codes.results.csv', (row, at) =>
      at < 7 ? row : { ...row, decision: at === 7 ? mine : its },
    );
    const decide = ['create', '--from', 'codes.results.csv', '--settle', '100ms'];
    const second = await qr(decide);
    expect([second.code, second.stderr]).toEqual([0, expect.anything()]);
    const decided = await readResults();
    expect(decided.slice(7).map(({ id }) => id)).toEqual([mine, its]);
    const twice = [8, 9].map((row) => `Code ${row}`);
    expect(names()).toEqual([...Array.from({ length: 9 }, (_, row) => `Code ${row + 1}`), ...twice].sort());
    expect(await qr(decide)).toMatchObject({ code: 0 });
    expect(names()).toHaveLength(11);
  });
});

/** Results of an earlier run, without rows. */
const OLD = 'name,id,slug,outcome,error\n';

describe('a run', () => {
  it('that is interrupted leaves the results file unchanged, and the next run resumes (SIGINT: 130, SIGTERM: 143)', async () => {
    const ends = [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const;
    await Promise.all(
      firstRows(1, ends).map(async ([signal, exit]) => {
        const { file, sandbox, directory, results, create, names } = await useBench(rowsOf(40), {
          latencyMs: 30,
        });
        await writeFile(results, OLD);
        const running = await startCli(['qr', 'create', '--from', file], {
          env: sandbox.env,
          cwd: directory,
        });
        await until(() => sandbox.requests.length >= 10);
        running.child.kill(signal);
        expect((await running.done).code).toBe(exit);
        expect(await readFile(results, 'utf8')).toBe(OLD);
        expect(await create(['--settle', '1s'])).toMatchObject({ code: 0 });
        expect(names()).toEqual(Array.from({ length: 40 }, (_, row) => `Code ${row + 1}`).sort());
      }),
    );
  });

  const interrupted: [string, string[], string][] = [
    [
      'update',
      ['update', '--from', 'rows.csv'],
      'Done: at least 2 of 5 rows. Run the command again to resume',
    ],
    ['delete', ['delete', '--yes'], 'Done: at least 2 of 5 codes'],
    [
      'delete',
      ['delete', '--from', 'rows.csv', '--yes'],
      'Done: at least 2 of 5 rows. Run the command again to resume',
    ],
    ['update', ['update', '--status', 'paused'], 'Done: at least 2 of 5 codes'],
  ];
  it.each(firstRows(1, interrupted))(
    'of `qr %s` reports its progress if it is interrupted',
    async (_, args, note) => {
      let changed = 0;
      const sandbox = await useSandbox({
        codes: 5,
        intercept: sometimes(({ request }) => (request.method !== 'GET' && ++changed > 2 ? hang : undefined)),
      });
      const cwd = await useDirectory();
      const ids = [0, 1, 2, 3, 4].map((n) => sandbox.codeId(n));
      const update = ['id,name', ...ids.map((id) => `${id},renamed`)].join('\n');
      await writeFile(join(cwd, 'rows.csv'), args.includes('delete') ? ['id', ...ids].join('\n') : update);
      const named = args.includes('--from') ? [] : ids;
      const running = await startCli(['qr', ...args, ...named, '--concurrency', '1'], {
        env: sandbox.env,
        cwd,
      });
      await until(() => changed > 2 || running.child.exitCode !== null);
      running.child.kill('SIGINT');
      const { code, stderr } = await running.done;
      expect([code, stderr]).toEqual([130, `${note}\nqrctl: interrupted\n`]);
    },
  );
});
