import { once } from 'node:events';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { ReplyBody } from '../support/api.ts';
import { argv } from '../support/argv.ts';
import { type RunningCli, runCli, startCli } from '../support/cli.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';

/** What the command prints, taken as its users do: by its two lines. */
async function accessOf(running: RunningCli) {
  await running.waitFor(/QRCTL_API_KEY=.*\n/);
  const { stdout } = running.output();
  expect(stdout).toMatch(/^QRCTL_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/api\/v1\nQRCTL_API_KEY=svc_live_\w+\n$/);
  const [baseUrl = '', key = ''] = stdout.split('\n').map((line) => line.replace(/^\w+=/, ''));
  const get = (path: string) => fetch(baseUrl + path, { headers: { authorization: `Bearer ${key}` } });
  const read = async (path: string): Promise<ReplyBody> => JSON.parse(await (await get(path)).text());
  return { baseUrl, key, port: Number(new URL(baseUrl).port), get, read };
}

async function open(...flags: string[]) {
  const running = await startCli(['sandbox', '--port', '0', ...flags]);
  return { running, ...(await accessOf(running)) };
}

describe('qrctl sandbox', () => {
  test('prints the base URL and the key on one line each when it is ready, and everything else on standard error', async () => {
    const { running, get } = await open();
    expect((await get('/qr')).status).toBe(200);
    await running.waitFor(/Ctrl-C/);
    expect(running.output().stderr).not.toContain('svc_live_');
  });

  test.each(
    firstRows(1, [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const),
  )('exits on %s with %d, even while a response is pending', async (signal, code) => {
    const { running, baseUrl, key } = await open('--latency', '24h');
    // Node says 100 when it hands the request on.
    const asking = request(`${baseUrl}/qr`, {
      headers: { authorization: `Bearer ${key}`, expect: '100-continue' },
    });
    asking.on('error', () => undefined).flushHeaders();
    await once(asking, 'continue');
    running.child.kill(signal);
    expect((await running.done).code).toBe(code);
  });

  test('has the number of codes and scans, the plan and the window that the flags specify', async () => {
    const { get, read } = await open(...argv`--codes 3 --scans 70 --plan free --window 7s --seed 5`);
    const list = await get('/qr');
    const { data, pagination } = await read('/qr');
    expect(pagination.total).toBe(3);
    expect(list.headers.get('x-ratelimit-plan')).toBe('free');
    expect(list.headers.get('x-ratelimit-limit')).toBe('60');
    expect(Number(list.headers.get('x-ratelimit-reset')) % 7).toBe(0);
    expect((await read(`/qr/${data[0]?.id}/scans`)).pagination.total).toBe(70);
  });

  test('accepts only the key that --key specifies', async () => {
    const { baseUrl, key, get } = await open('--key', 'svc_live_mine');
    expect(key).toBe('svc_live_mine');
    expect((await get('/qr')).status).toBe(200);
    expect(
      (await fetch(`${baseUrl}/qr`, { headers: { authorization: 'Bearer svc_live_sandbox' } })).status,
    ).toBe(401);
  });

  test.runIf(SOAK)('logs one line per request with --verbose, without the key', async () => {
    const { running, get } = await open('--verbose');
    await get('/qr?limit=7');
    await running.waitFor(/GET \/api\/v1\/qr\?limit=7 200 \d+ ms, 999 left/);
    expect(running.output().stderr).not.toContain('svc_live_');
  });

  test('applies the faults from --fault, and starts its clock at the time from --clock', async () => {
    const { running, get, read } = await open('--fault=500:1', '--fault=drop:2', '--clock', '2026-10-01');
    expect((await get('/qr')).status).toBe(500);
    await expect(get('/qr')).rejects.toThrow();
    const third = await get('/qr');
    expect(third.headers.get('date')).toMatch(/^Thu, 01 Oct 2026 00:/);
    await running.waitFor(/Applied the fault drop to GET \/api\/v1\/qr\./);
    const { data } = await read('/qr');
    const newest = (await read(`/qr/${data[0]?.id}/scans?limit=1`)).data[0];
    expect(newest?.ts).toMatch(/^2026-0/);
  });

  test('fails with exit code 2 if the port in --port is in use', async () => {
    const holder = createServer();
    const port = await new Promise<number>((resolve) => {
      holder.listen(0, '127.0.0.1', () => resolve(Number(Reflect.get(holder.address() ?? {}, 'port'))));
    });
    const result = await runCli(['sandbox', '--port', String(port)]);
    holder.close();
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(`port ${port} is in use`);
  });

  test('listens on a different port, with the same data, if another sandbox is running', async () => {
    const words = ['sandbox', '--codes', '3'];
    const both = await Promise.all([startCli(words), startCli(words)]);
    const access = await Promise.all(both.map(accessOf));
    expect(new Set(access.map(({ port }) => port)).size).toBe(2);
    for (const { read } of access) expect(await read('/qr')).toMatchObject({ pagination: { total: 3 } });
  });

  test('listens only on the loopback interface', async () => {
    const { port } = await open();
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address && !address.internal && address.family === 'IPv4');
    if (!outside) return;
    const reached = await new Promise((resolve) => {
      const socket = connect(port, outside.address, () => resolve(true));
      socket.on('error', () => resolve(false));
    });
    expect(reached).toBe(false);
  });

  test.each([
    ['--port', '65536'],
    ['--codes', '-1'],
    ['--scans', '1e3'],
    ['--plan', 'gold'],
    ['--window', '10ms'],
    ['--window', '0'],
    ['--latency', 'slow'],
    ['--key', 'svc live'],
    ['--key', ''],
    ['--seed', 'x'],
    ['--live', '1.5'],
    ['--fault', 'drop'],
    ['--fault', 'drop:0'],
    ['--fault', 'drop:1:2'],
    ['--fault', 'burn:1'],
    ['--clock', '24h'],
    ['--clock', '2026-02-30'],
    ['--clock', '1999-12-31'],
  ])('refuses %s %s with exit code 2 and prints nothing to standard output', async (flag, value) => {
    const result = await runByDay(['sandbox', '--port', '0', `${flag}=${value}`]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(flag);
  });
});
