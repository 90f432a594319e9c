/** nginx speaks TLS for the service, with a certificate of a private authority. Run by `npm run test:middleboxes`. */
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { createAuthority } from './authority.ts';
import { hasBox, startNginx } from './boxes.ts';
import { createRows, expectEachRowOnce, expectSameBytes, through, useService } from './journey.ts';

const passTo = (port: number) => `location / { proxy_pass http://127.0.0.1:${port}; }`;

describe.skipIf(!hasBox('nginx'))('behind TLS with a certificate from a private authority,', () => {
  it('qrctl prints the same bytes as without TLS if NODE_EXTRA_CA_CERTS specifies the authority', async () => {
    const sandbox = await useService();
    const authority = await createAuthority();
    const { port } = await startNginx({ server: passTo(sandbox.port), http: authority.nginx, listen: 'ssl' });
    const env = { ...through(port, sandbox, 'https'), NODE_EXTRA_CA_CERTS: authority.file };
    await expectSameBytes(sandbox, env);
    await expectEachRowOnce(sandbox, env);
  });

  it('qrctl exits with 7 and sends nothing if NODE_EXTRA_CA_CERTS lacks the authority, and suggests that variable', async () => {
    const sandbox = await useService();
    const [authority, other] = [await createAuthority(), await createAuthority()];
    const { port } = await startNginx({ server: passTo(sandbox.port), http: authority.nginx, listen: 'ssl' });
    const env = through(port, sandbox, 'https');
    for (const by of [env, { ...env, NODE_EXTRA_CA_CERTS: other.file }]) {
      const { code, stderr } = await runCli(['qr', 'list'], { env: by });
      expect(code).toBe(7);
      expect(stderr).toMatch(
        /^qrctl: the certificate (is not signed by a known authority|chain has a self-signed certificate) \[GET \S+ on localhost:\d+\]\n/,
      );
      expect(stderr).toContain('NODE_EXTRA_CA_CERTS=FILE');
      const rows = await createRows(by);
      expect(rows.code).toBe(7);
      expect(rows.outcomes.toSorted()).toEqual(['failed', ...Array(79).fill('not-attempted')]);
    }
    expect(sandbox.requests).toEqual([]);
  });
});
