/** The time that data covers, by the local days of its first and last scan. */
import { describe, expect, it } from 'vitest';
import { createLocalTime } from '#base/time/local-time';
import { coveredPart, isCovered, partOfFiles, partOfService } from '#scans/stats/coverage';
import { createTally } from '#scans/stats/tally';

const at = (text: string) => Date.parse(text);
const text = (ms: number | undefined) =>
  ms === undefined ? undefined : new Date(ms).toISOString().replace(/:00\.000Z$/, '');
const CODE = { value: 'menu' };
const BERLIN = createLocalTime('Europe/Berlin');

function tallyAt(...times: string[]) {
  const tally = createTally([], BERLIN.offsetMs);
  for (const time of times) tally.add(at(time), {}, CODE);
  return tally;
}

describe('the time that files cover', () => {
  it('begins and ends at the local midnights around the first and the last scan', () => {
    const coverage = {
      startsLateMs: at('2026-09-10T22:30:00Z'),
      endsEarlyMs: at('2026-10-24T22:30:00Z'),
      isWhole: false,
    };
    const { fromMs, toMs } = partOfFiles(coverage, BERLIN);
    expect([text(fromMs), text(toMs)]).toEqual(['2026-09-10T22:00', '2026-10-25T23:00']);
  });

  it('is the whole range if the coverage has no late start and no early end', () => {
    const coverage = { startsLateMs: undefined, endsEarlyMs: undefined, isWhole: true };
    expect(partOfFiles(coverage, BERLIN)).toEqual({ fromMs: undefined, toMs: undefined });
  });
});

describe('the time that scans from the service cover', () => {
  const codes = [
    { id: 'a', slug: 'new', created_at: '2026-09-20T10:00:00Z' },
    { id: 'b', slug: 'newer', created_at: '2026-10-03T10:00:00Z' },
  ];
  const partFrom = (
    since: string | undefined,
    tallies = [tallyAt('2026-10-04T12:00:00Z'), tallyAt('2026-09-22T12:00:00Z')],
  ) => partOfService(codes, tallies, since === undefined ? undefined : at(since), BERLIN);

  it('is the whole range if a code existed, or may have existed, at the beginning of the range (F18)', () => {
    expect(partFrom('2026-09-20T10:00:00Z').fromMs).toBeUndefined();
    expect(partFrom(undefined).fromMs).toBeUndefined();
    expect(
      partOfService([{ id: 'x' }], [tallyAt()], at('2026-09-01T00:00:00Z'), BERLIN).fromMs,
    ).toBeUndefined();
    expect(partOfService([], [tallyAt()], at('2026-09-01T00:00:00Z'), BERLIN).fromMs).toBeUndefined();
  });

  it('begins with the day of the first scan, else of the first code, if no code existed when the range began (F18)', () => {
    expect(text(partFrom('2026-09-01T00:00:00Z').fromMs)).toBe('2026-09-21T22:00');
    expect(text(partFrom('2026-09-01T00:00:00Z', [tallyAt()]).fromMs)).toBe('2026-09-19T22:00');
  });

  it('is unknown if some scans were counted without their day', () => {
    const months = tallyAt();
    months.addMany({ sinceMs: at('2026-08-31T22:00:00Z'), untilMs: at('2026-09-30T22:00:00Z') }, CODE, 5);
    expect(partFrom('2026-09-01T00:00:00Z', [tallyAt('2026-10-04T12:00:00Z'), months]).fromMs).toBe(Infinity);
  });

  it('begins, for each code, with the day on which the code was created', () => {
    const { ofCode } = partOfService(
      [...codes, { id: 'c', created_at: '2026-01-01T00:00:00Z' }, { id: 'd', created_at: 'soon' }],
      [],
      0,
      BERLIN,
    );
    expect([...(ofCode ?? [])].map(([code, ms]) => [code, text(ms)])).toEqual([
      ['a', '2026-09-19T22:00'],
      ['b', '2026-10-02T22:00'],
      ['c', '2025-12-31T23:00'],
    ]);
  });
});

describe('a range', () => {
  it('is covered unless it begins before the data', () => {
    const data = { fromMs: 100, toMs: undefined };
    const since = (sinceMs: number | undefined) => isCovered({ sinceMs, untilMs: 200 }, data);
    expect([
      since(99),
      since(100),
      since(undefined),
      isCovered({ sinceMs: 1, untilMs: 2 }, { ...data, fromMs: undefined }),
    ]).toEqual([...[false, true, true, true]]);
  });

  it('that has no beginning and no end is covered from the day of the first scan to the day of the last scan', () => {
    const tally = tallyAt('2026-10-24T22:30:00Z', '2026-10-25T22:30:00Z');
    const open = { sinceMs: undefined, untilMs: undefined };
    const all = { fromMs: undefined, toMs: undefined };
    const part = coveredPart(open, { tally, data: all, nowMs: undefined, ...BERLIN });
    expect([text(part?.sinceMs), text(part?.untilMs)]).toEqual(['2026-10-24T22:00', '2026-10-25T23:00']);
    expect(coveredPart(open, { tally: tallyAt(), data: all, nowMs: undefined, ...BERLIN })).toBeUndefined();
    expect(
      coveredPart(
        { sinceMs: 5, untilMs: 9 },
        { tally, data: { fromMs: 9, toMs: undefined }, nowMs: undefined, ...BERLIN },
      ),
    ).toBeUndefined();
  });
});
