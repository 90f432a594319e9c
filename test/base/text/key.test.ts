import { describe, expect, test } from 'vitest';
import { UsageError } from '#base/errors';
import { checkKey, keyPrefix, redactKeys } from '#base/text/key';
import { SOAK } from '../../support/property-runs.ts';

describe('checkKey', () => {
  test.each(['svc_live_abc123', 'x', '!~', 'k'.repeat(512)])('accepts %s', (key) => {
    expect(checkKey(key, 'the key')).toBe(key);
  });

  test('refuses an empty key with a hint', () => {
    expect(() => checkKey('', 'QRCTL_API_KEY')).toThrow(
      expect.objectContaining({
        message: 'QRCTL_API_KEY is empty',
        hint: 'Copy the key again from the API Keys page, without extra characters.',
      }),
    );
  });

  test.each([
    'svc_live_a b',
    'svc_live_ab\n',
    'svc_live_a\r\nX-Evil: 1',
    'svc_live_\u0000',
    'svc_live_é',
    'svc_live_\u007f',
    'k'.repeat(513),
  ])('refuses %j without repeating the value', (key) => {
    const refused = () => checkKey(key, 'QRCTL_API_KEY');
    expect(refused).toThrow(UsageError);
    expect(refused).toThrow(/^QRCTL_API_KEY (is longer than 512|contains an invalid) character/);
    expect(refused).not.toThrow(key);
  });
});

describe('keyPrefix', () => {
  test.each([
    ['svc_live_abcdefghijkl', 'svc_live_abcd…'],
    ['svc_live_abcd', 'svc_live_ab…'],
    ['svc_live_', 'svc_live_…'],
    ['otherkeyotherkey', 'othe…'],
    ['abc', 'a…'],
    ['a', '…'],
  ])('of %s is %s', (key, shown) => {
    expect(keyPrefix(key)).toBe(shown);
  });
});

test('redactKeys shortens every key in a text', () => {
  expect(redactKeys("unknown option '--key=svc_live_abcdefghijkl' svc_live_zzzzzzzzzzzz.")).toBe(
    "unknown option '--key=svc_live_abcd…' svc_live_zzzz….",
  );
  expect(redactKeys('東svc_live_abcdefghijkl京')).toBe('東svc_live_abcd…京');
  expect(redactKeys('svc_live_abcd… is cut already')).toBe('svc_live_abcd… is cut already');
  expect(redactKeys('nothing here')).toBe('nothing here');
});

describe('redactKeys', () => {
  test.each([
    ['svc_live_', 'svc_live_'],
    ['svc_live_…', 'svc_live_…'],
    ["'svc_live_abcdefghijkl'.", "'svc_live_abcd…'."],
    ['svc_live_.', 'svc_live_…'],
    ["'svc_live_ab'.)", "'svc_live_a…'.)"],
    ['svc_live_svc_live_abcdefgh', 'svc_live_svc_…'],
    ['svc_live_abcdefghijkl, svc_live_mnopqrstuvwx', 'svc_live_abcd…, svc_live_mnop…'],
    ['svc_live_abcdefghijkl\nsvc_live_mnopqrstuvwx', 'svc_live_abcd…\nsvc_live_mnop…'],
    // No printed form is that long.
    ['svc_live_abcdefghijkl…', 'svc_live_abcd……'],
  ])('shortens each key in %j, and nothing else', (text, redacted) => {
    expect(redactKeys(text)).toBe(redacted);
  });

  test.each([
    ['dots', (length: number) => `svc_live_a${'.'.repeat(length)}…`],
    ['beginnings', (length: number) => 'svc_live_'.repeat(length / 9)],
    ['letters', (length: number) => `svc_live_${'a'.repeat(length)}…`],
  ])('handles a very long text of %s within the time limit of a test', (_, hostile) => {
    // By the square this would be many hours.
    const length = SOAK ? 20_000_000 : 900_000;
    expect(redactKeys(hostile(length)).length).toBeLessThan(1.05 * length);
  });
});
