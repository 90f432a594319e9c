/** What commands say of the rate limit where the service writes its Reset in milliseconds: the end of the window is in no year 58860. */
import { describe, expect, it } from 'vitest';
import { CODE, SCAN } from '../service/setup.ts';
import { runCli } from '../support/cli.ts';
import { rawAnswer, useFaultServer } from '../support/fault-server.ts';

/** A service of one code with 30,000 scans; ten requests are left, and the window ends in half a minute. */
async function service(resetOf: (seconds: number) => number) {
  const { env } = await useFaultServer(({ socket, url }) => {
    const now = Math.floor(Date.now() / 1000);
    const headers = {
      Date: new Date(now * 1000).toUTCString(),
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '10',
      'X-RateLimit-Reset': String(resetOf(now + 30)),
    };
    const scans = url.includes('/scans');
    const page = {
      data: scans ? Array(500).fill(SCAN) : [CODE],
      pagination: { page: 1, limit: 1, total: scans ? 30_000 : 1, pages: 1 },
    };
    socket.write(rawAnswer(200, url.includes('limit=') ? page : CODE, headers));
  });
  return { env };
}

const status = async (options: { env: Record<string, string> }) =>
  JSON.parse((await runCli(['auth', 'status', '-f', 'json'], options)).stdout);
const dryRun = async (options: { env: Record<string, string> }) =>
  JSON.parse((await runCli(['scans', 'export', CODE.id, '--dry-run', '-f', 'json'], options)).stdout);

describe('auth status', () => {
  it('prints when the window ends if X-RateLimit-Reset is in seconds', async () => {
    const { reset } = await status(await service((seconds) => seconds));
    expect(Math.abs(Date.parse(reset) - Date.now())).toBeLessThan(60_000);
  });

  it('prints no end for the window if X-RateLimit-Reset is in milliseconds', async () => {
    expect(await status(await service((seconds) => seconds * 1000))).toMatchObject({
      limit: 60,
      remaining: 10,
      reset: null,
    });
  });
});

describe('scans export --dry-run', () => {
  it('estimates its duration from X-RateLimit-Reset if that is in seconds', async () => {
    const began = performance.now();
    const { requests, seconds } = await dryRun(await service((at) => at));
    const tookSeconds = (performance.now() - began) / 1000;
    expect(requests).toBe(60);
    // The wait is at most half a minute, plus the requests, each as long as the first one.
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(32 + 60 * tookSeconds);
  });
});
