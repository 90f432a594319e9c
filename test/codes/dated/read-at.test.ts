import { describe, expect, it } from 'vitest';
import { readAt } from '#codes/dated/read-at';

function read(value: unknown, zone?: string): string {
  const faults: string[] = [];
  const ms = readAt({ value, fault: (message) => faults.push(message) }, zone);
  if (faults[0] !== undefined) expect(ms).toBeUndefined();
  return faults[0] ?? (ms === undefined ? 'nothing' : new Date(ms).toISOString());
}

describe('readAt', () => {
  it.each([
    ['2026-11-27T18:00Z', '2026-11-27T18:00:00.000Z'],
    ['2026-11-27T18:00:30,5 Europe/Berlin', '2026-11-27T17:00:30.500Z'],
    ['2026-11-27T18:00 [Etc/GMT+5]', '2026-11-27T23:00:00.000Z'],
    ['2026-11-27 18:00 America/Argentina/Buenos_Aires', '2026-11-27T21:00:00.000Z'],
    ['2026-11-27T24:00Z', '2026-11-28T00:00:00.000Z'],
    ['2026-11-27 24:00 Europe/Berlin', '2026-11-27T23:00:00.000Z'],
    ['2026-11-27 18:00 +01:00', '2026-11-27T17:00:00.000Z'],
    ['2026-11-27T18:00:30.5-0330', '2026-11-27T21:30:30.500Z'],
    ['2026-11-27 18:00 Europe/Berlin', '2026-11-27T17:00:00.000Z'],
    ['2026-11-27T18:00+01:00[Europe/Berlin]', '2026-11-27T17:00:00.000Z'],
    ['2026-10-25T02:30+02:00[Europe/Berlin]', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T02:30+01:00 Europe/Berlin', '2026-10-25T01:30:00.000Z'],
    ['2026-11-27 18:00 UTC', '2026-11-27T18:00:00.000Z'],
    [' 2026-11-27T18:00Z\t', '2026-11-27T18:00:00.000Z'],
    ['2026-12-01 Europe/Berlin', '2026-11-30T23:00:00.000Z'],
    ['2026-12-01Z', '2026-12-01T00:00:00.000Z'],
    // Clocks are set forward at midnight, and set back to midnight.
    ['2024-04-26 Africa/Cairo', '2024-04-25T22:00:00.000Z'],
    ['2024-11-03 America/Havana', '2024-11-03T04:00:00.000Z'],
  ])('reads %s as %s', (text, instant) => {
    expect(read(text)).toBe(instant);
  });

  it.each([
    ['', 'is empty: each row needs a time'],
    [undefined, 'is empty: each row needs a time'],
    [null, 'is empty: each row needs a time'],
    ['2026-11-27T18:00+25:00', 'is not a valid time'],
    ['2026-11-27T18:00+25:00[Europe/Berlin]', 'is not a valid time'],
    ['2026-02-30 10:00 Europe/Berlin', 'is not a time'],
    ['2026-11-27T18:00+01:00[Europe/Nowhere]', 'has an unknown time zone'],
    ['2026-03-29T02:30+01:00[Europe/Berlin]', 'does not exist in its time zone'],
    ['2026-11-27T18:00Z Europe/Berlin', 'has an offset that its time zone does not use at that time'],
    ['2026-12-01Z Europe/Berlin', 'has an offset that its time zone does not use at that time'],
    ['on 2026-11-27T18:00Z', 'is not a time'],
    [
      '2026-11-27T18:00',
      'has no time zone: add Z, an offset such as +01:00, or a name such as Europe/Berlin, or pass --timezone',
    ],
    ['tomorrow', 'is not a time (expected a format such as 2026-11-27T18:00+01:00'],
    ['2026-02-30T10:00Z', 'is not a time'],
    ['2026-11-27', 'has no time zone: add Z'],
    ['2026-02-30 Europe/Berlin', 'is not a time'],
    [20261127, 'is not a time'],
    ['2026-03-29 02:30 Europe/Berlin', 'does not exist in its time zone because clocks are set forward'],
    [
      '2026-10-25 02:30 Europe/Berlin',
      'occurs twice in its time zone because clocks are set back: add an offset',
    ],
    ['2026-11-27T18:00+02:00[Europe/Berlin]', 'has an offset that its time zone does not use at that time'],
    ['2026-11-27 18:00 Europe/Bärlin', 'is not a time'],
    ['2026-11-27 18:00 Europe/Nowhere', 'has an unknown time zone'],
  ])('refuses %j because it %s', (value, message) => {
    expect(read(value)).toContain(message);
  });

  it('applies the default zone only to a time without a zone or offset', () => {
    expect(read('2026-11-27 18:00', 'Europe/Berlin')).toBe('2026-11-27T17:00:00.000Z');
    expect(read('2026-12-01', 'Europe/Berlin')).toBe('2026-11-30T23:00:00.000Z');
    expect(read('2026-11-27 18:00 UTC', 'Europe/Berlin')).toBe('2026-11-27T18:00:00.000Z');
    expect(read('2026-11-27 18:00-05:00', 'Europe/Berlin')).toBe('2026-11-27T23:00:00.000Z');
    expect(read('2026-10-25 02:30', 'Europe/Berlin')).toContain('occurs twice in its time zone');
  });
});
