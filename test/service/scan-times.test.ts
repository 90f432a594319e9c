import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseInstant } from '#base/time/time';
import { parseScanTime } from '#service/scan-times';
import { runs } from '../support/property-runs.ts';

describe('parseScanTime', () => {
  test('is the inverse of toISOString, with and without milliseconds', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0000-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        (date) => {
          const text = date.toISOString();
          expect(parseScanTime(text)).toBe(date.getTime());
          expect(parseScanTime(text.replace(/\.\d+/, ''))).toBe(Math.floor(date.getTime() / 1000) * 1000);
        },
      ),
    );
  });

  test('agrees with parseInstant on any text shaped like a time, even an impossible time', () => {
    const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
    const year = fc.integer({ min: 0, max: 9999 }).map((n) => String(n).padStart(4, '0'));
    const ending = fc.constantFrom(
      'Z',
      '.000Z',
      '.999Z',
      '.5Z',
      '.1234567Z',
      '+02:00',
      '',
      'z',
      '.12xZ',
      ' Z',
    );
    fc.assert(
      fc.property(year, two(14), two(33), two(26), two(62), two(62), ending, (y, mo, d, h, mi, s, end) => {
        const text = `${y}-${mo}-${d}T${h}:${mi}:${s}${end}`;
        expect(parseScanTime(text)).toBe(parseInstant(text));
      }),
      runs(500, 200_000),
    );
  });

  test('accepts leap days', () => {
    expect(parseScanTime('2024-02-29T12:00:00Z')).toBe(Date.UTC(2024, 1, 29, 12));
    expect(parseScanTime('2000-02-29T12:00:00Z')).toBe(Date.UTC(2000, 1, 29, 12));
  });

  test.each([
    '',
    'yesterday',
    '1900-02-29T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-01',
    '2026-01-01T00:00:00.000',
    '１２３４-01-01T00:00:00Z',
  ])('agrees with parseInstant on %j', (text) => {
    expect(parseScanTime(text)).toBe(parseInstant(text));
  });
});
