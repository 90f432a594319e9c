import { expect, it } from 'vitest';
import {
  checkNewDestination,
  refuseDestination,
  utmOf,
  utmOptions,
  warnOfDestination,
  withTags,
} from '#commands/qr/destination-flags';
import { makeCode } from '../../support/make.ts';
import { printingContext } from '../printing.ts';

it('the values of UTM flags are trimmed, converted to lower case, refused if empty, and optional', () => {
  const { parse } = utmOptions.utmSource;
  expect(parse?.(' Poster ', undefined as never)).toBe('poster');
  expect(() => parse?.('  ', undefined as never)).toThrow('at least one character');
  expect(utmOf({})).toBeUndefined();
  expect(utmOf({ utmTerm: undefined, utmMedium: 'print' })).toEqual({ medium: 'print' });
});

it('UTM tags are added to web addresses only', () => {
  expect(withTags('https://example.com/a#b', { source: 'poster' })).toBe(
    'https://example.com/a?utm_source=poster#b',
  );
  expect(() => withTags('mailto:a@example.com', { source: 'poster' }, 'line 2: the destination')).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^line 2: the destination .*; no changes were made$/),
      hint: 'Pass --destination https://…, or omit the --utm-… flags.',
    }),
  );
});

it('a new destination that phones cannot open is refused, or causes a warning with --force', () => {
  const dead = { name: 'a', destination: 'example.com', type: 'url' };
  const { context, said } = printingContext();
  expect(() => checkNewDestination(context, dead)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^the destination /),
      hint: 'Pass --destination https://…, or add --force to use this address.',
    }),
  );
  expect(said()).toBe('');
  checkNewDestination(context, dead, true);
  expect(said()).toMatch(/^warning: the destination .*\n$/);
  checkNewDestination(context, { ...dead, destination: 'https://example.com/' });
  warnOfDestination(context, makeCode({ destination: 'https://example.com/' }));
  expect(said()).toBe('');
});

it('a destination that phones cannot open is accepted only if every code already has it', () => {
  const [same, other] = ['example.com', 'https://example.com/'].map((destination) =>
    makeCode({ destination }),
  );
  if (!same || !other) throw new Error('no codes');
  expect(() => refuseDestination([same, same], 'example.com')).not.toThrow();
  expect(() => refuseDestination([same, other], 'example.com')).toThrow(/^the destination /);
  expect(() => refuseDestination([same, other], 'https://example.com/new')).not.toThrow();
});
