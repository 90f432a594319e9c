import { expect, test } from 'vitest';
import { isSwitchedOn } from '#base/text/switched-on';

test.each(['1', 'true', 'TRUE', 'yes', 'always', ' '])('isSwitchedOn returns true for %j', (value) => {
  expect(isSwitchedOn(value)).toBe(true);
});

test.each([undefined, '', '0', 'false', 'False', 'no', 'off'])(
  'isSwitchedOn returns false for %j',
  (value) => {
    expect(isSwitchedOn(value)).toBe(false);
  },
);
