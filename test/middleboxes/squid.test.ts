/** Through squid, as from a company's network: for plain HTTP, as a tunnel, with a password, with a cache. Run by `npm run test:middleboxes`. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { createAuthority } from './authority.ts';
import { boxFile, boxProgram, hasBox, startNginx, startSquid } from './boxes.ts';
import { createRows, expectEachRowOnce, expectSameBytes, through, useService } from './journey.ts';

const PASSWORD = 'p@ss:w%rd';

/** A squid that lets in one user. */
async function startWithPassword() {
  const hash = spawnSync('openssl', ['passwd', '-apr1', PASSWORD], { encoding: 'utf8' }).stdout.trim();
  const users = await boxFile('users', `somebody:${hash}\n`);
  return startSquid(`auth_param basic program ${boxProgram('usr/lib/squid/basic_ncsa_auth')} ${users}
auth_param basic realm test
acl known proxy_auth REQUIRED
http_access deny !known`);
}

/** The service behind TLS: what a proxy is asked to CONNECT to. */
async function useSecureService() {
  const sandbox = await useService({ codes: 3 });
  const authority = await createAuthority();
  const server = `location / { proxy_pass http://127.0.0.1:${sandbox.port}; }`;
  const { port } = await startNginx({ server, http: authority.nginx, listen: 'ssl' });
  return { sandbox, env: { ...through(port, sandbox, 'https'), NODE_EXTRA_CA_CERTS: authority.file } };
}

describe.skipIf(!hasBox('squid'))('through squid', () => {
  it('with HTTP_PROXY, qrctl prints the same bytes and sends as many requests as without squid', async () => {
    const sandbox = await useService();
    const box = await startSquid();
    const env = { ...sandbox.env, HTTP_PROXY: `http://127.0.0.1:${box.port}` };
    await expectSameBytes(sandbox, env);
    const before = sandbox.requests.length;
    await expectEachRowOnce(sandbox, env);
    expect(sandbox.requests.length - before).toBe(80);
    expect((await box.log()).match(/ POST http:/g)).toHaveLength(80);
  });

  it('qrctl sends no request to a host in NO_PROXY', async () => {
    const sandbox = await useService();
    const box = await startSquid();
    const env = {
      ...sandbox.env,
      HTTP_PROXY: `http://127.0.0.1:${box.port}`,
      NO_PROXY: 'example.com, 127.0.0.1',
    };
    expect(await runCli(['qr', 'list'], { env })).toMatchObject({ code: 0 });
    expect(await box.log()).not.toContain('GET');
  });

  it('that requires a password, qrctl exits with 7 and sends nothing if the password is missing or wrong', async () => {
    const { sandbox, env } = await useSecureService();
    const { port } = await startWithPassword();
    const by = (user: string) => ({
      HTTPS_PROXY: `http://${user}127.0.0.1:${port}`,
      HTTP_PROXY: `http://${user}127.0.0.1:${port}`,
    });
    const known = `somebody:${encodeURIComponent(PASSWORD)}@`;
    for (const base of [env, sandbox.env]) {
      expect(await runCli(['qr', 'list'], { env: { ...base, ...by(known) } })).toMatchObject({ code: 0 });
      const before = sandbox.requests.length;
      for (const user of ['', 'somebody:secret@']) {
        const { code, stderr } = await runCli(['qr', 'list'], { env: { ...base, ...by(user) } });
        expect([code, stderr]).toEqual([
          7,
          expect.stringMatching(/the proxy 127\.0\.0\.1:\d+ requires a user name and password \(407\)/),
        ]);
        expect(stderr).not.toContain('secret');
      }
      expect(sandbox.requests.length).toBe(before);
    }
  });

  describe.skipIf(!hasBox('nginx'))('as a tunnel (HTTPS_PROXY)', () => {
    it('qrctl prints the same bytes as without squid, and creates each row once', async () => {
      const { sandbox, env } = await useSecureService();
      const box = await startSquid();
      const tunnelled = { ...env, HTTPS_PROXY: `http://127.0.0.1:${box.port}` };
      await expectSameBytes(sandbox, tunnelled);
      await expectEachRowOnce(sandbox, tunnelled);
      expect(await box.log()).toContain('CONNECT localhost:');
    });

    it('that squid refuses, qrctl sends nothing, reports each row as not created, and exits with 7', async () => {
      const { sandbox, env } = await useSecureService();
      const box = await startSquid('acl tunnel method CONNECT\nhttp_access deny tunnel');
      const { code, stderr, outcomes } = await createRows({
        ...env,
        HTTPS_PROXY: `http://127.0.0.1:${box.port}`,
      });
      expect([code, stderr]).toEqual([
        7,
        expect.stringMatching(/the proxy \S+ refused the connection \(403\)/),
      ]);
      expect(outcomes.toSorted()).toEqual(['failed', ...Array(79).fill('not-attempted')]);
      expect(sandbox.requests).toEqual([]);
    });
  });

  it('that may cache responses, qrctl lists a code that was created since the last response', async () => {
    const sandbox = await useService({
      intercept: ({ apply, send }) => {
        const answer = apply();
        return send({ ...answer, headers: { ...answer.headers, 'Cache-Control': 'public, max-age=600' } });
      },
    });
    const box = await startSquid('cache_mem 8 MB');
    const env = { ...sandbox.env, HTTP_PROXY: `http://127.0.0.1:${box.port}` };
    const list = async () =>
      (await runCli(['qr', 'list', '--ids'], { env })).stdout.trim().split('\n').length;
    expect(await list()).toBe(12);
    sandbox.workspace.create({ name: 'Another' });
    expect(await list()).toBe(13);
    expect(await box.log()).not.toContain('_HIT/');
  });
});
