/** `qr delete --backup` while codes are scanned: they are paused first, and what waits before its DELETE looks for newer scans again. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '#sandbox/exchange';
import { startCli, until, useDirectory } from '../support/cli.ts';
import {
  applyThenDrop,
  type Fault,
  fails,
  gateway,
  refuses,
  sometimes,
  wrongTotal,
} from '../support/faults.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const isDelete = ({ request }: Exchange) => request.method === 'DELETE';
const isPause = ({ request }: Exchange) =>
  request.method === 'PATCH' && String(request.body).includes('paused');
const isScans = ({ request }: Exchange) => request.path.endsWith('/scans');
const statusOf = (sandbox: TestSandbox, id: string) => sandbox.workspace.code(id)?.status;
const patches = (sandbox: TestSandbox) => sandbox.requests.filter(({ method }) => method === 'PATCH').length;

/** A sandbox whose first DELETE meets `fault`, while a scan comes in that is dated `agoMs` ago. */
async function useScannedMeanwhile(fault: Fault, { agoMs = 0, scans = 7 } = {}) {
  let sent = 0;
  const all: string[] = [];
  const sandbox: TestSandbox = await useSandbox({
    codes: 1,
    scans,
    intercept: sometimes((exchange) => {
      if (!isDelete(exchange)) return false;
      const id = sandbox.codeId();
      if (sent++ === 0) sandbox.workspace.addScan(id, { ts: new Date(Date.now() - agoMs).toISOString() });
      all.splice(0, all.length, ...sandbox.scans(id).map((scan) => String(scan.id)));
      return sent === 1 && fault;
    }),
  });
  return { sandbox, all };
}

async function savedIds(directory: string, id: string): Promise<string[]> {
  const text = await readFile(join(directory, `${id}.scans.ndjson`), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => String(JSON.parse(line).id));
}

describe('a DELETE that waits (B3)', () => {
  const waits: [string, Fault, { agoMs?: number; scans?: number }?][] = [
    ['for the rate limit', refuses('1')],
    ['for the end of an outage, with a scan dated an hour ago', fails(503), { agoMs: 3_600_000 }],
    ['for a gateway, with a round total of scans', gateway(502), { scans: 50 }],
  ];
  it.each(firstRows(1, waits))(
    '%s is sent only after scans that were made in the meantime are in the backup',
    async (_, fault, more) => {
      const { sandbox, all } = await useScannedMeanwhile(fault, more);
      const id = sandbox.codeId();
      const directory = await useDirectory();
      const run = await runByDay(['qr', 'delete', id, '--yes', '--backup', directory], { env: sandbox.env });
      expect(run.code, run.stderr).toBe(0);
      expect(sandbox.workspace.codes()).toEqual([]);
      expect((await savedIds(directory, id)).sort()).toEqual([...all].sort());
      expect(all).toHaveLength((more?.scans ?? 7) + 1);
      expect(run.stderr).toMatch(/Backed up every scan of 1 code up to \d{4}-\d\d-\d\dT[\d:.]+Z/);
    },
  );

  it.runIf(SOAK)(
    'with one request at a time is sent only after a scan that was made in the meantime is in the backup',
    async () => {
      // The code, its pause, page 1, the look beyond, the last look: then the window is used up.
      const sandbox: TestSandbox = await useSandbox({
        codes: 1,
        scans: 7,
        limit: 5,
        windowMs: 4000,
        windowStart: 'first-request',
        intercept: sometimes((exchange) => {
          const isLastLook = isScans(exchange) && exchange.number === 4;
          return (
            isLastLook &&
            (({ apply, send }) => {
              const answer = apply();
              sandbox.workspace.addScan(sandbox.codeId(), { ts: new Date().toISOString() });
              return send(answer);
            })
          );
        }),
      });
      const id = sandbox.codeId();
      const directory = await useDirectory();
      const run = await runByDay(['qr', 'delete', id, '--yes', '--backup', directory, '--concurrency', '1'], {
        env: sandbox.env,
      });
      expect(run.code, run.stderr).toBe(0);
      expect(await savedIds(directory, id)).toHaveLength(8);
    },
  );

  it('counts as successful even if its response was lost', async () => {
    const { sandbox } = await useScannedMeanwhile(applyThenDrop);
    const directory = await useDirectory();
    const run = await runByDay(['qr', 'delete', sandbox.codeId(), '--yes', '--backup', directory], {
      env: sandbox.env,
    });
    expect(run.code, run.stderr).toBe(0);
  });
});

describe('an active code', () => {
  const never: Fault = fails(400);

  it.each<[string, (exchange: Exchange) => Fault | false, number]>([
    [
      'the scans are not verified as complete',
      (exchange) => isScans(exchange) && wrongTotal((total) => total + 1),
      9,
    ],
    ['DELETE is refused', (exchange) => isDelete(exchange) && never, 10],
  ])('is paused before its backup, and is set to active again if %s (B4)', async (_, choose, code) => {
    const sandbox = await useSandbox({ codes: 2, scans: 7, intercept: sometimes(choose) });
    const directory = await useDirectory();
    const [id, other] = [sandbox.codeId(0), sandbox.codeId(1)];
    sandbox.workspace.update(other, { status: 'expired' });
    const run = await runByDay(['qr', 'delete', id, other, '--yes', '--backup', directory], {
      env: sandbox.env,
    });
    expect(run.code, run.stderr).toBe(code);
    expect([statusOf(sandbox, id), statusOf(sandbox, other)]).toEqual(['active', 'expired']);
    expect(patches(sandbox)).toBe(2);
  });

  it('is backed up while active if the service refuses to pause it', async () => {
    const sandbox = await useSandbox({
      codes: 1,
      scans: 7,
      intercept: sometimes((exchange) => isPause(exchange) && never),
    });
    const directory = await useDirectory();
    const run = await runByDay(['qr', 'delete', sandbox.codeId(), '--yes', '--backup', directory], {
      env: sandbox.env,
    });
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain('The service refused to pause');
  });
});

/** A list of one code and a backup of it that was ended after the pause; `run` is a later command, with the same memory. */
async function usePausedByKilled(signal: 'SIGKILL' | 'SIGINT', ofFile = true) {
  const ended = { is: false };
  const sandbox = await useSandbox({
    codes: 2,
    scans: 7,
    intercept: sometimes((exchange) => !ended.is && isScans(exchange) && (() => undefined)),
  });
  const directory = await useDirectory();
  const [id, other] = [sandbox.codeId(0), sandbox.codeId(1)];
  for (const code of [id, other]) sandbox.workspace.update(code, { status: 'active' });
  const before = { ...sandbox.workspace.code(id) };
  const [file, backup] = [join(directory, 'old.csv'), join(directory, 'backup')];
  const list = (...ids: string[]) => writeFile(file, ['id', ...ids, ''].join('\n'));
  await list(id);
  const env = { ...sandbox.env, QRCTL_STATE_DIR: join(directory, 'state') };
  const ofCodes = ['qr', 'delete', ...(ofFile ? ['--from', file] : [id]), '--yes', '--backup', backup];
  const killed = await startCli(ofCodes, { env });
  await until(() => statusOf(sandbox, id) === 'paused');
  killed.child.kill(signal);
  const { stderr } = await killed.done;
  expect(statusOf(sandbox, id)).toBe('paused');
  ended.is = true;
  const run = (...args: string[]) => runByDay(args, { env });
  return { sandbox, id, other, before, list, file, backup, stderr, again: () => run(...ofCodes), run };
}

describe('a code that an interrupted run left paused (B5)', () => {
  it.each(firstRows(1, ['SIGKILL', 'SIGINT'] as const))(
    'is backed up with its earlier status, and deleted, by the next run after %s',
    async (signal) => {
      const { sandbox, id, other, before, backup, stderr, again } = await usePausedByKilled(signal);
      if (signal === 'SIGINT') expect(stderr).toContain('may still be paused (it was active)');
      const run = await again();
      expect(run.code, run.stderr).toBe(0);
      expect(sandbox.workspace.codes().map((code) => code.id)).toEqual([other]);
      expect((await readdir(backup)).sort()).toEqual([`${id}.json`, `${id}.scans.ndjson`]);
      const { updated_at: _, ...saved } = JSON.parse(await readFile(join(backup, `${id}.json`), 'utf8'));
      expect(before).toMatchObject(saved);
    },
  );

  it('gets its status back if its row was removed from the list', async () => {
    const { sandbox, id, other, file, list, again, run: command } = await usePausedByKilled('SIGKILL');
    await list(other);
    const dry = await command('qr', 'delete', '--from', file, '--dry-run');
    expect(dry.stderr).toContain('restores the status of 1 code');
    const run = await again();
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain('Restored the status of');
    expect(sandbox.workspace.codes().map((code) => [code.id, code.status])).toEqual([[id, 'active']]);
  });

  it.runIf(SOAK)('gets its status back from `qr update` with a file that does not list it', async () => {
    const { sandbox, id, other, file, list, run } = await usePausedByKilled('SIGKILL');
    await list(other);
    const update = await run('qr', 'update', '--from', file, '--name', 'New');
    expect(update.code, update.stderr).toBe(0);
    expect(update.stderr).toContain('Restored the status of');
    expect(statusOf(sandbox, id)).toBe('active');
  });

  it.runIf(SOAK)(
    'gets its status back in the next deletion if the interrupted run had the code on the command line',
    async () => {
      const { sandbox, id, other, backup, run } = await usePausedByKilled('SIGKILL', false);
      const next = await run('qr', 'delete', other, '--yes', '--backup', backup);
      expect(next.code, next.stderr).toBe(0);
      expect(sandbox.workspace.codes().map((code) => [code.id, code.status])).toEqual([[id, 'active']]);
    },
  );

  it('keeps a status that another client sets after the earlier status was restored', async () => {
    const { sandbox, id, other, file, list, again, run } = await usePausedByKilled('SIGKILL');
    await list(other);
    expect(await again()).toMatchObject({ code: 0 });
    sandbox.workspace.update(id, { status: 'paused' });
    await list(id);
    const update = await run('qr', 'update', '--from', file, '--name', 'New');
    expect(update.code).toBe(0);
    expect(statusOf(sandbox, id)).toBe('paused');
  });
});
