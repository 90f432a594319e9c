import { describe, expect, test } from 'vitest';
import { ask } from '../support/api.ts';
import { useSandbox } from '../support/sandbox.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** Small windows are of no interest here. */
const CALM = { limit: 100_000 };

describe('a response', () => {
  test('has the four rate-limit headers and a Date header, even if the request failed', async () => {
    const sandbox = await useSandbox({ codes: 1, plan: 'pro' });
    const id = sandbox.codeId();
    const replies = await Promise.all([
      ask(sandbox, 'GET', '/qr'),
      ask(sandbox, 'POST', '/qr', { body: { name: 'a' } }),
      ask(sandbox, 'POST', '/qr', { body: {} }),
      ask(sandbox, 'GET', `/qr/${id}`),
      ask(sandbox, 'PATCH', `/qr/${id}`, { body: { name: 'b' } }),
      ask(sandbox, 'GET', `/qr/${id}/scans`),
      ask(sandbox, 'DELETE', `/qr/${id}`),
      ask(sandbox, 'GET', `/qr/${UNKNOWN_ID}`),
      ask(sandbox, 'GET', '/nowhere'),
      ask(sandbox, 'PUT', '/qr'),
      ask(sandbox, 'GET', '/qr', { key: false }),
      ask(sandbox, 'GET', '/openapi.json', { key: false }),
    ]);
    for (const { headers } of replies) {
      expect(headers.get('x-ratelimit-plan')).toBe('pro');
      expect(headers.get('x-ratelimit-limit')).toBe('300');
      expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
      expect(headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/);
      expect(Date.parse(headers.get('date') ?? '')).toBeGreaterThan(0);
    }
  });

  test('with status 405 or 413 has an Error body', async () => {
    const sandbox = await useSandbox();
    // Those of the described operations: openapi.test.ts.
    const replies = {
      405: await ask(sandbox, 'PUT', '/qr'),
      413: await ask(sandbox, 'POST', '/qr', { body: { name: 'x'.repeat(2 ** 20) } }),
    };
    expect(replies[405].headers.get('allow')).toBe('GET, POST');
    expect(replies[413].headers.get('connection')).toBe('close');
    for (const [status, reply] of Object.entries(replies)) {
      expect(reply.status).toBe(Number(status));
      expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
      expect(reply.body).toEqual({ error: expect.any(String), code: expect.any(String) });
    }
  });

  test('is compressed with the option gzip only if the client accepts gzip', async () => {
    const sandbox = await useSandbox({ ...CALM, gzip: true });
    const encodingFor = async (accepted: string) =>
      (await ask(sandbox, 'GET', '/qr', { headers: { 'accept-encoding': accepted } })).headers.get(
        'content-encoding',
      );
    expect(await encodingFor('gzip')).toBe('gzip');
    expect(await encodingFor('identity')).toBeNull();
    expect(await encodingFor('gzip;q=0')).toBeNull();
    expect(await encodingFor('gzip ; q=0.00 , br')).toBeNull();
    expect(await encodingFor('deflate, gzip;q=0.01')).toBe('gzip');
  });
});

test.each([
  ['GET', '/qr', { key: false }, 401, 'unauthorized', 'The API key is missing or invalid'],
  ['GET', '/nowhere', {}, 404, 'not_found', 'No such endpoint'],
  ['GET', `/other/qr/${UNKNOWN_ID}`, {}, 404, 'not_found', 'No such endpoint'],
  ['GET', `/qr/${UNKNOWN_ID}/other`, {}, 404, 'not_found', 'No such endpoint'],
  ['GET', `/other/qr/${UNKNOWN_ID}/scans`, {}, 404, 'not_found', 'No such endpoint'],
  ['GET', `/qr/${UNKNOWN_ID}/scans/1`, {}, 404, 'not_found', 'No such endpoint'],
  ['GET', `/qr/${UNKNOWN_ID}`, {}, 404, 'not_found', 'No QR code with this ID in the workspace'],
  ['PUT', '/qr', {}, 405, 'method_not_allowed', 'This endpoint does not support the method'],
  ['POST', '/qr', { body: 'x'.repeat(2 ** 20) }, 413, 'body_too_large', 'The request body is too large'],
] as const)(
  '%s %s %j fails with this status, code and message',
  async (method, path, more, status, code, error) => {
    const reply = await ask(await useSandbox(CALM), method, path, more);
    expect([reply.status, reply.body]).toEqual([status, { error, code }]);
  },
);

describe('authentication', () => {
  test.each([
    ['no header', {}],
    ['another key', { authorization: 'Bearer svc_live_other' }],
    ['another scheme', { authorization: 'Basic c3ZjOg==' }],
    ['an empty key', { authorization: 'Bearer ' }],
  ])(
    'fails with status 401 for a request with %s, and the request is not applied',
    async (_name, headers) => {
      const sandbox = await useSandbox({ codes: 1 });
      const reply = await ask(sandbox, 'DELETE', `/qr/${sandbox.codeId()}`, { key: false, headers });
      expect(reply.status).toBe(401);
      expect(sandbox.workspace.codes()).toHaveLength(1);
    },
  );
});

describe('GET /qr', () => {
  test('returns all codes in pages, 20 per page by default, newest first', async () => {
    const sandbox = await useSandbox({ codes: 45 });
    const first = await ask(sandbox, 'GET', '/qr');
    const last = await ask(sandbox, 'GET', '/qr?page=3');
    expect(first.body.pagination).toEqual({ page: 1, limit: 20, total: 45, pages: 3 });
    expect(first.body.data).toEqual(sandbox.workspace.codes().slice(0, 20));
    expect(last.body.data).toEqual(sandbox.workspace.codes().slice(40));
    const times = first.body.data.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test('returns an empty page after the last one', async () => {
    const sandbox = await useSandbox({ codes: 3 });
    const reply = await ask(sandbox, 'GET', '/qr?page=9&limit=2');
    expect(reply.body).toEqual({ data: [], pagination: { page: 9, limit: 2, total: 3, pages: 2 } });
  });

  test.each([
    ['cap', 200, 100],
    ['reject', 400, undefined],
    [30, 200, 30],
  ] as const)(
    'with limit=101 responds as the option overLimit specifies: %s',
    async (overLimit, status, rows) => {
      const sandbox = await useSandbox({ codes: 120, overLimit });
      const reply = await ask(sandbox, 'GET', '/qr?limit=101');
      expect([reply.status, reply.body.pagination?.limit, reply.body.data?.length]).toEqual([
        status,
        rows,
        rows,
      ]);
    },
  );

  test.each(['page=0', 'page=-1', 'page=x', 'page=1.5', 'limit=0', 'limit='])(
    'refuses %s with status 400, or uses the default with the option badPage `default`',
    async (query) => {
      const strict = await useSandbox({ codes: 3 });
      const lenient = await useSandbox({ codes: 3, badPage: 'default' });
      expect((await ask(strict, 'GET', `/qr?${query}`)).status).toBe(400);
      const expected = { page: 1, limit: 20, total: 3, pages: 1 };
      expect((await ask(lenient, 'GET', `/qr?${query}`)).body.pagination).toEqual(expected);
    },
  );

  test('lists codes in the order that the option listOrder specifies', async () => {
    const [newest = [], oldest = [], byId = []] = await Promise.all(
      (['newest', 'oldest', 'id'] as const).map(async (listOrder) => {
        const sandbox = await useSandbox({ codes: 12, listOrder });
        return (await ask(sandbox, 'GET', '/qr')).body.data.map(({ id }) => id);
      }),
    );
    expect(newest).toEqual(oldest.toReversed());
    expect(byId).toEqual(oldest.toSorted());
  });
});

describe('POST /qr', () => {
  test('creates an active code of type url without a destination if only a name is sent', async () => {
    const sandbox = await useSandbox({ codes: 0 });
    const { status, body } = await ask(sandbox, 'POST', '/qr', { body: { name: 'Menü' } });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Menü',
      type: 'url',
      destination: null,
      status: 'active',
      created_at: body.updated_at,
    });
    expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect((await ask(sandbox, 'GET', `/qr/${body.id}`)).body).toEqual(body);
    expect((await ask(sandbox, 'GET', `/qr/${body.id}/scans`)).body.pagination.total).toBe(0);
  });

  test('ignores read-only and unknown fields', async () => {
    const sandbox = await useSandbox({ codes: 0 });
    const body = {
      name: 'a',
      id: UNKNOWN_ID,
      slug: 'mine',
      status: 'paused',
      created_at: '2001-01-01T00:00:00Z',
      shade: 'red',
    };
    const reply = await ask(sandbox, 'POST', '/qr', { body });
    expect(reply.body).toMatchObject({ name: 'a', status: 'active' });
    expect(reply.body.id).not.toBe(UNKNOWN_ID);
    expect(reply.body.slug).not.toBe('mine');
    expect(reply.body).not.toHaveProperty('shade');
  });

  test.each([
    ['no body', undefined],
    ['no JSON', 'name=a'],
    ['a list', '[{"name":"a"}]'],
    ['no name', '{"type":"url"}'],
    ['an empty name', '{"name":""}'],
    ['a name that is not text', '{"name":["a"]}'],
    ['an unknown type', '{"name":"a","type":"URL"}'],
    ['a destination that is not text', '{"name":"a","destination":null}'],
  ])('responds with status 400 to a request with %s, and creates nothing', async (_name, rawBody) => {
    const sandbox = await useSandbox({ codes: 0 });
    expect((await ask(sandbox, 'POST', '/qr', { rawBody })).status).toBe(400);
    expect(sandbox.workspace.codes()).toEqual([]);
  });

  test('refuses a code above the code limit with status 403 until a code is deleted or the limit is raised', async () => {
    const sandbox = await useSandbox({ codes: 2, codeLimit: 3 });
    const create = async () => (await ask(sandbox, 'POST', '/qr', { body: { name: 'a' } })).status;
    expect([await create(), await create()]).toEqual([201, 403]);
    await ask(sandbox, 'DELETE', `/qr/${sandbox.codeId()}`);
    expect([await create(), await create()]).toEqual([201, 403]);
    sandbox.workspace.setCodeLimit(4);
    expect([await create(), await create()]).toEqual([201, 403]);
  });
});

describe('/qr/{id}', () => {
  test('changes name, destination and status together, or the status alone, on PATCH', async () => {
    const sandbox = await useSandbox({ codes: 1 });
    const id = sandbox.codeId();
    const before = (await ask(sandbox, 'GET', `/qr/${id}`)).body;
    const changes = { name: 'new', destination: 'https://example.com/new', status: 'expired' };
    const after = await ask(sandbox, 'PATCH', `/qr/${id}`, { body: changes });
    expect(after.status).toBe(200);
    expect(after.body).toEqual({ ...before, ...changes, updated_at: expect.any(String) });
    expect(after.body.updated_at > before.updated_at).toBe(true);
    for (const status of ['active', 'paused', 'expired', 'active']) {
      expect((await ask(sandbox, 'PATCH', `/qr/${id}`, { body: { status } })).body).toMatchObject({
        name: 'new',
        status,
      });
    }
  });

  test('changes nothing on PATCH if only read-only fields are sent', async () => {
    const sandbox = await useSandbox({ codes: 1 });
    const [before] = sandbox.workspace.codes();
    const body = {
      id: UNKNOWN_ID,
      slug: 'mine',
      type: 'mp3',
      created_at: '2001-01-01T00:00:00Z',
      updated_at: '2001-01-01T00:00:00Z',
    };
    expect((await ask(sandbox, 'PATCH', `/qr/${before?.id}`, { body })).body).toEqual(before);
    expect(sandbox.workspace.codes()).toEqual([before]);
  });

  test.each(['{"status":"deleted"}', '{"name":1}', '{"name":""}', '{"destination":{}}', 'null', ''])(
    'refuses the body %j on PATCH with status 400, and changes nothing',
    async (rawBody) => {
      const sandbox = await useSandbox({ codes: 1 });
      const before = sandbox.workspace.codes();
      expect((await ask(sandbox, 'PATCH', `/qr/${sandbox.codeId()}`, { rawBody })).status).toBe(400);
      expect(sandbox.workspace.codes()).toEqual(before);
    },
  );

  test('permanently deletes a code with all its scans on DELETE', async () => {
    const sandbox = await useSandbox({ codes: 2 });
    const id = sandbox.codeId();
    const reply = await ask(sandbox, 'DELETE', `/qr/${id}`);
    expect([reply.status, reply.body]).toEqual([204, null]);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/scans'],
      ['PATCH', ''],
      ['DELETE', ''],
    ] as const) {
      expect(
        (await ask(sandbox, method, `/qr/${id}${path}`, { rawBody: method === 'PATCH' ? '{}' : undefined }))
          .status,
      ).toBe(404);
    }
    expect((await ask(sandbox, 'GET', '/qr')).body.pagination.total).toBe(1);
  });

  test('accepts IDs in upper case on GET, and responds 404 to unknown or invalid IDs', async () => {
    const sandbox = await useSandbox({ codes: 1 });
    expect((await ask(sandbox, 'GET', `/qr/${sandbox.codeId().toUpperCase()}`)).status).toBe(200);
    for (const id of [UNKNOWN_ID, 'abc', '__proto__', '%00', '%zz']) {
      expect((await ask(sandbox, 'GET', `/qr/${id}`)).status).toBe(404);
    }
  });
});

describe('GET /qr/{id}/scans', () => {
  test('returns 50 scans per page by default and at most 500, or refuses a larger limit with the option overLimit `reject`', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 1234 });
    const scans = `/qr/${sandbox.codeId()}/scans`;
    const expected = { page: 1, limit: 50, total: 1234, pages: 25 };
    expect((await ask(sandbox, 'GET', scans)).body.pagination).toEqual(expected);
    expect((await ask(sandbox, 'GET', `${scans}?limit=500`)).body.pagination.pages).toBe(3);
    expect((await ask(sandbox, 'GET', `${scans}?limit=501`)).body.pagination.limit).toBe(500);
    const rejecting = await useSandbox({ codes: 1, overLimit: 'reject' });
    expect((await ask(rejecting, 'GET', `/qr/${rejecting.codeId()}/scans?limit=501`)).status).toBe(400);
  });

  test('compares since and until correctly if they have UTC offsets such as +01:00', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 2000, scanOrder: 'asc' });
    const id = sandbox.codeId();
    const query = 'since=2024-12-01T01:00:00%2B01:00&until=2024-12-02T00:00:00Z&limit=500';
    const expected = sandbox
      .scans(id)
      .filter(({ ts }) => ts >= '2024-12-01T00:00' && ts < '2024-12-02T00:00');
    expect(expected.length).toBeGreaterThan(5);
    expect((await ask(sandbox, 'GET', `/qr/${id}/scans?${query}`)).body.data).toEqual(expected);
  });

  test.each(['since=yesterday', 'until=2024-02-31T00:00:00Z', 'since='])(
    'refuses %s with 400',
    async (query) => {
      const sandbox = await useSandbox({ codes: 1 });
      expect((await ask(sandbox, 'GET', `/qr/${sandbox.codeId()}/scans?${query}`)).status).toBe(400);
    },
  );
});
