import { expect, it } from 'vitest';
import { isShortened, isShortenedFrom } from '#codes/input/shortened-number';

it.each([
  ['1.23457E+19', '12345678901234567890', true],
  ['1,23457E+19', '12345678901234567890', true],
  ['-1.23457E+19', '-12345678901234567890', true],
  ['1E+20', '123456789012345678901', true],
  ['4.00000000000001E+15', '4000000000000010', true],
  ['1.2E-07', '0,00000012', true],
  ['1.2E+100', '1.2e100', true],
  ['1.23457E+19', '12345600000000000000', false],
  ['1.23457E+19', '1234567890123456789', false],
  ['1.23457E+19', 'Poster', false],
  ['1.23457E+19', '', false],
  ['4.000000000000001E+15', '4000000000000001', true],
  ['4.0000000000000010E+15', '4000000000000001', false],
  [`1.${'0'.repeat(120)}E+19`, '10000000000000000000', false],
  ['20', '19', false],
  ['x', 'y', false],
  ['1E+400', '1e400', false],
])('%s can be the number %s as a spreadsheet shortens it: %s', (text, value, expected) => {
  expect(isShortenedFrom(text, value)).toBe(expected);
});

it.each([
  ['1.23457E+19', true],
  ['-1E-07', true],
  ['1.23457e+19', false],
  ['12.3E+19', false],
  ['1.E+19', false],
  ['1.2E+1', false],
  ['1.2E+1000', false],
  ['A1.2E+19', false],
  ['1.2E+19 m', false],
])('%s looks like a number that a spreadsheet shortened: %s', (text, expected) => {
  expect(isShortened(text)).toBe(expected);
});
