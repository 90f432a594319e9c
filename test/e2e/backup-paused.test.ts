/** `qr delete --backup` while codes are scanned: they are paused first, and what waits before its DELETE looks for newer scans again. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/sandbox/exchange.ts';
import { runCli, startCli, until, useDirectory } from '../support/cli.ts';
import { applyThenDrop, type Fault, fails, gateway, refuses, sometimes, wrongTotal } from '../support/faults.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const isDelete = ({ request }: Exchange) => request.method === 'DELETE';
const isPause = ({ request }: Exchange) => request.method === 'PATCH' && String(request.body).includes('paused');
const isScans = ({ request }: Exchange) => request.path.endsWith('/scans');
const statusOf = (sandbox: TestSandbox, id: string) => sandbox.workspace.code(id)?.status;
const patches = (sandbox: TestSandbox) => sandbox.requests.filter(({ method }) => method === 'PATCH').length;

/** A sandbox whose first DELETE meets `fault`, while a scan comes in that is dated `agoMs` ago. */
async function useScannedMeanwhile(fault: Fault, { agoMs = 0, scans = 7 } = {}) {
  let sent = 0;
  const all: string[] = [];
  const sandbox: TestSandbox = await useSandbox({
    ...{ codes: 1, scans },
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

describe('a scan that arrives while the DELETE waits is in the backup (B3)', () => {
  it.each<[string, Fault, { agoMs?: number; scans?: number }?]>([
    ['for the rate limit', refuses('1')],
    ['for the end of an outage, dated before the last look', fails(503), { agoMs: 3_600_000 }],
    ['for a gateway, at a round total', gateway(502), { scans: 50 }],
  ])('%s', async (_, fault, more) => {
    const { sandbox, all } = await useScannedMeanwhile(fault, more);
    const id = sandbox.codeId();
    const directory = await useDirectory();
    const run = await runCli(['qr', 'delete', id, '--yes', '--backup', directory], { env: sandbox.env });
    expect(run.code, run.stderr).toBe(0);
    expect(sandbox.workspace.codes()).toEqual([]);
    expect((await savedIds(directory, id)).sort()).toEqual([...all].sort());
    expect(all).toHaveLength((more?.scans ?? 7) + 1);
    expect(run.stderr).toMatch(/Backed up every scan of 1 code up to \d{4}-\d\d-\d\dT[\d:.]+Z/);
  });

  it('also of one that paused in its turn, with one request at a time', async () => {
    // The code, its pause, page 1, the look beyond, the last look: then the window is used up.
    const sandbox: TestSandbox = await useSandbox({
      ...{ codes: 1, scans: 7, limit: 5, windowMs: 1500, windowStart: 'first-request' },
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
    const run = await runCli(['qr', 'delete', id, '--yes', '--backup', directory, '--concurrency', '1'], { env: sandbox.env });
    expect(run.code, run.stderr).toBe(0);
    expect(await savedIds(directory, id)).toHaveLength(8);
  });

  it('and a DELETE whose response was lost has succeeded', async () => {
    const { sandbox } = await useScannedMeanwhile(applyThenDrop);
    const directory = await useDirectory();
    const run = await runCli(['qr', 'delete', sandbox.codeId(), '--yes', '--backup', directory], { env: sandbox.env });
    expect(run.code, run.stderr).toBe(0);
    expect((await readdir(directory)).filter((name) => name.includes('paused'))).toEqual([]);
  });
});

describe('an active code is paused before its backup', () => {
  const never: Fault = fails(400);

  it.each<[string, (exchange: Exchange) => Fault | false, number]>([
    ['the scans are not proven', (exchange) => isScans(exchange) && wrongTotal((total) => total + 1), 9],
    ['DELETE is refused', (exchange) => isDelete(exchange) && never, 10],
  ])('and has its status back where %s (B4)', async (_, choose, code) => {
    const sandbox = await useSandbox({ codes: 2, scans: 7, intercept: sometimes(choose) });
    const directory = await useDirectory();
    const [id, other] = [sandbox.codeId(0), sandbox.codeId(1)];
    sandbox.workspace.update(other, { status: 'expired' });
    const run = await runCli(['qr', 'delete', id, other, '--yes', '--backup', directory], { env: sandbox.env });
    expect(run.code, run.stderr).toBe(code);
    expect([statusOf(sandbox, id), statusOf(sandbox, other)]).toEqual(['active', 'expired']);
    expect(patches(sandbox)).toBe(2);
    expect((await readdir(directory)).filter((name) => name.includes('paused'))).toEqual([]);
  });

  it('and is backed up as it is where the service does not allow that', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 7, intercept: sometimes((exchange) => isPause(exchange) && never) });
    const directory = await useDirectory();
    const run = await runCli(['qr', 'delete', sandbox.codeId(), '--yes', '--backup', directory], { env: sandbox.env });
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain('The service refused to pause');
    expect((await readdir(directory)).filter((name) => name.includes('paused'))).toEqual([]);
  });

  it('and leaves no record of that in a relative directory either', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 7 });
    const cwd = await useDirectory();
    const run = await runCli(['qr', 'delete', sandbox.codeId(), '--yes', '--backup', 'deleted'], { env: sandbox.env, cwd });
    expect(run.code, run.stderr).toBe(0);
    expect((await readdir(join(cwd, 'deleted'))).filter((name) => name.includes('paused'))).toEqual([]);
  });

  it.each(['SIGKILL', 'SIGINT'] as const)('which the next run knows after %s (B5)', async (signal) => {
    let ended = false;
    const sandbox = await useSandbox({
      ...{ codes: 1, scans: 7 },
      intercept: sometimes((exchange) => !ended && isScans(exchange) && (() => undefined)),
    });
    const directory = await useDirectory();
    const id = sandbox.codeId();
    const before = { ...sandbox.workspace.code(id) };
    const file = join(directory, 'old.csv');
    await writeFile(file, `id\n${id}\n`);
    const args = ['qr', 'delete', '--from', file, '--yes', '--backup', join(directory, 'backup')];
    const killed = await startCli(args, { env: sandbox.env });
    await until(() => statusOf(sandbox, id) === 'paused');
    killed.child.kill(signal);
    const { stderr } = await killed.done;
    if (signal === 'SIGINT') expect(stderr).toContain(`may still be paused (it was active)`);
    expect(statusOf(sandbox, id)).toBe('paused');

    ended = true;
    const run = await runCli(args, { env: sandbox.env });
    expect(run.code, run.stderr).toBe(0);
    expect((await readdir(join(directory, 'backup'))).sort()).toEqual([`${id}.json`, `${id}.scans.ndjson`]);
    expect(JSON.parse(await readFile(join(directory, 'backup', `${id}.json`), 'utf8'))).toEqual(before);
  });
});
