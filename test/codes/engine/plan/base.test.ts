/** The `base` cells of saved lists. */
import { describe, expect, it } from 'vitest';
import { baseOf, fingerprintOf, formatBase, parseBase, UNKNOWN_BASE } from '#codes/engine/plan/base';

const MENU = { name: 'Menu', destination: 'https://example.com/menu', status: 'active' };

describe('a base cell', () => {
  it('contains a fingerprint of the name, destination and status, and is parsed back unchanged', () => {
    const cell = formatBase(baseOf(MENU));
    expect(cell).toBe('r99af66-d07612-968796');
    expect(parseBase(cell)).toEqual({
      name: fingerprintOf('Menu'),
      destination: fingerprintOf('https://example.com/menu'),
      status: fingerprintOf('active'),
    });
    expect(parseBase(`\t${cell} \n`)).toEqual(baseOf(MENU));
  });

  it('contains the fingerprint of the empty string for a code without a destination', () => {
    expect(baseOf({ ...MENU, destination: null })).toEqual({ ...baseOf(MENU), destination: 'e3b0c4' });
  });

  it('contains the reserved fingerprint `ffffff` for an unknown value', () => {
    expect(formatBase({})).toBe('rffffff-ffffff-ffffff');
    expect(formatBase({ name: 'a1b2c3', status: '000000' })).toBe('ra1b2c3-ffffff-000000');
    expect(UNKNOWN_BASE).toEqual({ name: 'ffffff', destination: 'ffffff', status: 'ffffff' });
    // The SHA-256 digest of this address begins with ffffff, so its fingerprint differs from the digest.
    expect(fingerprintOf('https://example.com/3311406')).toBe('fffffe');
  });

  it.each([
    'a1b2c3-a1b2c3-a1b2c3',
    'xra1b2c3-a1b2c3-a1b2c3',
    'ra1b2c3-a1b2c3-a1b2c3d',
    'ra1b2c3-a1b2c3-a1b2c',
    'ra1b2c3-a1b2c3',
    'ra1b2c3-a1b2c3-g1b2c3',
    'draft',
  ])('cannot be parsed from %j', (text) => {
    expect(parseBase(text)).toBeUndefined();
  });
});

it('values that spreadsheets cannot distinguish have the same fingerprint', () => {
  const print = fingerprintOf('One\nTwo\nThree');
  expect(print).toMatch(/^[0-9a-f]{6}$/);
  expect(fingerprintOf('One\r\nTwo\rThree\0')).toBe(print);
  expect(fingerprintOf('\0One\0\r\nTwo\r\nThree')).toBe(print);
  expect(fingerprintOf('One\n\nTwo\nThree')).not.toBe(print);
  expect(fingerprintOf('Menu \ud800')).toBe(fingerprintOf('Menu \ufffd'));
});
