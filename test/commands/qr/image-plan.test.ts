import { expect, it } from 'vitest';
import { keepPrintable } from '#commands/qr/image-plan';
import { makeCode } from '../../support/make.ts';
import { printingContext } from '../printing.ts';

const codes = (['active', 'paused', 'expired'] as const).map((status) => ({ code: makeCode({ status }) }));

it.each([
  [
    'omitted by default',
    [],
    undefined,
    ['active'],
    'Omitted 2 paused or expired codes. To draw such codes, specify them as CODE, or add --status\n',
  ],
  ['drawn if specified', ['a'], undefined, ['active', 'paused', 'expired'], ''],
  ['drawn with --status', [], ['paused'], ['active', 'paused', 'expired'], ''],
] as const)('paused and expired codes are %s', (_, names, status, kept, note) => {
  const { context, said } = printingContext();
  expect(
    keepPrintable(context, names, { status: status && [...status] }, codes).map(({ code }) => code.status),
  ).toEqual(kept);
  expect(said()).toBe(note);
});
