/** One host for each behaviour that links have, and what `qr check` says of it beside what curl says. Run by `npm run test:links`. */
import { execFile } from 'node:child_process';
import type { SecureContext } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { useSandbox } from '../support/sandbox.ts';
import { useAuthority } from './certificates.ts';
import { answer, type Behaviour, useHosts } from './hosts.ts';
import { askLinkinator } from './linkinator.ts';
import { type Answer, useNames } from './names.ts';

const run = promisify(execFile);

interface Case {
  /** Path and scheme; the host is the case's name under .test. Absent: https and /. */
  url?: (host: string) => string;
  behave?: Behaviour;
  /** Its addresses; 5.5.1.N where absent. */
  names?: (n: number) => Answer;
  /** The days of its certificate. */
  days?: number;
  certificate?: 'own' | 'other-name';
  /** `outcome`, with the status, or a part of what is said. */
  expect: [outcome: string, about?: number | string];
  /** Why curl says something else. */
  curl?: string;
}

const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (socket) =>
    socket.end(answer(code, headers));
const to =
  (location: string, code = 302): Behaviour =>
  (socket, { path }) =>
    socket.end(path === '/there' ? answer(200) : answer(code, { Location: location }));
const page = (text: string) => (host: string) => `https://${host}${text}`;
const plain =
  (text = '/') =>
  (host: string) =>
    `http://${host}${text}`;

/** A body of 100 MB, as fast as it is taken. */
const flood: Behaviour = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n');
  const chunk = Buffer.alloc(65_536, 'x');
  const more = () => {
    while (!socket.destroyed && socket.bytesWritten < 104_857_600)
      if (!socket.write(chunk)) return void socket.once('drain', more);
  };
  more();
};
const drip =
  (text: string): Behaviour =>
  (socket) => {
    const timer = setInterval(() => socket.write(text), 100);
    socket.on('close', () => clearInterval(timer));
  };

const BLOCKED_BY_CURL = 'curl reports the status of the wall';
const after =
  (text: string, behave: Behaviour): Behaviour =>
  (socket, visit) => {
    socket.write(text);
    behave(socket, visit);
  };
const CASES: Record<string, Case> = {
  fine: { expect: ['ok', 200] },
  'plain-http': { url: plain(), expect: ['ok', 200] },
  'no-content': { behave: status(204), expect: ['ok', 204] },
  partial: { behave: status(206), expect: ['ok', 206] },
  'refuses-head': {
    behave: (s, { head }) => s.end(answer(head.startsWith('GET ') ? 200 : 405)),
    expect: ['ok', 200],
  },
  'programs-by-accept': {
    behave: (s, { head }) => s.end(answer(/^accept: text\/html/im.test(head) ? 200 : 406)),
    expect: ['ok', 200],
    curl: 'curl asks for */*',
  },
  'with-fragment': { url: page('/menu#drinks'), expect: ['ok', 200] },
  'with-query': { url: page('/menu?utm_source=poster&x=%20a'), expect: ['ok', 200] },
  'with-user': {
    url: (host) => `https://someone:secret@${host}/`,
    behave: (s, { head }) => s.end(answer(/^authorization/im.test(head) ? 500 : 200)),
    expect: ['ok', 200],
    curl: 'curl sends the password of the address',
  },
  'not-found': { behave: status(404), expect: ['broken', 404] },
  gone: { behave: status(410), expect: ['broken', 410] },
  'bad-request': { behave: status(400), expect: ['broken', 400] },
  'get-refused': { behave: status(405), expect: ['broken', 405] },
  'server-error': { behave: status(500), expect: ['broken', 500] },
  'hiccup-503': {
    behave: (s, { number }) => s.end(answer(number === 0 ? 503 : 200)),
    expect: ['ok', 200],
    curl: 'curl comes later: the hiccup is over',
  },
  'hiccup-reset': {
    behave: (s, { number }) => (number === 0 ? s.destroy() : s.end(answer(200))),
    expect: ['ok', 200],
    curl: 'curl comes later: the hiccup is over',
  },
  'needs-login': {
    behave: status(401, { 'WWW-Authenticate': 'Basic' }),
    expect: ['blocked', 401],
    curl: BLOCKED_BY_CURL,
  },
  forbidden: { behave: status(403), expect: ['blocked', 403], curl: BLOCKED_BY_CURL },
  'too-many': { behave: status(429), expect: ['blocked', 429], curl: BLOCKED_BY_CURL },
  'too-many-once': {
    behave: (s, { number }) => s.end(answer(number === 0 ? 429 : 200, { 'Retry-After': '1' })),
    expect: ['ok', 200],
    curl: 'curl comes later',
  },
  linkedin: { behave: status(999), expect: ['blocked', 999], curl: BLOCKED_BY_CURL },
  'law-forbids': { behave: status(451), expect: ['blocked', 451], curl: BLOCKED_BY_CURL },
  cloudflare: {
    behave: status(503, { Server: 'cloudflare', 'cf-mitigated': 'challenge' }),
    expect: ['blocked', 503],
    curl: BLOCKED_BY_CURL,
  },
  'aws-waf': {
    behave: status(202, { 'x-amzn-waf-action': 'challenge' }),
    expect: ['blocked', 202],
    curl: 'curl takes the challenge for the page',
  },
  'moved-301': { behave: to('/there', 301), expect: ['redirected', 200] },
  'moved-302': { behave: to('/there'), expect: ['redirected', 200] },
  'moved-303': { behave: to('/there', 303), expect: ['redirected', 200] },
  'moved-307': { behave: to('/there', 307), expect: ['redirected', 200] },
  'moved-308': { behave: to('/there', 308), expect: ['redirected', 200] },
  'moved-to-https': {
    url: plain(),
    behave: (s, { path }) =>
      s.end(path === '/' ? answer(301, { Location: 'https://fine.farm.test/' }) : answer(200)),
    expect: ['redirected', 200],
  },
  'moved-to-404': {
    behave: (s, { path }) => s.end(path === '/' ? answer(302, { Location: '/lost' }) : answer(404)),
    expect: ['broken', 404],
  },
  'moved-utf8': {
    behave: (s, { path }) =>
      s.end(
        path === '/'
          ? answer(302, { Location: '/m\u00f6we' })
          : answer(['/m%C3%B6we', '/m\u00c3\u00b6we'].includes(path) ? 200 : 404),
      ),
    expect: ['redirected', 200],
    curl: 'curl asks for the bytes as they are, browsers for what they mean',
  },
  'circle-of-two': {
    behave: (s, { path }) => s.end(answer(302, { Location: path === '/' ? '/b' : '/' })),
    expect: ['broken', 'in a loop'],
  },
  'circle-to-itself': { behave: status(302, { Location: '/' }), expect: ['broken', 'in a loop'] },
  'cookie-wall': {
    behave: (s, { head }) =>
      s.end(
        /^cookie: *.*seen=1/im.test(head)
          ? answer(200)
          : answer(302, { Location: '/', 'Set-Cookie': 'seen=1; Path=/' }),
      ),
    expect: ['redirected', 200],
  },
  'endless-way': {
    behave: (s, { path }) => s.end(answer(302, { Location: `/${path.length}${path}` })),
    expect: ['broken', 'more than 20 times'],
  },
  'moved-nowhere': {
    behave: status(302),
    expect: ['broken', 'redirects without a Location header'],
    curl: 'curl takes a 302 without Location for the end',
  },
  'moved-to-app': {
    behave: status(302, { Location: 'market://details?id=x' }),
    expect: ['not-web', 'not a web address'],
  },
  'expired-certificate': { days: -1, expect: ['broken', 'certificate has expired'] },
  'self-signed': { certificate: 'own', expect: ['broken', 'self-signed'] },
  'other-name': { certificate: 'other-name', expect: ['broken', 'for another host name'] },
  'ends-soon': { days: 6, expect: ['ok', 200] },
  'no-tls': { url: (host) => `https://${host}:8443/`, expect: ['broken', 'did not respond with TLS'] },
  'port-closed': { url: (host) => `https://${host}:8444/`, expect: ['unreachable', 'refused'] },
  silent: { behave: () => undefined, expect: ['unreachable', 'no response within'] },
  'drips-headers': {
    behave: after('HTTP/1.1 200 OK\r\n', drip('X: y\r\n')),
    expect: ['unreachable', 'no response within'],
  },
  'drips-body': {
    behave: after('HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n', drip('x')),
    expect: ['ok', 200],
    curl: 'curl waits for the body',
  },
  'drips-interim': {
    behave: drip('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
    expect: ['broken', 'too many interim responses'],
  },
  'early-hints': {
    behave: (s) => s.end(`HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${answer(200)}`),
    expect: ['ok', 200],
  },
  'huge-body': { behave: flood, expect: ['ok', 200] },
  'huge-headers': {
    behave: (s) => s.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(2_000_000)}\r\n\r\n`),
    expect: ['broken', 'headers are too large'],
  },
  'large-headers': {
    behave: status(200, { 'Content-Security-Policy': 'x'.repeat(60_000) }),
    expect: ['ok', 200],
  },
  'short-body': {
    behave: (s) => s.end('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nx'),
    expect: ['ok', 200],
    curl: 'curl wants the whole body',
  },
  'no-http': { behave: (s) => s.end('220 mail ESMTP\r\n'), expect: ['broken', 'not HTTP'] },
  'closes-at-once': { behave: (s) => s.end(), expect: ['unreachable', 'closed'] },
  resets: { url: plain(), behave: (s) => s.resetAndDestroy(), expect: ['unreachable'] },
  'no-such-name': { names: () => undefined, expect: ['unreachable', 'host name not found'] },
  'name-server-fails': { names: () => 'fails', expect: ['unreachable'] },
  'name-server-silent': { names: () => 'silent', expect: ['unreachable'] },
  'no-address': { names: () => [], expect: ['unreachable'] },
  'ipv6-only': { names: () => ['2a00:1450::2'], expect: ['ok', 200] },
  'ipv6-dead-first': { names: () => ['2a00:dead::1', '5.5.1.99'], expect: ['ok', 200] },
  'ipv6-literal': { url: () => 'http://[2a00:1450::1]/', expect: ['ok', 200] },
  'xn--mnchen-3ya': { url: () => 'https://münchen.farm.test/straße', expect: ['ok', 200] },
  'private-name': {
    names: () => ['10.0.0.1'],
    expect: ['unreachable', 'is a private address'],
    curl: 'curl goes there',
  },
  'private-and-public': { names: () => ['10.0.0.1', '5.5.1.98'], expect: ['ok', 200] },
  'private-ipv6': {
    names: () => ['fd00::1'],
    expect: ['unreachable', 'is a private address'],
    curl: 'curl goes there',
  },
  'mapped-ipv6': {
    names: () => ['::ffff:a00:1'],
    expect: ['unreachable', 'is a private address'],
    curl: 'curl goes there',
  },
  'loopback-literal': {
    url: () => 'http://127.0.0.1/',
    expect: ['unreachable', 'is a loopback address'],
    curl: 'curl goes there',
  },
  'loopback-number': {
    url: () => 'http://2130706433/',
    expect: ['unreachable', 'is a loopback address'],
    curl: 'curl goes there',
  },
  'loopback-octal': {
    url: () => 'http://0177.0.0.1/',
    expect: ['unreachable', 'is a loopback address'],
    curl: 'curl goes there',
  },
  'loopback-ipv6': {
    url: () => 'http://[::1]/',
    expect: ['unreachable', 'is a loopback address'],
    curl: 'curl goes there',
  },
  'loopback-name': {
    url: () => 'http://localhost/',
    expect: ['unreachable', 'is a loopback address'],
    curl: 'curl goes there',
  },
  metadata: {
    url: () => 'http://169.254.169.254/latest/meta-data/',
    expect: ['unreachable', 'is a link-local address'],
    curl: 'curl goes there',
  },
  'carrier-nat': {
    url: () => 'http://100.64.0.1/',
    expect: ['unreachable', 'is a private address'],
    curl: 'curl goes there',
  },
  'moved-to-loopback': {
    url: plain(),
    behave: (s) => s.end(answer(302, { Location: 'http://127.0.0.1/admin' })),
    expect: ['unreachable', 'is a loopback address'],
    curl: 'curl goes there',
  },
  'moved-to-metadata': {
    url: plain(),
    behave: (s) => s.end(answer(302, { Location: 'http://169.254.169.254/' })),
    expect: ['unreachable', 'is a link-local address'],
    curl: 'curl goes there',
  },
  'moved-to-private-name': {
    url: plain(),
    behave: (s) => s.end(answer(302, { Location: 'http://private-name.farm.test/' })),
    expect: ['unreachable', 'is a private address'],
    curl: 'curl goes there',
  },
  rebinds: {
    url: plain(),
    names: (n) => [n === 0 ? '5.5.1.97' : '10.0.0.1'],
    expect: ['ok', 200],
    curl: 'curl, asking later, goes to the private address',
  },
  'rebinds-on-the-way': {
    url: plain(),
    names: (n) => [n === 0 ? '5.5.1.96' : '10.0.0.1'],
    behave: (s, { path }) => s.end(path === '/' ? answer(302, { Location: '/there' }) : answer(200)),
    expect: ['redirected', 200],
    curl: 'curl, asking later, goes to the private address',
  },
  'leads-nowhere': { url: () => 'example.com/menu', expect: ['broken', 'cannot be opened'] },
  telephone: { url: () => 'tel:+4930123456', expect: ['not-web'], curl: 'curl knows no tel:' },
};
const PRIVATE = /^(10\.|192\.168\.|169\.254\.|100\.64\.|fd|127\.0\.0\.1$|::1$)/;

describe.runIf(process.env.QRCTL_TEST_LINKS)('qrctl qr check with many hosts', () => {
  it('reports the right outcome for each host, connects to no private address, sends no key, and does not read a body of 100 MB', async () => {
    const names = Object.keys(CASES);
    const cases = names.map((name, at) => ({ name, at, ...(CASES[name] as Case) }));
    const caseOf = (host: string) => cases.find(({ name }) => `${name}.farm.test` === host);
    const destinations = cases.map(({ name, url = page('/') }) => url(`${name}.farm.test`));

    const authority = useAuthority();
    const good = authority.issue(
      ['*.farm.test', 'münchen.farm.test'].map((name) => name.replace('münchen', 'xn--mnchen-3ya')),
      300,
    );
    const special = new Map<string, SecureContext>(
      cases.flatMap(({ name, days = 300, certificate }) => {
        const host = certificate === 'other-name' ? 'elsewhere.example' : `${name}.farm.test`;
        return days === 300 && !certificate
          ? []
          : [[`${name}.farm.test`, authority.issue([host], days, certificate === 'own')] as const];
      }),
    );
    const hosts = await useHosts(
      (host) => caseOf(host)?.behave,
      (name) => special.get(name) ?? good,
    );
    await useNames((name, n) => {
      const found = caseOf(name);
      return found && (found.names ? found.names(n) : [`5.5.1.${found.at + 1}`]);
    });
    const sandbox = await useSandbox({ codes: 0, scans: 0, limit: 100_000 });
    for (const [at, destination] of destinations.entries())
      sandbox.workspace.create({ name: names[at] ?? '', type: 'url', destination });

    const env = { ...sandbox.env, NODE_EXTRA_CA_CERTS: authority.path };
    const args = ['qr', 'check', '--timeout', '6s', '--format', 'json', '--verbose'];
    const checked = await runCli(args, { env, timeoutMs: 170_000 });
    const rows: Record<string, unknown>[] = JSON.parse(checked.stdout);
    const byName = new Map(rows.map((row) => [row.name, row]));
    expect(checked.code, checked.stderr).toBe(8);

    // Nothing private was connected to, beside the sandbox on its own port.
    expect(hosts.connected.filter((address) => PRIVATE.test(address))).toEqual([]);
    // One request a host at a time, none of them with the key, all of them GET.
    expect([...hosts.most].filter(([, most]) => most > 1)).toEqual([]);
    for (const { head } of hosts.visits) {
      expect(head).not.toMatch(/svc_live|authorization|referer/i);
      expect(head).toMatch(/^GET .*user-agent: Mozilla\/5\.0 \(compatible; qrctl\//is);
    }
    // What kernels hold between the two ends, and not the 100 MB.
    expect(hosts.taken('huge-body.farm.test')).toBeLessThan(16 * 2 ** 20);
    // The service saw its listing, and nothing else.
    expect(new Set(sandbox.requests.map(({ method, url }) => `${method} ${url.split('?', 1)[0]}`))).toEqual(
      new Set(['GET /api/v1/qr']),
    );

    const wrong: string[] = [];
    const table: string[] = [];
    const curl: string[] = [];
    const asked = destinations.entries();
    const worker = async () => {
      for (const [at, destination] of asked) curl[at] = await askCurl(destination, authority.path);
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    const peers = process.env.QRCTL_TEST_PEERS;
    const linkinator = peers
      ? await askLinkinator(peers, destinations, { NODE_EXTRA_CA_CERTS: authority.path })
      : undefined;
    for (const [
      at,
      {
        name,
        expect: [outcome, about],
        curl: difference,
      },
    ] of cases.entries()) {
      const row = byName.get(name) ?? {};
      const ours = `${row.outcome} ${row.http_status ?? ''} ${row.error ?? ''}`;
      const isRight =
        row.outcome === outcome &&
        (about === undefined ||
          (typeof about === 'number' ? row.http_status === about : String(row.error).includes(about)));
      if (!isRight) wrong.push(`${name}: ${outcome} ${about ?? ''} expected, and it says ${ours}`);
      const theirs = curl[at] ?? '';
      const agrees = (outcome === 'ok' || outcome === 'redirected') === /^0 2\d\d/.test(theirs);
      if (!agrees && difference === undefined) wrong.push(`${name}: we say ${ours}, curl says ${theirs}`);
      if (linkinator) {
        const said = linkinator(destinations[at] ?? '') ?? 'nothing';
        const same = (outcome === 'ok' || outcome === 'redirected') === said.startsWith('OK ');
        table.push(`${same ? ' ' : '*'} linkinator: ${said}`);
      }
      table.push(
        `${name.padEnd(24)} ${ours.slice(0, 70).padEnd(72)} curl: ${theirs}${agrees ? '' : ` (${difference})`}`,
      );
    }
    process.stderr.write(
      `${table.join('\n')}\n${checked.stderr
        .split('\n')
        .filter((line) => !line.includes('/api/'))
        .join('\n')}\n`,
    );
    expect(wrong).toEqual([]);
    expect(byName.get('ends-soon')).toMatchObject({ tls_days: 5 });
    expect(byName.get('expired-certificate')?.tls_days).toBeLessThan(0);
    expect(checked.stderr).toContain('the TLS certificate of ends-soon.farm.test expires in 5 days');
    expect(byName.get('with-user')?.final_url).toBe('https://with-user.farm.test/');
    expect(byName.get('cookie-wall')).toMatchObject({
      redirects: 1,
      final_url: 'https://cookie-wall.farm.test/',
    });
  });
});

/** Its exit code, status and redirects. */
async function askCurl(url: string, authority: string): Promise<string> {
  const format = '%{exitcode} %{http_code} %{num_redirects}';
  const args = [
    '-sL',
    '-o',
    '/dev/null',
    '-w',
    format,
    '-b',
    '',
    '--max-redirs',
    '20',
    '--max-time',
    '6',
    '--cacert',
    authority,
    url,
  ];
  return run('curl', args).then(
    ({ stdout }) => stdout,
    (error) => String(error.stdout),
  );
}
