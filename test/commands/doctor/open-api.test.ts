import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareOpenApi, findOperation, walker } from '#commands/doctor/open-api';
import { openApi } from '#sandbox/openapi';
import { SOAK } from '../../support/property-runs.ts';

const SOUND = JSON.stringify(openApi('/api/v1'));

function changed(replace: (text: string) => string) {
  const text = replace(SOUND);
  expect(text).not.toBe(SOUND);
  return compareOpenApi(JSON.parse(text));
}

describe('compareOpenApi', () => {
  test('finds no difference in a description that matches the specification', () => {
    expect(compareOpenApi(JSON.parse(SOUND))).toEqual({ broken: [], changed: [] });
  });

  test('finds the fields of schemas that are combined with allOf', () => {
    const combined: unknown = JSON.parse(SOUND, (_, value) => {
      if (!value?.properties) return value;
      const { properties, ...rest } = value;
      return { allOf: [{ type: 'object' }, { allOf: [{ ...rest, properties }] }] };
    });
    expect(compareOpenApi(combined)).toEqual({ broken: [], changed: [] });
    const other = JSON.parse(JSON.stringify(combined).replaceAll('"referrer"', '"referer"'));
    expect(compareOpenApi(other).broken).toEqual([
      'the response to GET /qr/{id}/scans has no field referrer',
    ]);
  });

  test('accepts paths that begin with a gateway prefix and the version segment', () => {
    const prefixed = SOUND.replaceAll('"/qr', '"/gateway/api/v1/qr');
    expect(compareOpenApi(JSON.parse(prefixed))).toEqual({ broken: [], changed: [] });
  });

  test.each<[string, (text: string) => string, string]>([
    [
      'a path',
      (text) => text.replace(/"\/qr\/\{id\}\/scans"/, '"/qr/{id}/visits"'),
      'GET /qr/{id}/scans is missing',
    ],
    ['a method', (text) => text.replaceAll('"delete":', '"purge":'), 'DELETE /qr/{id} is missing'],
    [
      'a field',
      (text) => text.replaceAll('"referrer"', '"referer"'),
      'the response to GET /qr/{id}/scans has no field referrer',
    ],
    [
      'a parameter',
      (text) => text.replaceAll('"since"', '"from"'),
      'GET /qr/{id}/scans has no parameter since',
    ],
    [
      'a field to send',
      (text) => text.replaceAll('"destination"', '"target"'),
      'the body of POST /qr has no field destination',
    ],
  ])('reports that %s is missing', (_, replace, phrase) => {
    expect(changed(replace).broken).toContain(phrase);
  });

  test.each<[string, (text: string) => string, string]>([
    ['another version', (text) => text.replace('"1.0.0"', '"1.1.0"'), 'its version is 1.1.0, not 1.0.0'],
    ['a removed value', (text) => text.replaceAll(',"playlist"', ''), 'type can no longer be playlist'],
    [
      'an added value',
      (text) => text.replaceAll('"desktop"', '"desktop","watch"'),
      'device can also be watch',
    ],
    [
      'another page size',
      (text) => text.replace('"maximum":500', '"maximum":250'),
      'GET /qr/{id}/scans takes a limit of up to 250, not 500',
    ],
  ])('reports %s once, as a change and not as broken', (_, replace, phrase) => {
    expect(changed(replace)).toEqual({ broken: [], changed: [phrase] });
  });

  test('reports any other JSON value as broken, and throws no exception', () => {
    const hostile = [
      { paths: { '/qr': { $ref: '#/paths/~1qr' } } },
      { paths: null },
      JSON.parse('{"paths":{"__proto__":{"get":{}}}}'),
      { paths: { '/qr': { get: { parameters: [null, 5, { $ref: '#/nowhere' }] } } } },
    ];
    for (const description of hostile) expect(compareOpenApi(description).broken).not.toEqual([]);
    fc.assert(fc.property(fc.anything(), (description) => compareOpenApi(description).broken.length > 0));
  });
});

test.each(['{', '{}', '/api/v1', '/api/v1x', '{\n'])(
  'an operation is found in linear time even if a path in the description repeats %j 200,000 times',
  (part) => {
    const long = part.repeat(SOAK ? 2_000_000 : 200_000);
    const description = { paths: { [long]: { get: 'long' }, '/api/v1/qr/{any}': { get: 'found' } } };
    expect(findOperation(walker(description), description, '/qr/{id}', 'get')).toBe('found');
  },
);
