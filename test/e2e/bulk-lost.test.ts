import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startCli } from '../support/cli.ts';
import { applyThenDrop, dropBefore, type Fault, fails, landLate, sometimes } from '../support/faults.ts';
import { rowsOf, useBench } from './bulk-bench.ts';

/** The n-th POST (from 0) meets the fault of that number. */
function onPosts(faults: Readonly<Record<number, Fault>>) {
  let posts = 0;
  return sometimes(({ request }) => request.method === 'POST' && faults[posts++]);
}

describe('when answers are lost', () => {
  it('looks, waits for late writes, adopts and sends again; an older code is never adopted', async () => {
    const faults = onPosts({
      0: dropBefore,
      1: applyThenDrop,
      3: landLate(5000),
      5: fails(500),
      6: fails(500, { applied: true }),
    });
    const { create, sandbox, names, readResults } = await useBench(rowsOf(8), { intercept: faults });
    const old = sandbox.workspace.create({ name: 'Code 1', destination: 'https://example.com/1' });
    expect(await create(['--concurrency', '1'])).toMatchObject({ code: 0, stderr: expect.stringContaining('answers were lost') });
    const results = await readResults();
    expect(results.map(({ outcome }) => outcome).join(' ')).toBe(
      'created adopted created adopted created created adopted created',
    );
    expect(results.map(({ id }) => id)).not.toContain(old.id);
    expect(names()).toHaveLength(9);
  }, 60_000);

  it('asks a person when somebody else created the same meanwhile (9), and takes their word', async () => {
    const { create, sandbox, names, readResults } = await useBench(rowsOf(3), {
      intercept: sometimes((exchange) => {
        const { request } = exchange;
        if (request.method !== 'POST' || !/Code [23]"/.test(`${request.body}`) || asked) return;
        const { name, destination } = JSON.parse(`${request.body}`);
        sandbox.workspace.create({ name, destination });
        return applyThenDrop;
      }),
    });
    let asked = false;
    const { code, stderr } = await create();
    asked = true;
    expect(code).toBe(9);
    expect(stderr).toMatch(/row 2 \(line 3\) "Code 2"[\s\S]*row 3 \(line 4\) "Code 3"[\s\S]*--adopt 2=ID or --not-created 2/);
    const [, second, third] = await readResults();
    expect([second?.outcome, third?.outcome]).toEqual(['undecided', 'undecided']);
    const [mine, other] = second?.error?.match(/[0-9a-f-]{36}/g) ?? [];
    expect(stderr).toContain(mine);
    expect(await create(['--adopt', `2=${mine}`, '--not-created', '3'])).toMatchObject({ code: 0 });
    const decided = await readResults();
    expect(decided.map(({ outcome }) => outcome)).toEqual(['created', 'adopted', 'created']);
    expect(decided[1]?.id).toBe(mine);
    expect(other).not.toBe(mine);
    expect(names()).toEqual(['Code 1', 'Code 2', 'Code 2', 'Code 3', 'Code 3', 'Code 3']);
  }, 60_000);
});

describe('an interrupted run', () => {
  it('leaves the results untouched, and the next one goes on: SIGINT (130), SIGTERM (143)', async () => {
    const ends = [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const;
    await Promise.all(
      ends.map(async ([signal, exit]) => {
        const { file, sandbox, directory, results, create, names } = await useBench(rowsOf(40), { latencyMs: 30 });
        await writeFile(results, 'old\n');
        const running = await startCli(['qr', 'create', '--from', file], { env: sandbox.env, cwd: directory });
        while (sandbox.requests.length < 10) await new Promise((resolve) => setTimeout(resolve, 10));
        running.child.kill(signal);
        expect((await running.done).code).toBe(exit);
        expect(await readFile(results, 'utf8')).toBe('old\n');
        expect(await create()).toMatchObject({ code: 0 });
        expect(names()).toEqual(Array.from({ length: 40 }, (_, row) => `Code ${row + 1}`).sort());
      }),
    );
  }, 60_000);

  it('shares its journal with no other run', async () => {
    const { file, sandbox, directory, create, names } = await useBench(rowsOf(10), { latencyMs: 200 });
    const first = await startCli(['qr', 'create', '--from', file, '--concurrency', '1'], { env: sandbox.env, cwd: directory });
    while (sandbox.requests.length < 1) await new Promise((resolve) => setTimeout(resolve, 10));
    const second = await create();
    expect((await first.done).code).toBe(0);
    expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining('another run is working on') });
    expect(names()).toHaveLength(10);
  }, 60_000);
});
