/** Behind haproxy: it limits, resets, gives up and asks another server. Run by `npm run test:middleboxes`. */
import { describe, expect, it } from 'vitest';
import { applyThenDrop, applyThenHang, dropBefore, sometimes } from '../support/faults.ts';
import { hasBox, startHaproxy } from './boxes.ts';
import {
  createRows,
  everyNinthPost,
  expectEachRowOnce,
  expectSameBytes,
  through,
  useService,
  wrongRows,
} from './journey.ts';

/** One backend; both its servers are the sandbox. */
function sectionsOf(service: number, { frontend = '', backend = '', serverTimeout = '30s' }): string {
  return `defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server ${serverTimeout}
frontend all
  bind PORT
  ${frontend}
  default_backend service
backend service
  ${backend}
  server one 127.0.0.1:${service}
  server two 127.0.0.1:${service}`;
}

const REPEATING = `retries 3
  option redispatch
  retry-on all-retryable-errors`;

describe.skipIf(!hasBox('haproxy'))('behind haproxy', () => {
  it('that limits the rate (429), qrctl waits and creates each row once', async () => {
    const frontend = `stick-table type ip size 1k expire 10s store http_req_rate(1s)
  http-request track-sc0 src
  http-request deny deny_status 429 if { sc_http_req_rate(0) gt 20 }`;
    const sandbox = await useService({ codes: 3 });
    const { port } = await startHaproxy(sectionsOf(sandbox.port, { frontend }));
    await expectSameBytes(sandbox, through(port, sandbox));
    const before = sandbox.requests.length;
    const { stderr } = await expectEachRowOnce(sandbox, through(port, sandbox));
    expect(sandbox.requests.length - before).toBe(80);
    expect(stderr).toMatch(/rate limit/);
  });

  it('that closes one connection in seven, qrctl looks for created codes before it sends a row again', async () => {
    const frontend = 'http-request reject if { rand(7) eq 0 }';
    const sandbox = await useService();
    const { port } = await startHaproxy(sectionsOf(sandbox.port, { frontend }));
    await expectSameBytes(sandbox, through(port, sandbox));
    const { stderr } = await expectEachRowOnce(sandbox, through(port, sandbox), ['--settle', '1s']);
    expect(stderr).toContain('Some responses were lost');
  });

  it('that times out before the service responds (timeout server), qrctl adopts created codes and sends no row again', async () => {
    const sandbox = await useService({ intercept: everyNinthPost(applyThenHang) });
    const { port } = await startHaproxy(sectionsOf(sandbox.port, { serverTimeout: '1s' }));
    const { stderr } = await expectEachRowOnce(sandbox, through(port, sandbox), ['--settle', '1s']);
    expect(stderr).toContain('Created 71 codes, adopted 9 (81 requests)');
  });

  it('that repeats all requests but POST, qrctl adopts the codes of POSTs without a response', async () => {
    const lostPost = everyNinthPost(applyThenDrop);
    const lostGet = sometimes(
      ({ request, number }) => request.method === 'GET' && number % 5 === 0 && dropBefore,
    );
    const sandbox = await useService({
      intercept: (open) => (open.request.method === 'POST' ? lostPost : lostGet)(open),
    });
    const backend = `${REPEATING}\n  http-request disable-l7-retry if METH_POST`;
    const { port } = await startHaproxy(sectionsOf(sandbox.port, { backend }));
    await expectSameBytes(sandbox, through(port, sandbox));
    const { stderr } = await expectEachRowOnce(sandbox, through(port, sandbox), ['--settle', '1s']);
    expect(stderr).toContain('Created 71 codes, adopted 9');
  });

  // One answer, which says nothing of the first code; Remaining does.
  it('that also repeats POST, qrctl exits with 9 if a row does not have exactly one code', async () => {
    const sandbox = await useService({ intercept: everyNinthPost(applyThenDrop) });
    const { port } = await startHaproxy(sectionsOf(sandbox.port, { backend: REPEATING }));
    const { code } = await createRows(through(port, sandbox), ['--settle', '1s']);
    if (Object.keys(wrongRows(sandbox)).length === 0) return;
    expect(code).toBe(9);
  });
});
