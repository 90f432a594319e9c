import { describe, expect, it, test } from 'vitest';
import {
  formatDuration,
  instantOrNull,
  parseDuration,
  parseHttpDate,
  parseInstant,
  processorMs,
  systemClock,
  weekdayOfDay,
} from '#base/time/time';

it('the monotonic clock counts milliseconds', () => {
  const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
  const before = nowMs();
  const between = systemClock.monotonic();
  expect(between).toBeGreaterThanOrEqual(before);
  expect(between).toBeLessThanOrEqual(nowMs());
});

it('processorMs returns the user and system time that the process has used, in milliseconds', () => {
  const usedMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const before = usedMs();
  const between = processorMs();
  expect(between).toBeGreaterThanOrEqual(before);
  expect(between).toBeLessThanOrEqual(usedMs());
});

test.each([
  ['2026-03-29T14:30', '2026-03-29T14:30:00.000Z'],
  ['2026-03-29 14:30:05,1239z', '2026-03-29T14:30:05.123Z'],
  ['2026-03-29T14:30:05.1+0530', '2026-03-29T09:00:05.100Z'],
  ['2024-02-29T00:00-01:00', '2024-02-29T01:00:00.000Z'],
  ['2026-02-28T00:00Z', '2026-02-28T00:00:00.000Z'],
  ['2026-02-29T00:00Z', null],
  ['2026-04-31T00:00Z', null],
  ['2026-13-01T00:00Z', null],
  ['2026-03-29T24:01Z', null],
  ['2026-03-29', null],
  ['on 2026-03-29T14:30', null],
  ['2026-03-29T14:30Z or so', null],
])('parseInstant maps %j to %j', (text, instant) => {
  expect(instantOrNull(parseInstant(text))).toBe(instant);
});

test.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
  ['Sun, 06 Nov 1994 08:49:37 +0100', '1994-11-06T07:49:37.000Z'],
  ['Sun, 06 Nov 1994 08:49:37', null],
  ['soon GMT', null],
  ['5', null],
])('parseHttpDate maps %j to %j', (text, instant) => {
  expect(instantOrNull(parseHttpDate(text))).toBe(instant);
});

describe('a duration', () => {
  test.each([
    ['0', 0],
    ['500ms', 500],
    ['1.5s', 1500],
    ['0.0004s', 0],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['5', undefined],
    ['-5s', undefined],
    ['5s ago', undefined],
    ['1.s', undefined],
    ['99999999999999w', undefined],
  ])('written as %j is parsed as %j ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    [0, '0 ms'],
    [999.4, '999 ms'],
    [999.5, '1 s'],
    [59_499, '59 s'],
    [59_500, '1 min'],
    [61_000, '1 min 1 s'],
    [3_599_000, '59 min 59 s'],
    [3_600_000, '1 h'],
    [3_660_000, '1 h 1 min'],
    [90_000_000, '25 h'],
  ])('of %j ms is shown as %j', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('the system clock', () => {
  test('sleeps for the requested time, measured in milliseconds', async () => {
    const [began, beganMs] = [systemClock.monotonic(), performance.now()];
    await systemClock.sleep(40);
    const [slept, sleptMs] = [systemClock.monotonic() - began, performance.now() - beganMs];
    expect(slept).toBeGreaterThanOrEqual(40);
    expect(Math.abs(slept - sleptMs)).toBeLessThan(500);
  });

  test('ends a sleep with the reason of the abort signal', async () => {
    const reason = new Error('stop');
    await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const sleeping = systemClock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });
});

test('weekdays are counted from Monday, also before 1970', () => {
  expect([0, 3, 4, -3, -4, -10].map(weekdayOfDay)).toEqual([3, 6, 0, 0, 6, 0]);
});
