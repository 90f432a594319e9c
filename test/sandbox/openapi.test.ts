import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { EXAMPLES, openApi } from '#sandbox/openapi';
import { CODE_FIELDS, SCAN_FIELDS } from '#service/shapes';
import { type Ask, ask } from '../support/api.ts';
import { useSandbox } from '../support/sandbox.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const document = openApi('/api/v1');

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, 'openapi.json');

/** The part of the document behind a JSON pointer's steps, references followed. */
function part(...steps: string[]): unknown {
  let value: unknown = document;
  for (const step of steps) {
    value = value && typeof value === 'object' ? Reflect.get(value, step) : undefined;
    const target = value && typeof value === 'object' ? Reflect.get(value, '$ref') : undefined;
    if (typeof target === 'string') value = part(...target.slice(2).split('/'));
  }
  return value;
}

describe('/openapi.json', () => {
  test('is served without a key, and is a valid OpenAPI 3.1 description of version 1.0.0', async () => {
    const sandbox = await useSandbox();
    const { status, headers, body } = await ask(sandbox, 'GET', '/openapi.json', { key: false });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual(document);
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(part('info', 'version')).toBe('1.0.0');
  });

  test('equals the recorded document golden/openapi.txt', async () => {
    await expect(`${JSON.stringify(document, undefined, 1)}\n`).toMatchFileSnapshot('golden/openapi.txt');
  });

  test('lists the fields of a code and of a scan in the order in which qrctl prints them', () => {
    for (const [name, fields] of [
      ['QRCode', CODE_FIELDS],
      ['Scan', SCAN_FIELDS],
    ] as const)
      expect(Object.keys(part('components', 'schemas', name, 'properties') ?? {})).toEqual([...fields]);
  });

  test('describes exactly the six endpoints of the service', () => {
    const methods = Object.entries(part('paths') as Record<string, object>).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(methods.filter((method) => !method.startsWith('parameters')).sort()).toEqual([
      'delete /qr/{id}',
      'get /qr',
      'get /qr/{id}',
      'get /qr/{id}/scans',
      'patch /qr/{id}',
      'post /qr',
    ]);
  });
});

test.each(Object.entries(EXAMPLES))('the example for %s matches its schema', (name, example) => {
  const validate = ajv.compile({ $ref: `openapi.json#/components/schemas/${name}` });
  expect([validate(example), validate.errors]).toEqual([true, null]);
});

describe('the OpenAPI description', () => {
  const cases: [method: string, path: string, status: number, request?: Ask][] = [
    ['get', '/qr', 200],
    ['get', '/qr', 400],
    ['get', '/qr', 401, { key: false }],
    ['get', '/qr', 429],
    ['post', '/qr', 201, { body: { name: 'a', type: 'menu', destination: 'https://example.com' } }],
    ['post', '/qr', 400, { body: { name: 1 } }],
    ['post', '/qr', 401, { key: false }],
    ['post', '/qr', 403, { body: { name: 'a' } }],
    ['post', '/qr', 429],
    ['get', '/qr/{id}', 200],
    ['get', '/qr/{id}', 401, { key: false }],
    ['get', '/qr/{id}', 404],
    ['get', '/qr/{id}', 429],
    ['patch', '/qr/{id}', 200, { body: { status: 'paused' } }],
    ['patch', '/qr/{id}', 400, { body: { status: 'gone' } }],
    ['patch', '/qr/{id}', 401, { key: false }],
    ['patch', '/qr/{id}', 404, { body: {} }],
    ['patch', '/qr/{id}', 429],
    ['delete', '/qr/{id}', 204],
    ['delete', '/qr/{id}', 401, { key: false }],
    ['delete', '/qr/{id}', 404],
    ['delete', '/qr/{id}', 429],
    ['get', '/qr/{id}/scans', 200],
    ['get', '/qr/{id}/scans', 400],
    ['get', '/qr/{id}/scans', 401, { key: false }],
    ['get', '/qr/{id}/scans', 404],
    ['get', '/qr/{id}/scans', 429],
  ];

  test.each(cases)(
    'matches the response to %s %s with status %d',
    async (method, path, status, request = {}) => {
      const options = { limit: status === 429 ? 0 : 100, codeLimit: status === 403 ? 0 : 1000 };
      const sandbox = await useSandbox({ codes: 60, scans: 500, ...options });
      const id = status === 404 ? UNKNOWN_ID : sandbox.codeId();
      const query = status === 400 && method === 'get' ? '?page=0' : method === 'get' ? '?limit=500' : '';
      const reply = await ask(sandbox, method.toUpperCase(), path.replace('{id}', id) + query, request);
      expect(reply.status).toBe(status);

      const steps = ['paths', path, method, 'responses', String(status)];
      expect(part(...steps)).toBeDefined();
      for (const name of Object.keys(part(...steps, 'headers') as object))
        expect(reply.headers.has(name)).toBe(true);
      const schema = part(...steps, 'content', 'application/json', 'schema');
      expect(schema === undefined).toBe(status === 204);
      if (schema === undefined) return;
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi.json#/')));
      validate(reply.body);
      expect(validate.errors).toBeNull();
    },
  );

  test('contains only responses that are tested', () => {
    const tried = new Set(cases.map(([method, path, status]) => `${method} ${path} ${status}`));
    const described = [...tried]
      .map((line) => line.split(' '))
      .map(([method = '', path = '']) => `${method} ${path}`);
    for (const operation of new Set(described)) {
      const [method = '', path = ''] = operation.split(' ');
      for (const status of Object.keys(part('paths', path, method, 'responses') as object)) {
        expect(tried).toContain(`${operation} ${status}`);
      }
    }
  });
});
