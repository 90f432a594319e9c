import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRateHeaders } from '#service/rate-limit/rate-headers';
import { runs } from '../../support/property-runs.ts';
import { headersOf } from './setup.ts';

const parse = (headers: Record<string, string>) => parseRateHeaders((name) => headers[name]);

const DATE = 'Thu, 01 Jan 2099 00:00:00 GMT';
const DATE_MS = Date.UTC(2099, 0, 1);

describe('the rate-limit headers', () => {
  it('are parsed into the plan, the limit, the requests left, and times in milliseconds', () => {
    const headers = {
      'x-ratelimit-plan': 'pro',
      'x-ratelimit-limit': '300',
      'x-ratelimit-remaining': '17',
      'x-ratelimit-reset': '1800000000',
      'retry-after': '7',
      date: DATE,
    };
    expect(parse(headers)).toEqual({
      plan: 'pro',
      limit: 300,
      remaining: 17,
      resetMs: 1_800_000_000_000,
      retryAfterMs: 7000,
      dateMs: DATE_MS,
    });
  });

  it('may all be missing', () => {
    expect(parse({})).toEqual(headersOf({}));
  });

  it.each([
    ['-1', 0],
    ['2.9', 2],
    ['123456789012345', 123_456_789_012_345],
    ['0.123456789', 0],
  ])('with a Remaining of %s give %d requests left', (text, remaining) => {
    expect(parse({ 'x-ratelimit-remaining': text })).toEqual(headersOf({ remaining }));
  });

  it.each([
    '',
    'many',
    '1e3',
    '0x10',
    ' 1',
    '1 ',
    '1,5',
    '1.',
    '.5',
    '--1',
    '+1',
    '1234567890123456',
    '1.1234567890',
    'NaN',
    '∞',
  ])('are ignored if their value is %o', (text) => {
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'];
    expect(parse(Object.fromEntries(names.map((name) => [name, text])))).toEqual(headersOf({}));
  });

  it('may have a negative or fractional Reset', () => {
    expect(parse({ 'x-ratelimit-reset': '-5' }).resetMs).toBe(-5000);
    expect(parse({ 'x-ratelimit-reset': '1.5' }).resetMs).toBe(1500);
  });
});

describe('Retry-After', () => {
  it('as a date is relative to the Date of the response', () => {
    expect(parse({ 'retry-after': 'Thu, 01 Jan 2099 00:00:07 GMT', date: DATE }).retryAfterMs).toBe(7000);
  });

  it('as a past date is 0', () => {
    expect(parse({ 'retry-after': DATE, date: DATE }).retryAfterMs).toBe(0);
    expect(parse({ 'retry-after': 'Thu, 01 Jan 2015 00:00:07 GMT', date: DATE }).retryAfterMs).toBe(0);
  });

  it('is ignored if it is a date and the response has no Date, or if it is other text', () => {
    expect(parse({ 'retry-after': DATE })).toEqual(headersOf({}));
    expect(parse({ 'retry-after': 'tomorrow', date: DATE })).toEqual(headersOf({ dateMs: DATE_MS }));
  });

  it('as a number is in seconds, with or without a Date', () => {
    expect(parse({ 'retry-after': '-3', date: DATE }).retryAfterMs).toBe(-3000);
    expect(parse({ 'retry-after': '-2026' }).retryAfterMs).toBe(-2_026_000);
  });
});

it('every number that is parsed from any headers is finite or undefined', () => {
  const text = fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String), fc.constant(DATE));
  const headers = fc.dictionary(
    fc.constantFrom('x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after', 'date'),
    text,
  );
  fc.assert(
    fc.property(headers, (given) => {
      const { plan: _, ...numbers } = parse(given);
      for (const value of Object.values(numbers))
        expect(value === undefined || Number.isFinite(value)).toBe(true);
    }),
    runs(25),
  );
});
