/** Servers whose HTTP is right, and whose content is not: JSON, pages, codes, scans, limits, redirects. */
import type { RawRequest } from '../support/fault-server.ts';
import { CODE, type HostileServer, honest, type Reply, send } from './honest.ts';
import { SCANS } from './samples.ts';

/** Whatever is asked for, this is the body. */
const says = (body: string | ((request: RawRequest) => unknown), status = 200): HostileServer => ({
  react: (request) =>
    send(request, {}, undefined, { status, body: typeof body === 'string' ? body : body(request) }),
});

/** The right page, changed; what is no page is as it should be. */
function page(change: (page: Page, request: RawRequest) => unknown): HostileServer {
  return {
    react(request) {
      const reply = honest(request);
      send(request, {}, undefined, isPage(reply) ? { ...reply, body: change(reply.body, request) } : reply);
    },
  };
}

interface Page {
  data: object[];
  pagination: { page: number; limit: number; total: number; pages: number };
}

function isPage(reply: Reply): reply is { status: number; body: Page } {
  return typeof reply.body === 'object' && reply.body !== null && 'pagination' in reply.body;
}

const total = (value: unknown) =>
  page(({ data, pagination }) => ({ data, pagination: { ...pagination, total: value } }));
const code = (fields: object, isRight?: true): HostileServer => ({
  react: (request) => send(request, {}, undefined, honest(request, { ...CODE, ...fields })),
  ...(isRight && { isRight }),
});
const scans = (fields: (i: number) => object): HostileServer => ({
  react: (request) =>
    send(
      request,
      {},
      undefined,
      honest(
        request,
        CODE,
        SCANS.map((scan, i) => ({ ...scan, ...fields(i) })),
      ),
    ),
});
const headers = (lines: Record<string, string>, status?: number): HostileServer => ({
  react: (request) =>
    send(
      request,
      lines,
      undefined,
      status === undefined ? honest(request) : { status, body: { error: 'x', code: 'x' } },
    ),
  ...(status === undefined && { isRight: true }),
});
const redirect = (location: string | ((request: RawRequest) => string)): HostileServer => ({
  react(request) {
    const target = typeof location === 'string' ? location : location(request);
    send(request, { Location: target }, undefined, { status: 302, body: '' });
  },
});
const limits = (remaining: string, reset: string, more: Record<string, string> = {}) => ({
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': remaining,
  'X-RateLimit-Reset': reset,
  ...more,
});
const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
const many = (count: number, row: (i: number) => object) => Array.from({ length: count }, (_, i) => row(i));

const PAGINATION = { page: 1, limit: 100, total: 5, pages: 1 };

export const LYING_SERVERS: Readonly<Record<string, HostileServer>> = {
  'HTML with 200': says('<!doctype html><script>while(1);</script><title>Sign in</title>'),
  'nothing with 200': says(''),
  'JSON cut in half': says((request) => JSON.stringify(honest(request).body).slice(0, -20)),
  'JSON nested a million deep': says('['.repeat(1e6)),
  'JSON of objects in objects': says(`${'{"data":'.repeat(1e5)}1${'}'.repeat(1e5)}`),
  'a number of a million digits': says(`{"data":[],"pagination":{"total":${'9'.repeat(1e6)}}}`),
  'ten million values': says(`{"data":[${'0,'.repeat(1e7)}0],"pagination":{"total":0}}`),
  null: says('null'),
  'a text': says('"x"'),
  'duplicate keys': says(`{"data":[],"data":{},"pagination":{"total":0},"pagination":null}`),
  'a prototype': code(
    { ['__proto__']: { isAdmin: true }, constructor: { prototype: 1 }, toString: null },
    true,
  ),
  'total 10^15': total(1e15),
  'total -1': total(-1),
  'total in quotes': total('5'),
  'total null': total(null),
  'total 10^400': page(({ data }) => `{"data":${JSON.stringify(data)},"pagination":{"total":1e400}}`),
  'empty pages without end': page(({ pagination }) => ({
    data: [],
    pagination: { ...pagination, total: 1e9, pages: 1e9 },
  })),
  'one page again and again': page(({ pagination }) => ({
    data: SCANS,
    pagination: { ...pagination, total: 5000 },
  })),
  // All of them are listed, whatever `total` says; scans and single codes are refused.
  'more rows than asked for': {
    ...says(
      JSON.stringify({
        data: many(20_000, (i) => ({ ...SCANS[0], ...CODE, id: uuid(i) })),
        pagination: PAGINATION,
      }),
    ),
    isRight: true,
  },
  'data that is no list': page(({ pagination }) => ({ data: { length: 1e9 }, pagination })),
  'an id of a megabyte': code({ id: 'a'.repeat(1e6) }),
  'an id that is a path': code({ id: '../../../etc/passwd' }),
  'another code than asked for': {
    react(request) {
      const reply = honest(request);
      send(
        request,
        {},
        undefined,
        isPage(reply) || reply.status === 204 ? reply : honest(request, { ...CODE, id: uuid(7) }),
      );
    },
  },
  'ids of scans all alike': scans(() => ({ id: 1 })),
  'ids of scans in floats': scans((i) => ({ id: i + 0.5 })),
  // Counted as it says; the figures per day differ with the days.
  'scans of the year 9999 and 0': {
    ...scans((i) => ({ ts: i % 2 ? '9999-12-31T23:59:59Z' : '0000-01-01T00:00:00Z' })),
    isRight: true,
  },
  'scans of 31 February': scans(() => ({ ts: '2026-02-31T00:00:00Z' })),
  'scans of 10 MB times': scans(() => ({ ts: '2026-01-01T00:00:00Z'.padEnd(1e6, '0') })),
  // Values that the specification does not know pass through.
  'scans without fields': {
    ...scans(() => ({ country: undefined, device: 5, os: {}, browser: ['x'] })),
    isRight: true,
  },
  'a name of 2,000 flags': code({ name: '🇩🇪'.repeat(2000), slug: '🇩'.repeat(500) }, true),
  'a name of 10 MB': code({ name: 'n'.repeat(1e7) }, true),
  'a name of 10 MB of marks': code({ name: `Z${'\u0301'.repeat(5e6)}` }, true),
  'control characters everywhere': code(
    {
      name: '\x1b]0;x\x07\x1b[2J\0\r\n\u202e',
      slug: '\x1b[31m',
      destination: 'https://x\x1b[2J/',
      status: '\x9b31m',
    },
    true,
  ),
  'lone surrogates': code({ name: '\ud800\udc00\ud800', slug: '\udfff' }, true),
  'fields of another kind': code({ name: 5, destination: [], created_at: {} }),
  'Remaining -1, Reset 10^20': headers(limits('-1', '1'.padEnd(21, '0'))),
  'Remaining 0, Reset in an hour': headers(limits('0', String(4e9))),
  'Remaining NaN, Date NaN': headers(limits('NaN', 'NaN', { Date: 'NaN' })),
  'Date of the year 9999': headers(limits('5', '253402300799', { Date: 'Fri, 31 Dec 9999 23:59:59 GMT' })),
  '429, Retry-After -1': headers({ 'Retry-After': '-1' }, 429),
  '429, Retry-After 10^20': headers({ 'Retry-After': '1'.padEnd(21, '0') }, 429),
  '429, Retry-After 0 for ever': headers(limits('50', '0', { 'Retry-After': '0' }), 429),
  '429, Retry-After of the year 9999': headers({ 'Retry-After': 'Fri, 31 Dec 9999 23:59:59 GMT' }, 429),
  '503, Retry-After 10^9': headers({ 'Retry-After': '1000000000' }, 503),
  'an error of a megabyte': says(() => ({ error: '\x1b[2J'.repeat(2.5e5), code: 'x'.repeat(1e6) }), 500),
  'an error that repeats the key': says(({ head }) => ({ error: head, code: head }), 401),
  '304 without being asked': headers({}, 304),
  '407 without a proxy': headers({ 'Proxy-Authenticate': 'Basic' }, 407),
  '418': headers({}, 418),
  '999': headers({}, 999),
  '204 with a body': says('{"x":1}', 204),
  'a redirect to itself': redirect(({ url }) => url),
  'redirects without end': redirect(({ number }) => `/${number}`),
  'a redirect to a file': redirect('file:///etc/passwd'),
  'a redirect to the metadata of a cloud': redirect('http://169.254.169.254/latest/meta-data/'),
  'a redirect of a megabyte': redirect(`/${'a'.repeat(1e6)}`),
  'a redirect to nothing': redirect('http://'),
};
