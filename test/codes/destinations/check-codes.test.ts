import { describe, expect, it } from 'vitest';
import { type ComparedRow, checkCodes, findUtmProblem, isNews } from '#codes/destinations/check-codes';
import type { QrCode } from '#service/shapes';
import { makeCode } from '../../support/make.ts';
import { answer, job, useHost } from './use-host.ts';

const row = (given: Partial<ComparedRow> = {}): ComparedRow => ({
  destination: 'https://x.test/',
  failing: false,
  ending: false,
  ...given,
});

describe('isNews', () => {
  it.each([
    ['new and without a problem', row(), undefined, false],
    ['new and with a problem', row({ failing: true }), undefined, true],
    ['still without a problem', row(), row(), false],
    ['the same problem as before', row({ failing: true }), row({ failing: true }), false],
    ['a new problem', row({ failing: true }), row(), true],
    ['the problem is resolved', row(), row({ failing: true }), true],
    [
      'still a problem, but another destination',
      row({ failing: true, destination: 'https://y.test/' }),
      row({ failing: true }),
      true,
    ],
    ['the certificate now expires soon', row({ ending: true }), row(), true],
    ['the certificate already expired soon', row({ ending: true }), row({ ending: true }), false],
    ['the certificate was renewed', row(), row({ ending: true }), false],
  ])(
    'returns whether --since-last reports a result, given the previous result (%s)',
    (_, now, before, news) => {
      expect(isNews(now, before)).toBe(news);
    },
  );
});

describe('findUtmProblem', () => {
  const tagged = new URL('https://x.test/?utm_source=poster&utm_medium=+');
  it.each([
    [['source'], undefined, undefined],
    [['source', 'medium', 'term'], undefined, 'missing utm_medium, utm_term'],
    [['source'], new URL('https://x.test/home'), 'lost in redirects: utm_source'],
    [['source'], new URL('https://x.test/home?utm_source=poster'), undefined],
  ])(
    'reports which of the required tags %j are missing or lost in redirects',
    (required, finalUrl, problem) => {
      expect(findUtmProblem(tagged, finalUrl, required)).toBe(problem);
    },
  );
});

describe('checkCodes', () => {
  const SHORT = 'https://qr.example/{slug}';
  const API = 'https://api.example/v1';

  async function check(codes: Partial<QrCode>[], given: Partial<Parameters<typeof checkCodes>[1]> = {}) {
    const progress: string[] = [];
    const { rows } = await checkCodes(codes.map(makeCode), {
      ...job({ allowPrivate: false }),
      shortUrl: SHORT,
      baseUrl: API,
      userAgent: 'test',
      requireUtm: undefined,
      now: Date.now,
      onProgress: ({ done, total }) => progress.push(`${done}/${total}`),
      ...given,
    });
    return { rows, progress };
  }

  it.each([
    ['  ', 'empty', null],
    [null, 'empty', null],
    ['tel:+49123', 'not-web', null],
    ['see http://x.test', 'not-web', null],
    [
      ' https://intranet/menu',
      'broken',
      'https://intranet/menu cannot be opened when scanned: its host name has no dot',
    ],
    ['https://qr.example/s1', 'broken', 'points back to the code itself'],
    ['https://qr.example/c0de', 'broken', 'points back to the code itself'],
  ])('does not request %j, and returns the outcome `%s`', async (destination, outcome, error) => {
    const type = destination?.includes('http') && !destination.startsWith('see') ? 'url' : 'text';
    const { rows } = await check([{ id: 'c0de', slug: 's1', destination, type }]);
    expect(rows).toMatchObject([
      { outcome, error, http_status: null, redirects: null, tls_days: null, ms: null },
    ]);
  });

  it.each([
    [
      'https://qr.example/other',
      "points to a code's short URL, which qrctl does not request because each request counts as a scan",
    ],
    [API, "points to the service's API, which qrctl does not check"],
    [`${API}/qr?x=1`, "points to the service's API, which qrctl does not check"],
  ])('reports %j as blocked because it %s', async (destination, error) => {
    const { rows } = await check([{ destination }]);
    expect(rows).toMatchObject([{ outcome: 'blocked', error, http_status: null, tls_days: null }]);
  });

  it('requests each address once, reports progress in addresses, and looks for UTM tags only in requested addresses', async () => {
    const { port, heads } = await useHost(({ socket, path }) =>
      socket.end(path.startsWith('/old') ? answer(302, 'Location: /new\r\n') : answer(200)),
    );
    const url = `http://a.test:${port}`;
    const codes = [
      { id: 'a', slug: 'a', destination: ` ${url}/old?utm_source=x` },
      { id: 'b', slug: 'b', destination: `${url}/menu?utm_source=x` },
      { id: 'c', slug: 'c', destination: `${url}/menu?utm_source=x` },
      { id: 'd', slug: 'd', destination: '' },
    ];
    const { rows, progress } = await check(codes, { allowPrivate: true, requireUtm: ['source'] });
    expect(progress).toEqual(['0/2', '1/2', '2/2']);
    expect(heads.map((head) => head.split(' ')[1])).toEqual([
      '/old?utm_source=x',
      '/new',
      '/menu?utm_source=x',
    ]);
    expect(
      rows.map(({ outcome, redirects, final_url, error }) => [outcome, redirects, final_url, error]),
    ).toEqual([
      ['redirected', 1, `${url}/new`, 'lost in redirects: utm_source'],
      ['ok', 0, `${url}/menu?utm_source=x`, null],
      ['ok', 0, `${url}/menu?utm_source=x`, null],
      ['empty', null, null, null],
    ]);
  });

  it('sends the headers of a browser that opens a page', async () => {
    const { port, heads } = await useHost(({ socket }) => socket.end(answer(200)));
    await check([{ destination: `http://a.test:${port}/` }], { allowPrivate: true });
    expect(heads[0]?.trim().split('\r\n').slice(-9)).toEqual([
      'accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
      'accept-language: en-US,en;q=0.9',
      'accept-encoding: gzip, deflate, br',
      'upgrade-insecure-requests: 1',
      'sec-fetch-dest: document',
      'sec-fetch-mode: navigate',
      'sec-fetch-site: none',
      'sec-fetch-user: ?1',
      'user-agent: test',
    ]);
  });

  it('requests a host name without a dot if private addresses are allowed', async () => {
    const { port } = await useHost(({ socket }) => socket.end(answer(200)));
    const { rows } = await check([{ destination: `http://intranet:${port}/` }], { allowPrivate: true });
    expect(rows).toMatchObject([{ outcome: 'ok', http_status: 200 }]);
  });
});
