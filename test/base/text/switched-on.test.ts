import { expect, test } from 'vitest';
import { isSwitchedOn } from '#base/text/switched-on';

test.each(['1', 'true', 'TRUE', 'yes', 'always', ' '])('%j in a variable means yes', (value) => {
  expect(isSwitchedOn(value)).toBe(true);
});

test.each([undefined, '', '0', 'false', 'False', 'no', 'off'])('%j in a variable means no', (value) => {
  expect(isSwitchedOn(value)).toBe(false);
});
