import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/time/time.ts';
import { startCli, until, useDirectory } from '../support/cli.ts';
import { applyThenDrop, dropBefore, type Fault, fails, hang, landLate, sometimes } from '../support/faults.ts';
import { useSandbox } from '../support/sandbox.ts';
import { rowsOf, useBench } from './bulk-bench.ts';

describe('when answers are lost', () => {
  it('adopts what was created, sends again what was not, asks where somebody else did the same (9), and takes their word', async () => {
    const faults = [dropBefore, applyThenDrop, undefined, landLate(400), undefined, fails(500), fails(500, { applied: true })];
    let posts = 0;
    let alone = false;
    let agoMs = 700_000;
    const { create, sandbox, names, readResults } = await useBench(rowsOf(9), {
      clock: { ...systemClock, now: () => systemClock.now() - agoMs },
      intercept: sometimes(({ request }) => {
        if (request.method !== 'POST' || alone) return;
        if (!/Code [89]"/.test(`${request.body}`)) return faults[posts++];
        const { name, destination } = JSON.parse(`${request.body}`);
        sandbox.workspace.create({ name, destination });
        return applyThenDrop;
      }),
    });
    const old = sandbox.workspace.create({ name: 'Code 1', destination: 'https://example.com/1' });
    agoMs = 0;

    const { code, stderr } = await create(['--concurrency', '1', '--settle', '1s']);
    alone = true;
    expect([code, stderr]).toEqual([9, expect.stringContaining('Some responses were lost')]);
    expect(stderr).toMatch(/line 9 "Code 8"[\s\S]*line 10 "Code 9"[\s\S]*--adopt 9=ID or --not-created 9/);
    const results = await readResults();
    const outcomes = 'created adopted created adopted created created adopted';
    expect(results.map(({ outcome }) => outcome).join(' ')).toBe(`${outcomes} undecided undecided`);
    expect(results.map(({ id }) => id)).not.toContain(old.id);
    const [mine = '', other] = results[7]?.error?.match(/[0-9a-f-]{36}/g) ?? [];
    expect(stderr).toContain(mine);
    expect(other).not.toBe(mine);

    expect(await create(['--adopt', `9=${mine}`, '--not-created', '10', '--settle', '1s'])).toMatchObject({ code: 0 });
    const decided = await readResults();
    expect(decided.map(({ outcome }) => outcome).join(' ')).toBe(`${outcomes} adopted created`);
    expect(decided[7]?.id).toBe(mine);
    const twice = [8, 9, 9].map((row) => `Code ${row}`);
    expect(names()).toEqual([...Array.from({ length: 9 }, (_, row) => `Code ${row + 1}`), 'Code 1', ...twice].sort());
  });
});

/** Results of an earlier run, without rows. */
const OLD = 'name,id,slug,outcome,error\n';

describe('an interrupted run', () => {
  it('leaves the results untouched, and the next one goes on: SIGINT (130), SIGTERM (143)', async () => {
    const ends = [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const;
    await Promise.all(
      ends.map(async ([signal, exit]) => {
        const { file, sandbox, directory, results, create, names } = await useBench(rowsOf(40), { latencyMs: 30 });
        await writeFile(results, OLD);
        const running = await startCli(['qr', 'create', '--from', file], { env: sandbox.env, cwd: directory });
        await until(() => sandbox.requests.length >= 10);
        running.child.kill(signal);
        expect((await running.done).code).toBe(exit);
        expect(await readFile(results, 'utf8')).toBe(OLD);
        expect(await create(['--settle', '1s'])).toMatchObject({ code: 0 });
        expect(names()).toEqual(Array.from({ length: 40 }, (_, row) => `Code ${row + 1}`).sort());
      }),
    );
  });

  it.each([
    ['update', ['update', '--from', 'rows.csv'], 'Done: at least 2 of 5 rows. Run the command again to resume'],
    ['delete', ['delete', '--from', 'rows.csv', '--yes'], 'Done: at least 2 of 5 rows. Run the command again to resume'],
    ['update', ['update', '--status', 'paused'], 'Done: at least 2 of 5 codes'],
    ['delete', ['delete', '--yes'], 'Done: at least 2 of 5 codes'],
  ])('%s says how far it came', async (_, args, note) => {
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
    const running = await startCli(['qr', ...args, ...named, '--concurrency', '1'], { env: sandbox.env, cwd });
    await until(() => changed > 2);
    running.child.kill('SIGINT');
    const { code, stderr } = await running.done;
    expect([code, stderr]).toEqual([130, `${note}\nqrctl: interrupted\n`]);
  });

  it('shares its journal with no other run', async () => {
    let asked = 0;
    let goOn = () => undefined as unknown;
    const told = new Promise((resolve) => {
      goOn = () => resolve(undefined);
    });
    const intercept: Fault = async ({ apply, send }) => {
      asked += 1;
      await told;
      return send(apply());
    };
    const { file, sandbox, directory, names } = await useBench(rowsOf(10), { intercept });
    const run = () => startCli(['qr', 'create', '--from', file, '--timeout', '10m'], { env: sandbox.env, cwd: directory });
    const first = await run();
    await until(() => asked > 0);
    const second = await run();
    await second.waitFor(/Waiting for another run that is using/);
    goOn();
    expect((await first.done).code).toBe(0);
    expect((await second.done).code).toBe(0);
    expect(names()).toHaveLength(10);
  });
});
