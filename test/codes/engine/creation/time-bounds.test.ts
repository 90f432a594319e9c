import { describe, expect, it } from 'vitest';
import type { JournalRecord, Stamp } from '../../../../src/codes/engine/creation/journal-records.ts';
import { type Attempt, createClockEvidence, resolutionMs } from '../../../../src/codes/engine/creation/time-bounds.ts';
import type { QrCode } from '../../../../src/service/shapes.ts';

/** What the service's clock shows when a session begins; the machine's is an hour behind. */
const T0 = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

/** A moment `t` ms into a session; the machine's other clocks tell the same unless told otherwise. */
function at(t: number, more: Partial<Stamp> = {}): Stamp {
  return { t, w: T0 - HOUR_MS + t, b: 5000 + t, ...more };
}

const session = (more: Partial<Stamp> = {}): JournalRecord => ({ is: 'session', ...at(0, more) });
const intent = (row: number, t: number): JournalRecord => ({ is: 'intent', row, ...at(t) });
const clock = (t: number, s: number, more: Partial<Stamp> = {}): JournalRecord => ({ is: 'clock', ...at(t, more), s });
/** Row `row` answered at `t` with a code made at `T0 + createdMs`. */
function created(row: number, t: number, createdMs: number, more: Partial<Stamp> = {}): JournalRecord {
  return { is: 'created', row, id: `id-${row}`, slug: 's', at: new Date(T0 + createdMs).toISOString(), ...at(t, more) };
}

const attempt = (t: number, endMs?: number, more: Partial<Attempt> = {}): Attempt => ({
  ...at(t),
  session: 0,
  ...(endMs !== undefined && { end: at(endMs) }),
  ...more,
});

/** The bounds of attempts, in ms from T0. */
function boundsOf(records: readonly JournalRecord[], ...attempts: Attempt[]) {
  const { fromMs, doubtfulFromMs, toMs, doubtfulToMs } = evidenceOf(records).boundsOf(attempts);
  return { from: fromMs - T0, doubtful: doubtfulFromMs - T0, to: toMs - T0, doubtfulTo: doubtfulToMs - T0 };
}

function evidenceOf(records: readonly JournalRecord[]) {
  const evidence = createClockEvidence();
  for (const record of records) evidence.add(record);
  return evidence;
}

const NEAR_MS = 600_000;
const LATE_MS = 60_000;

describe('where codes of the same session show the clock of created_at', () => {
  it('begins when that clock showed so much at the intent, and doubts ten minutes around it (O7)', () => {
    const bounds = boundsOf([session(), intent(1, 900), created(1, 1010, 1000)], attempt(2000, 2500));
    const to = 1990 + 500 + LATE_MS;
    expect(bounds).toEqual({ from: 1990, doubtful: 1990 - NEAR_MS, to, doubtfulTo: to + NEAR_MS });
  });

  it('reckons back from a code created later, by whichever clock says that more time went by', () => {
    const later = (more: Partial<Stamp> = {}) => [session(), intent(1, 2900), created(1, 3000, 2980, more)];
    expect(boundsOf(later(), attempt(2000))).toMatchObject({ from: 1980 });
    // Asleep for 4 s: the monotonic clock stood still.
    expect(boundsOf(later({ b: 5000 + 3000 + 4000 }), attempt(2000))).toMatchObject({ from: -2020 });
    expect(boundsOf(later({ b: 5000 + 3000 - 400 }), attempt(2000))).toMatchObject({ from: 1980 });
  });

  it('takes the latest of all before, and the next after it', () => {
    const four = [session(), created(1, 1000, 900), created(2, 1100, 1090), created(3, 1200, 1100), created(4, 5000, 4990)];
    expect(boundsOf(four.slice(0, 4), attempt(2000))).toMatchObject({ from: 1990 });
    expect(boundsOf(four, attempt(1150))).toMatchObject({ from: 1140 });
    expect(boundsOf(four, attempt(1100))).toMatchObject({ from: 1090 });
    expect(boundsOf(four, attempt(500))).toMatchObject({ from: 400 });
    // What was seen in that very moment is before it.
    const same = [session(), created(1, 1100, 1090), created(2, 1200, 1195)];
    expect(boundsOf(same, attempt(1100))).toMatchObject({ from: 1095 });
  });

  it('lets Dates and other sessions say nothing then', () => {
    const ahead = clock(1500, T0 + HOUR_MS);
    expect(boundsOf([session(), created(1, 1000, 990), ahead], attempt(2000))).toMatchObject({ from: 1990 });
    const other = [session(), created(1, 1000, 990), session(), created(2, 10, HOUR_MS)];
    expect(boundsOf(other, attempt(2000))).toMatchObject({ from: 1990 });
  });

  it('doubts twice as much more as codes went back in time before (O7)', () => {
    const back = [session(), created(1, 100, 100), intent(2, 200), created(2, 300, -101)];
    // At its intent the clock must have shown 200 at least, and showed -100 at most.
    expect(boundsOf(back, attempt(1000))).toMatchObject({ from: 1000, doubtful: 1000 - NEAR_MS - 2 * 300 });
    // The most that they ever went back counts.
    const less = [intent(3, 400), created(3, 500, 390)];
    expect(boundsOf([...back, ...less], attempt(1000))).toMatchObject({ doubtful: 1000 - NEAR_MS - 2 * 300 });
    const forth = [session(), created(1, 100, 100), intent(2, 200), created(2, 300, 290)];
    expect(boundsOf(forth, attempt(1000))).toMatchObject({ doubtful: 1000 - NEAR_MS });
  });

  it('knows nothing of the clock of an earlier session in that reckoning', () => {
    const anew = [session(), created(1, 100, HOUR_MS), session(), intent(2, 200), created(2, 300, 250)];
    expect(boundsOf(anew, { ...attempt(1000), session: 1 })).toMatchObject({ from: 950, doubtful: 950 - NEAR_MS });
    const old = [session(), created(1, 100, HOUR_MS), intent(2, 200), session(), created(2, 300, 250)];
    expect(boundsOf(old, { ...attempt(1000), session: 1 })).toMatchObject({ doubtful: 950 - NEAR_MS });
  });

  it('cannot go by a created_at that is no time', () => {
    const evidence = evidenceOf([session(), { is: 'created', row: 1, id: 'x', slug: 's', at: 'soon', ...at(10) }]);
    expect([evidence.isCalibrated(0), evidence.session()]).toEqual([false, 0]);
    evidence.add(created(2, 20, 20));
    expect([evidence.isCalibrated(0), evidence.isCalibrated(1)]).toEqual([true, false]);
  });
});

describe('where only Date headers show the service’s clock', () => {
  const ZONES_MS = 26 * HOUR_MS;

  it('doubts what any zone could make of created_at (O7)', () => {
    const to = 1000 + LATE_MS;
    expect(boundsOf([session(), clock(500, T0)], attempt(1500))).toEqual({
      from: 1000,
      doubtful: 1000 - ZONES_MS,
      to,
      doubtfulTo: to + ZONES_MS,
    });
  });

  it('goes by what codes of other sessions show to lie between the two, and doubts two hours and what they differ (O7)', () => {
    const zone = 2 * HOUR_MS;
    const code = (row: number, moreMs: number) => ({ ...created(row, 10, zone + moreMs), s: T0 }) as JournalRecord;
    const own = [session(), clock(500, T0 + 90_000)];
    const bounds = boundsOf([session(), code(1, 5), ...own], attempt(1500, undefined, { session: 1 }));
    expect(bounds).toMatchObject({ from: 91_000 + zone + 5, doubtful: 91_000 + zone + 5 - zone - 1 });
    const two = boundsOf([session(), code(1, 5), code(2, -400), ...own], attempt(1500, undefined, { session: 1 }));
    expect(two).toMatchObject({ from: 91_000 + zone - 400, doubtful: 91_000 - 400 - 406 });
    expect(two.doubtfulTo).toBe(91_000 + zone - 400 + LATE_MS + zone + 406);
    // A code that came without a Date says nothing of the two.
    const bare = boundsOf([session(), created(3, 5, 0), code(1, 5), ...own], attempt(1500, undefined, { session: 1 }));
    expect(bare).toEqual(bounds);
  });

  it('lets nothing fit where a listing shows a code dated later than Date itself (O7)', () => {
    const ending = (aheadMs: number, records = [clock(500, T0)]) => {
      const evidence = evidenceOf([session(), ...records]);
      const created_at = new Date(T0 + aheadMs).toISOString();
      evidence.addListing([{ created_at } as QrCode, { created_at: 'soon' } as QrCode], T0);
      const { fromMs, doubtfulFromMs, toMs } = evidence.boundsOf([attempt(1500)]);
      expect([doubtfulFromMs, toMs]).toEqual([T0 + 1000 - ZONES_MS, T0 + 1000 + LATE_MS]);
      return fromMs - T0;
    };
    expect([ending(3001), ending(ZONES_MS)]).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
    // What is no later, or as late as no clock is, shows nothing.
    expect([ending(3000), ending(-HOUR_MS), ending(ZONES_MS + 1)]).toEqual([1000, 1000, 1000]);
  });

  it('goes by the clock of created_at where it knows it, however far ahead that is', () => {
    const evidence = evidenceOf([session(), created(1, 1000, HOUR_MS)]);
    evidence.addListing([{ created_at: new Date(T0 + HOUR_MS).toISOString() } as QrCode], T0);
    expect(evidence.boundsOf([attempt(1500)]).fromMs).toBe(T0 + HOUR_MS + 500);
  });

  it('learns nothing from a listing that came without a Date', () => {
    const evidence = evidenceOf([session(), clock(500, T0)]);
    evidence.addListing([{ created_at: new Date(T0 + HOUR_MS).toISOString() } as QrCode], undefined);
    expect(evidence.boundsOf([attempt(1500)]).fromMs).toBe(T0 + 1000);
  });

  it('needs no other session where its own has seen a Date', () => {
    const records = [session(), clock(500, T0), session(), clock(10, T0 + HOUR_MS)];
    expect(boundsOf(records, attempt(1500))).toMatchObject({ from: 1000 });
    const earlier = [session(), clock(500, T0 + HOUR_MS), session(), clock(10, T0)];
    expect(boundsOf(earlier, attempt(1500, undefined, { session: 1 }))).toMatchObject({ from: 1490 });
  });
});

describe('where nothing of the session shows it, and the machine’s clocks must bridge the time to the next', () => {
  const ZONES_MS = 26 * HOUR_MS;
  const seenNext = (more: Partial<Stamp>) => [session(), session(), clock(10, T0 + HOUR_MS, more)];
  const began = attempt(1000);

  it('goes by them where two agree', () => {
    const both = { w: began.w + 60_000, b: began.b + 60_000 };
    const from = HOUR_MS - 60_000;
    expect(boundsOf(seenNext(both), began)).toMatchObject({ from, doubtful: from - ZONES_MS });
    const nearly = { w: began.w + 60_000, b: began.b + 62_000 };
    expect(boundsOf(seenNext(nearly), began)).toMatchObject({ from: HOUR_MS - 62_000, doubtful: HOUR_MS - 62_000 - ZONES_MS });
    const once = { w: began.w, b: began.b };
    expect(boundsOf(seenNext(once), began)).toMatchObject({ from: HOUR_MS, doubtful: HOUR_MS - ZONES_MS });
  });

  it('goes to the next session that saw a clock, past those that ended before they did', () => {
    expect(boundsOf([session(), ...seenNext({ w: began.w + 60_000, b: began.b + 60_000 })], began)).toMatchObject({
      from: HOUR_MS - 60_000,
    });
  });

  it('doubts a day more where they do not, because one was set or the machine started anew (O7)', () => {
    const from = HOUR_MS - 60_000;
    const day = { from, doubtful: from - 25 * HOUR_MS - ZONES_MS };
    expect(boundsOf(seenNext({ w: began.w + 60_000, b: began.b + 62_001 }), began)).toMatchObject(day);
    expect(boundsOf(seenNext({ w: began.w + 60_000, b: began.b - 1 }), began)).toMatchObject(day);
    expect(boundsOf(seenNext({ w: began.w + 1000, b: began.b - 1 }), began).doubtful).toBe(
      HOUR_MS - 1000 - 25 * HOUR_MS - ZONES_MS,
    );
  });

  it('is certain of nothing where the clock was set back, or was never seen', () => {
    const nothing = { from: Number.POSITIVE_INFINITY, doubtful: Number.NEGATIVE_INFINITY };
    expect(boundsOf(seenNext({ w: began.w - 1, b: began.b + 60_000 }), began)).toMatchObject(nothing);
    expect(boundsOf([session()], began)).toMatchObject(nothing);
  });

  it('knows of an earlier session that its time had come', () => {
    const earlier = [session(), clock(500, T0), clock(600, T0 - 5), session()];
    expect(boundsOf(earlier, attempt(1500, undefined, { session: 1 }))).toMatchObject({ from: 0, doubtful: -ZONES_MS });
    const both = [...earlier, session(), clock(0, T0 + 90_000, { w: began.w + 60_000, b: began.b + 60_000 })];
    expect(boundsOf(both, { ...began, session: 1 })).toMatchObject({ from: 30_000 });
    const late = [...earlier, session(), clock(0, T0 + 30_000, { w: began.w + 60_000, b: began.b - 1 })];
    expect(boundsOf(late, { ...began, session: 1 })).toMatchObject({ from: 0, doubtful: -25 * HOUR_MS - ZONES_MS });
  });

  it('goes by codes of other sessions where there are no Dates at all', () => {
    const records = [session(), created(1, 10, 5000), session()];
    expect(boundsOf(records, attempt(1500, undefined, { session: 1 }))).toMatchObject({
      from: 5000,
      doubtful: 5000 - 2 * HOUR_MS,
    });
  });
});

describe('the end of the bounds', () => {
  const made = [session(), created(1, 10, 10)];

  it('is a minute after the last attempt ended, the beginning that of the first', () => {
    expect(boundsOf(made, attempt(1000, 1500), attempt(9000, 9700))).toMatchObject({ from: 1000, to: 9000 + 700 + LATE_MS });
    expect(boundsOf(made, attempt(1000))).toMatchObject({ from: 1000, to: 1000 + LATE_MS });
    expect(boundsOf(made, attempt(1000), attempt(2000, 8000), attempt(9000))).toMatchObject({ from: 1000, to: 9000 + LATE_MS });
  });

  it('is by the clock of its own session', () => {
    const two = [...made, session(), created(2, 10, 100_000)];
    const bounds = boundsOf(two, attempt(1000, 1500), attempt(500, 600, { session: 1 }));
    expect(bounds).toMatchObject({ from: 1000, to: 100_490 + 100 + LATE_MS });
  });

  it('needs an attempt', () => {
    expect(() => createClockEvidence().boundsOf([])).toThrow('time bounds need an attempt');
  });
});

it('knows the first Date that was seen when a request had ended', () => {
  const records = [session(), clock(500, T0), clock(2500, T0 + 2000), session(), session(), clock(10, T0 + HOUR_MS)];
  const evidence = evidenceOf(records);
  expect(evidence.dateAfter(attempt(1000, 2500))).toBe(T0 + 2000);
  expect(evidence.dateAfter(attempt(1000, 2501))).toBe(T0 + HOUR_MS);
  expect(evidence.dateAfter(attempt(1000))).toBe(T0 + HOUR_MS);
  expect(evidence.dateAfter({ ...attempt(1000), end: { ...at(1100), s: T0 + 7 } })).toBe(T0 + 7);
  expect(evidence.dateAfter(attempt(1000, undefined, { session: 2 }))).toBeUndefined();
});

it('takes a time without a fraction for any moment of its second', () => {
  expect(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00,5Z'].map(resolutionMs)).toEqual([1000, 1, 1]);
});
