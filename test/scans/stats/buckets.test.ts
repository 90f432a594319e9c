/** Where a range is cut so that each part is within one unit. */
import { describe, expect, it } from 'vitest';
import { createLocalTime } from '#base/time/local-time';
import { type Dimension, groupOf } from '#scans/stats/dimensions';
import { bucketCuts } from '#scans/stats/readings';

const at = (text: string) => Date.parse(`${text}${text.length === 10 ? 'T00:00' : ''}Z`);
const text = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T00:00', '');

function cuts(dimensions: readonly Dimension[], since: string, until: string, zone = 'UTC') {
  return bucketCuts(
    dimensions.map(groupOf),
    { sinceMs: at(since), untilMs: at(until) },
    createLocalTime(zone),
  )?.map(text);
}

describe('the cuts that divide a range into days, weeks or months', () => {
  it('are the beginnings of the units within the range', () => {
    expect(cuts(['day'], '2026-10-01', '2026-10-04')).toEqual(['2026-10-02', '2026-10-03']);
    expect(cuts(['day'], '2026-10-01T12:30', '2026-10-02T12:30')).toEqual(['2026-10-02']);
    expect(cuts(['day'], '2026-10-01', '2026-10-01T23:59')).toEqual([]);
    expect(cuts(['week'], '2026-09-30', '2026-10-13')).toEqual(['2026-10-05', '2026-10-12']);
    expect(cuts(['month', 'month'], '2026-09-30', '2026-12-01')).toEqual(['2026-10-01', '2026-11-01']);
  });

  it('are the beginnings of days for several units and for weekdays', () => {
    const days = ['2026-10-31', '2026-11-01', '2026-11-02'];
    for (const by of [['week', 'month'], ['month', 'week'], ['weekday'], ['month', 'day']] as const) {
      expect(cuts(by, '2026-10-30', '2026-11-03'), by.join()).toEqual(days);
    }
  });

  it('follow the time zone, even if clocks change or a date was skipped', () => {
    expect(cuts(['day'], '2026-10-23T22:00', '2026-10-26T23:00', 'Europe/Berlin')).toEqual([
      '2026-10-24T22:00',
      '2026-10-25T23:00',
    ]);
    // In Samoa, 31 December 2011 followed 29 December.
    expect(cuts(['day'], '2011-12-29T10:00', '2012-01-01T10:00', 'Pacific/Apia')).toEqual([
      '2011-12-30T10:00',
      '2011-12-31T10:00',
    ]);
  });

  it('are undefined if there would be more than 20,000 of them', () => {
    const until = (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10);
    expect(cuts(['day'], '1970-01-01', until(20_001))).toHaveLength(20_000);
    expect(cuts(['day'], '1970-01-01', until(20_002))).toBeUndefined();
    expect(cuts(['month'], '1970-01-01', until(20_002))).toHaveLength(657);
  });
});

describe('the cuts that divide a range into hours', () => {
  it('are the beginnings of local hours within the range', () => {
    expect(cuts(['hour'], '2026-10-01T10:00', '2026-10-01T13:00')).toEqual([
      '2026-10-01T11:00',
      '2026-10-01T12:00',
    ]);
    expect(cuts(['day', 'hour'], '2026-10-01T10:20', '2026-10-01T12:10')).toEqual([
      '2026-10-01T11:00',
      '2026-10-01T12:00',
    ]);
    expect(cuts(['hour'], '2026-10-01T10:00', '2026-10-01T11:00')).toEqual([]);
    expect(cuts(['hour'], '2026-10-01T10:00', '2026-10-01T12:00', 'Asia/Kathmandu')).toEqual([
      '2026-10-01T10:15',
      '2026-10-01T11:15',
    ]);
  });

  it('omit the second occurrence of an hour that clocks repeat', () => {
    expect(cuts(['hour'], '2026-10-24T23:00', '2026-10-25T03:00', 'Europe/Berlin')).toEqual([
      '2026-10-25',
      '2026-10-25T02:00',
    ]);
    // Lord Howe Island sets clocks back by half an hour: 1:30 to 2:00 comes twice.
    const half = cuts(['hour'], '2026-04-04T13:00', '2026-04-04T17:00', 'Australia/Lord_Howe');
    expect(half).toEqual(['2026-04-04T14:00', '2026-04-04T15:30', '2026-04-04T16:30']);
  });

  it('are undefined for more than 20,000 hours', () => {
    const until = (hours: number) => new Date(hours * 3_600_000).toISOString().slice(0, 16);
    expect(cuts(['hour'], '1970-01-01T00:00', until(20_000))).toHaveLength(19_999);
    expect(cuts(['hour'], '1970-01-01T00:00', until(20_001))).toBeUndefined();
  });
});
