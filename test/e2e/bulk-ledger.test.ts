/** The memory of runs over files: losing it costs a question, never a second code or an edit; that of another workspace is never used. */
import { cp, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { newMachine, outcomesOf, rowsOf, useBench } from '../support/bench.ts';
import { useDirectory } from '../support/cli.ts';
import { useSandbox } from '../support/sandbox.ts';
import { useSharedAddress } from '../support/two-workspaces.ts';

describe('a ledger', () => {
  it('that is older than the last runs causes no duplicate code, and overwrites no edit by another client', async () => {
    const { create, write, methods, sandbox, code } = await useBench(rowsOf(2));
    const state = await newMachine();
    await create([], { env: state });
    const older = { QRCTL_STATE_DIR: await useDirectory() };
    await cp(state.QRCTL_STATE_DIR, older.QRCTL_STATE_DIR, { recursive: true });
    await write('codes.csv', rowsOf(3).replace('example.com/1', 'example.com/one'));
    await create(['--apply-edits'], { env: state });
    sandbox.workspace.update(code('Code 2').id, { destination: 'https://colleague.example' });
    methods();
    const { code: exit, stdout } = await create(['-f', 'json'], { env: older });
    expect([exit, outcomesOf(JSON.parse(stdout))]).toEqual([0, 'exists unchanged exists']);
    expect(methods()).toEqual({ GET: 1 });
    expect(code('Code 2').destination).toBe('https://colleague.example');
  });

  it('is kept per workspace, so the same file creates its codes once in each of two workspaces', async () => {
    const [one, two] = [await useSandbox({ codes: 0, scans: 0 }), await useSandbox({ codes: 0, scans: 0 })];
    const address = await useSharedAddress({ svc_live_one: one, svc_live_two: two });
    const { qr } = await useBench(rowsOf(3));
    for (const [key, outcomes] of [
      ['svc_live_one', 'created created created'],
      ['svc_live_two', 'created created created'],
      ['svc_live_one', 'unchanged unchanged unchanged'],
      ['svc_live_two', 'unchanged unchanged unchanged'],
    ] as const) {
      const args = ['create', '--from', 'codes.csv', '--results', `${key}.csv`, '-f', 'json'];
      const { code, stdout } = await qr(args, { env: address.env(key) });
      expect([code, outcomesOf(JSON.parse(stdout))]).toEqual([0, outcomes]);
    }
    expect([one, two].map(({ workspace }) => workspace.codes().length)).toEqual([3, 3]);
  });

  it('in --ledger is refused with exit code 2 if it is damaged, is from another workspace, or is another kind of file', async () => {
    const { create, write, read, methods, directory } = await useBench(rowsOf(3));
    expect((await create(['--ledger', 'own.jsonl'])).code).toBe(0);
    expect((await create(['--ledger', 'own.jsonl'])).stderr).toContain('3 rows unchanged');
    methods();
    const other = await useSandbox({ codes: 0, scans: 0, key: 'svc_live_other' });
    expect(await create(['--ledger', 'own.jsonl'], { env: other.env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('belongs to http'),
    });
    const ledger = await read('own.jsonl');
    await write('own.jsonl', ledger.replace('"made"', '"maed"'));
    expect(await create(['--ledger', 'own.jsonl'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('damaged at line'),
    });
    for (const flags of [
      ['--ledger', 'codes.csv'],
      ['--ledger', 'codes.results.csv'],
      ['-o', 'own.jsonl', '--ledger', 'own.jsonl'],
    ])
      expect((await create(flags)).code, `${flags}`).toBe(2);
    expect([methods(), other.requests.filter(({ method }) => method !== 'GET')]).toEqual([{}, []]);
    expect(await read('codes.csv')).toBe(rowsOf(3));
    // A torn last line is that of a killed run.
    await write('own.jsonl', ledger.slice(0, -5));
    expect((await create(['--ledger', 'own.jsonl'])).code).toBe(0);
    expect((await readdir(directory)).sort()).toEqual(['codes.csv', 'codes.results.csv', 'own.jsonl']);
  });

  it("is not kept if its directory can't be created, and a note says that the run can't remember its requests", async () => {
    const { create, names } = await useBench(rowsOf(2));
    const { code, stderr } = await create([], { env: { QRCTL_STATE_DIR: '/proc/nowhere' } });
    expect([code, stderr]).toEqual([0, expect.stringContaining("this run can't remember its requests")]);
    expect((await create([], { env: { QRCTL_STATE_DIR: '/proc/nowhere' } })).code).toBe(0);
    expect(names()).toHaveLength(2);
  });
});
