import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatStored, parseStored } from '#settings/store';

describe('parseStored', () => {
  test('returns the value that was passed to formatStored, for any profile names', () => {
    const field = fc.constantFrom('baseUrl', 'apiKey', 'keyBaseUrl', 'format', 'reserve', 'maxWait');
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty'),
    );
    const profiles = fc.array(fc.tuple(name, fc.dictionary(field, fc.string())), { maxLength: 5 });
    fc.assert(
      fc.property(profiles, fc.option(name, { nil: undefined }), (entries, current) => {
        const stored = { current, profiles: new Map(entries.map(([key, profile]) => [key, { ...profile }])) };
        const again = parseStored(JSON.stringify(formatStored(stored)));
        expect(again.current).toBe(current);
        expect(new Map(again.profiles)).toEqual(stored.profiles);
      }),
    );
  });

  test('reads only the known fields of a profile', () => {
    const { profiles } = parseStored(
      '{"version":1,"profiles":{"p":{"__proto__":{"apiKey":"stolen"},"other":1,"format":"csv"}}}',
    );
    expect(profiles.get('p')).toEqual({ format: 'csv' });
    expect(profiles.get('p')?.apiKey).toBeUndefined();
  });

  test.each([
    ['', 'it is not JSON'],
    ['{"version":1,"profiles":{"p":{"apiKey":"svc_live_canary"', 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    ['{}', 'its version is not 1'],
    ['{"version":2,"profiles":{}}', 'a newer qrctl may have written it'],
    ['{"version":1}', '"profiles" is not an object'],
    ['{"version":1,"__proto__":{"profiles":{}}}', '"profiles" is not an object'],
    ['{"version":1,"profiles":[]}', '"profiles" is not an object'],
    ['{"version":1,"current":5,"profiles":{}}', '"current" is not a name'],
    ['{"version":1,"profiles":{"p":"svc_live_canary"}}', 'a profile is not an object'],
    ['{"version":1,"profiles":{"p":{"apiKey":["svc_live_canary"]}}}', '"apiKey" of a profile is not text'],
  ])('refuses %j with a reason that does not contain the key', (text, reason) => {
    expect(() => parseStored(text)).toThrow(reason);
    expect(() => parseStored(text)).not.toThrow('canary');
  });
});
