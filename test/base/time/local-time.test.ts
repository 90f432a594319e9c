import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { createLocalTime } from '#base/time/local-time';
import { chooseTimeZone, isTimeZone, timeZoneToShow } from '#base/time/time-zone';
import { useDirectory } from '../../support/cli.ts';

describe('local time', () => {
  test.each([
    ['2026-09-30T23:08:15.678Z', 'Europe/Berlin', '2026-10-01 01:08:15'],
    // The hour that comes twice.
    ['2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25 02:30:00'],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25 02:30:00'],
    ['2026-10-25T01:30:00Z', 'UTC', '2026-10-25 01:30:00'],
    ['2026-10-25T01:30:00Z', 'Asia/Kathmandu', '2026-10-25 07:15:00'],
    ['2026-01-01T00:00:00Z', 'America/St_Johns', '2025-12-31 20:30:00'],
  ])('of %s in %s is %s', (instant, zone, expected) => {
    expect(createLocalTime(zone).format(Date.parse(instant))).toBe(expected);
  });

  test.each([
    'Europe/Berlin',
    'Africa/Monrovia',
    'Australia/Lord_Howe',
    'America/New_York',
    'Africa/Casablanca',
  ])('agrees with Temporal around every clock change in %s', (zone) => {
    const { offsetMs } = createLocalTime(zone);
    let at = Temporal.Instant.from('1880-01-01T00:00Z').toZonedDateTimeISO(zone);
    for (
      let next = at.getTimeZoneTransition('next');
      next && next.year < 2040;
      next = at.getTimeZoneTransition('next')
    ) {
      at = next;
      for (const shift of [-1, 0, 1, -900_000, 900_000, 450_000]) {
        const ms = at.epochMilliseconds + shift;
        const expected =
          Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;
        expect(offsetMs(ms)).toBe(expected);
      }
    }
  });
});

describe('the effective time zone', () => {
  test.each([
    [{ flag: 'Asia/Tokyo', setting: 'UTC', TZ: 'UTC' }, 'Asia/Tokyo'],
    [{ setting: 'Asia/Tokyo', TZ: 'UTC' }, 'Asia/Tokyo'],
    [{ TZ: 'Asia/Tokyo' }, 'Asia/Tokyo'],
    [{ TZ: ':Asia/Tokyo' }, 'Asia/Tokyo'],
    [{ TZ: '/usr/share/zoneinfo/Asia/Tokyo' }, 'Asia/Tokyo'],
    [{ TZ: ':/usr/share/zoneinfo/Asia/Tokyo' }, 'Asia/Tokyo'],
    [{ TZ: '/usr/share/zoneinfo/posix/Asia/Tokyo' }, 'Asia/Tokyo'],
    [{ TZ: 'posix/Asia/Tokyo' }, 'Asia/Tokyo'],
    [{ TZ: '/nowhere/zoneinfo-2026/right/Asia/Tokyo' }, 'Asia/Tokyo'],
    [{ TZ: 'right/Asia/Tokyo' }, 'Asia/Tokyo'],
    [{ TZ: '' }, 'UTC'],
    [{ TZ: 'UTC' }, 'UTC'],
    [{ TZ: 'GMT' }, 'UTC'],
    [{ TZ: 'GMT0' }, 'UTC'],
    [{ TZ: 'UTC0' }, 'UTC'],
  ])('with %j is %s', (inputs, expected) => {
    expect(chooseTimeZone(inputs)).toBe(expected);
  });

  test('is found if TZ is the path to a link to a zone file, or to a copy of a zone file', async () => {
    const directory = await useDirectory();
    await mkdir(directory, { recursive: true });
    const [link, copy] = [join(directory, 'link'), join(directory, 'copy')];
    // The system may lack zones: then only a link has a name.
    await symlink('/usr/share/zoneinfo/Asia/Tokyo', link);
    const hasZones = await copyFile(link, copy).then(
      () => true,
      () => false,
    );
    if (!hasZones) return;
    expect(chooseTimeZone({ TZ: `:${link}` })).toBe('Asia/Tokyo');
    expect(chooseTimeZone({ TZ: copy })).toBe('Asia/Tokyo');
    await copyFile('/usr/share/zoneinfo/Etc/UTC', copy);
    expect(chooseTimeZone({ TZ: `:${copy}` })).toBe('UTC');
  });

  test('is valid if TZ is /etc/localtime, and is the same with a colon before the path', () => {
    const zone = chooseTimeZone({ TZ: ':/etc/localtime' });
    expect(isTimeZone(zone)).toBe(true);
    expect(chooseTimeZone({ TZ: '/etc/localtime' })).toBe(zone);
  });

  test.each([
    [{ flag: 'Europe/Berlim' }, "invalid value for --timezone: 'Europe/Berlim'"],
    [{ setting: 'Berlin' }, "invalid timezone in the profile: 'Berlin'"],
    // node takes both for UTC.
    [{ TZ: 'Europe/Berlim' }, "invalid value for TZ: 'Europe/Berlim'"],
    [{ TZ: 'CET-1CEST' }, "invalid value for TZ: 'CET-1CEST'"],
    [{ TZ: ':/etc/hostname' }, "invalid value for TZ: ':/etc/hostname'"],
    [{ TZ: '/dev/zero' }, "invalid value for TZ: '/dev/zero'"],
    [{ TZ: '/nowhere/zoneinfo/Nowhere' }, "invalid value for TZ: '/nowhere/zoneinfo/Nowhere'"],
  ])(
    'with %j is refused with an error that names the source of the value, and timeZoneToShow returns UTC',
    (inputs, message) => {
      expect(() => chooseTimeZone(inputs)).toThrow(message);
      expect(timeZoneToShow(inputs)).toBe('UTC');
    },
  );
});
