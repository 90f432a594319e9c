/** Behind nginx as people set it up before an API: it limits, closes, cuts, packs and repeats. Run by `npm run test:middleboxes`. */
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { applyThenDrop, applyThenHang } from '../support/faults.ts';
import { boxFile, hasBox, startNginx } from './boxes.ts';
import {
  createRows,
  everyNinthPost,
  expectEachRowOnce,
  expectSameBytes,
  through,
  useService,
  wrongRows,
} from './journey.ts';

const passTo = (port: number) => `location / { proxy_pass http://127.0.0.1:${port}; }`;

/** Twenty requests a second, three of them at once. */
const LIMIT =
  'limit_req_zone $binary_remote_addr zone=all:1m rate=20r/s; limit_req zone=all burst=2 nodelay;';

describe.skipIf(!hasBox('nginx'))('behind nginx', () => {
  it.each([
    ['that closes every connection (keepalive_timeout 0)', 'keepalive_timeout 0;'],
    ['that closes a connection after its first request (keepalive_requests 1)', 'keepalive_requests 1;'],
    [
      'that compresses responses (gzip)',
      'gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any;',
    ],
    ['that buffers nothing (proxy_buffering off)', 'proxy_buffering off; proxy_request_buffering off;'],
    [
      'with buffers smaller than a response',
      'proxy_buffer_size 2k; proxy_buffers 2 2k; proxy_busy_buffers_size 2k;',
    ],
  ])('%s, qrctl prints the same bytes and sends as many requests as without nginx', async (_, http) => {
    const sandbox = await useService();
    const { port } = await startNginx({ http, server: passTo(sandbox.port) });
    await expectSameBytes(sandbox, through(port, sandbox));
    const before = sandbox.requests.length;
    await expectEachRowOnce(sandbox, through(port, sandbox));
    expect(sandbox.requests.length - before).toBe(80);
  });

  it('that responds 429 with its own page (limit_req), qrctl waits and creates each row once', async () => {
    const sandbox = await useService({ codes: 3 });
    const box = await startNginx({ http: `${LIMIT} limit_req_status 429;`, server: passTo(sandbox.port) });
    await expectSameBytes(sandbox, through(box.port, sandbox));
    const before = sandbox.requests.length;
    await expectEachRowOnce(sandbox, through(box.port, sandbox));
    expect(sandbox.requests.length - before).toBe(80);
    expect(await box.log()).toMatch(/^GET \S+ 429 -$/m);
    expect(await box.log()).toMatch(/^POST \S+ 429 -$/m);
  });

  it('that responds 503 with its own page (limit_req), qrctl looks for created codes before it sends a row again', async () => {
    const sandbox = await useService({ codes: 3 });
    const box = await startNginx({ http: LIMIT, server: passTo(sandbox.port) });
    await expectSameBytes(sandbox, through(box.port, sandbox));
    await expectEachRowOnce(sandbox, through(box.port, sandbox), ['--settle', '1s']);
    expect(await box.log()).toMatch(/^GET \S+ 503 -$/m);
    expect(await box.log()).toMatch(/^POST \S+ 503 -$/m);
  });

  it('that times out before the service responds (proxy_read_timeout), qrctl adopts codes and sends no row again', async () => {
    const sandbox = await useService({ intercept: everyNinthPost(applyThenHang) });
    const box = await startNginx({ http: 'proxy_read_timeout 1s;', server: passTo(sandbox.port) });
    const { stderr } = await expectEachRowOnce(sandbox, through(box.port, sandbox), ['--settle', '1s']);
    expect(stderr).toContain('Created 71 codes, adopted 9 (81 requests)');
    expect(await box.log()).toMatch(/^POST \S+ 504 504$/m);
  });

  it('that refuses bodies longer than client_max_body_size, only the row with such a body fails, with exit code 8', async () => {
    const sandbox = await useService();
    const { port } = await startNginx({ server: `client_max_body_size 1k; ${passTo(sandbox.port)}` });
    const { code, outcomes } = await createRows(
      through(port, sandbox),
      ['--settle', '1s'],
      ['x'.repeat(2000)],
    );
    expect(code).toBe(8);
    expect(wrongRows(sandbox)).toEqual({});
    expect(outcomes.filter((outcome) => outcome !== 'created')).toEqual(['failed']);
  });

  it('that caches listings (proxy_cache), qrctl reports an outdated list, exits with 9, and sends no row again', async () => {
    const sandbox = await useService({ intercept: everyNinthPost(applyThenDrop) });
    const cache = dirname(await boxFile('cache', ''));
    const box = await startNginx({
      http: `proxy_cache_path ${cache}/pages keys_zone=all:1m;`,
      server: `proxy_cache all; proxy_cache_valid 200 10m; ${passTo(sandbox.port)}`,
    });
    const env = through(box.port, sandbox);
    expect(await runCli(['qr', 'list'], { env })).toMatchObject({ code: 0 });
    const { code, stderr, outcomes } = await createRows(env, ['--settle', '1s']);
    expect([code, stderr]).toEqual([9, expect.stringContaining('the list of codes is out of date')]);
    expect(outcomes).toContain('undecided');
    const twice = Object.entries(wrongRows(sandbox)).filter(([, count]) => count > 1);
    expect(twice).toEqual([]);
    expect(await box.log()).toMatch(/^GET \S+ 200 -$/m);
  });

  // Where nginx repeats a POST (it must be told to, by non_idempotent) there is one answer, and it says nothing of the first code; Remaining does.
  it('that repeats POST itself (non_idempotent), qrctl exits with 9 if a row does not have exactly one code', async () => {
    const sandbox = await useService({ intercept: everyNinthPost(applyThenDrop) });
    const servers = `server 127.0.0.1:${sandbox.port} max_fails=0; `.repeat(2);
    const http = `upstream service { ${servers} } proxy_next_upstream error timeout non_idempotent;`;
    const box = await startNginx({ http, server: 'location / { proxy_pass http://service; }' });
    const { code } = await createRows(through(box.port, sandbox), ['--settle', '1s']);
    if (Object.keys(wrongRows(sandbox)).length === 0) return;
    expect(code).toBe(9);
  });
});
