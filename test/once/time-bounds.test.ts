import { describe, expect, it } from 'vitest';
import type { JournalRecord, Stamp } from '../../src/once/journal.ts';
import { type Attempt, createClockEvidence, resolutionMs } from '../../src/once/time-bounds.ts';

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

/** The bounds of one attempt, in ms from T0. */
function boundsOf(records: readonly JournalRecord[], ...attempts: Attempt[]) {
  const evidence = createClockEvidence();
  for (const record of records) evidence.add(record);
  const { fromMs, doubtfulFromMs, toMs, untilMs, measured } = evidence.boundsOf(attempts);
  return { from: fromMs - T0, doubtful: doubtfulFromMs - T0, to: toMs - T0, until: untilMs - T0, measured };
}

describe('where codes of the same session show the clock of created_at', () => {
  it('begins when that clock showed so much at the intent, and doubts 50 ms before (O7)', () => {
    const bounds = boundsOf([session(), intent(1, 900), created(1, 1010, 1000)], attempt(2000, 2500));
    expect(bounds).toEqual({
      from: 1990,
      doubtful: 1940,
      to: 1990 + 500 + 60_000,
      until: Number.POSITIVE_INFINITY,
      measured: true,
    });
  });

  it('reckons back from a code created later, by whichever clock says that more time went by', () => {
    const later = (more: Partial<Stamp> = {}) => [session(), intent(1, 2900), created(1, 3000, 2980, more)];
    expect(boundsOf(later(), attempt(2000))).toMatchObject({ from: 1980 });
    // Asleep for 4 s: the monotonic clock stood still.
    expect(boundsOf(later({ b: 5000 + 3000 + 4000 }), attempt(2000))).toMatchObject({ from: -2020 });
    expect(boundsOf(later({ b: 5000 + 3000 - 400 }), attempt(2000))).toMatchObject({ from: 1980 });
  });

  it('takes the latest of all that is certain', () => {
    const three = [session(), created(1, 1000, 900), created(2, 1100, 1090), created(3, 1200, 1100)];
    expect(boundsOf(three, attempt(2000))).toMatchObject({ from: 1990, doubtful: 1940 });
    expect(boundsOf(three, attempt(1150))).toMatchObject({ from: 1140 });
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
    expect(boundsOf(back, attempt(1000))).toMatchObject({ from: 1000, doubtful: 1000 - 50 - 2 * 300, measured: true });
    const far = [session(), created(1, 100, 100), intent(2, 200), created(2, 300, -1776)];
    expect(boundsOf(far, attempt(1000))).toMatchObject({ doubtful: 1000 - 4000, measured: true });
    const further = [session(), created(1, 100, 100), intent(2, 200), created(2, 300, -1777)];
    expect(boundsOf(further, attempt(1000))).toMatchObject({ doubtful: 1000 - 4002, measured: false });
  });

  it('knows nothing of the clock of an earlier session in that reckoning', () => {
    const anew = [session(), created(1, 100, HOUR_MS), session(), intent(2, 200), created(2, 300, 250)];
    expect(boundsOf(anew, { ...attempt(1000), session: 1 })).toMatchObject({ from: 950, doubtful: 900 });
  });

  it('cannot go by a created_at that is no time', () => {
    const evidence = createClockEvidence();
    evidence.add(session());
    evidence.add({ is: 'created', row: 1, id: 'x', slug: 's', at: 'soon', ...at(10) });
    expect([evidence.isCalibrated(0), evidence.session()]).toEqual([false, 0]);
    evidence.add(created(2, 20, 20));
    expect([evidence.isCalibrated(0), evidence.isCalibrated(1)]).toEqual([true, false]);
  });
});

describe('where only Date headers show the service’s clock', () => {
  it('doubts two seconds, since created_at may come from another machine (O7)', () => {
    expect(boundsOf([session(), clock(500, T0)], attempt(1500))).toMatchObject({ from: 1000, doubtful: -1000, measured: true });
  });

  it('knows that time does not go back from an earlier session', () => {
    const records = [session(), clock(500, T0 + HOUR_MS), session(), clock(10, T0)];
    expect(boundsOf(records, attempt(1500, undefined, { session: 1 }))).toMatchObject({
      from: HOUR_MS,
      doubtful: HOUR_MS - 2000,
    });
  });

  it('needs no later session', () => {
    const records = [session(), clock(500, T0), session(), clock(10, T0 + HOUR_MS)];
    expect(boundsOf(records, attempt(1500))).toMatchObject({ from: 1000 });
  });
});

describe('where nothing of the session shows it, and the machine’s clocks must bridge the time to the next', () => {
  const seenNext = (more: Partial<Stamp>) => [session(), session(), clock(10, T0 + HOUR_MS, more)];
  const began = attempt(1000);

  it('doubts four seconds where two of them agree', () => {
    const both = { w: began.w + 60_000, b: began.b + 60_000 };
    expect(boundsOf(seenNext(both), began)).toMatchObject({ from: HOUR_MS - 60_000, doubtful: HOUR_MS - 64_000, measured: true });
    const nearly = { w: began.w + 60_000, b: began.b + 62_000 };
    expect(boundsOf(seenNext(nearly), began)).toMatchObject({ from: HOUR_MS - 62_000, doubtful: HOUR_MS - 66_000 });
    const once = { w: began.w, b: began.b };
    expect(boundsOf(seenNext(once), began)).toMatchObject({ from: HOUR_MS, doubtful: HOUR_MS - 4000 });
  });

  it('doubts a day where they do not, because one was set or the machine started anew (O7)', () => {
    const apart = { w: began.w + 60_000, b: began.b + 62_001 };
    const day = { from: HOUR_MS - 60_000, doubtful: HOUR_MS - 60_000 - 25 * HOUR_MS, measured: false };
    expect(boundsOf(seenNext(apart), began)).toMatchObject(day);
    expect(boundsOf(seenNext({ w: began.w + 60_000, b: began.b - 1 }), began)).toMatchObject(day);
    expect(boundsOf(seenNext({ w: began.w + 1000, b: began.b - 1 }), began)).toMatchObject({ measured: false });
  });

  it('is certain of nothing where the clock was set back, or was never seen', () => {
    const nothing = { from: Number.POSITIVE_INFINITY, doubtful: Number.NEGATIVE_INFINITY, measured: false };
    expect(boundsOf(seenNext({ w: began.w - 1, b: began.b + 60_000 }), began)).toMatchObject(nothing);
    expect(boundsOf([session()], began)).toMatchObject(nothing);
  });

  it('knows of an earlier session that its time had come', () => {
    const earlier = [session(), clock(500, T0), session()];
    expect(boundsOf(earlier, attempt(1500, undefined, { session: 1 }))).toMatchObject({ from: 0, doubtful: -4000 });
  });
});

describe('the end of the bounds', () => {
  const made = [session(), created(1, 10, 10)];

  it('is a minute after the next sign of the service’s clock (O7)', () => {
    const next = (t: number) => boundsOf([...made, clock(t, T0 + 90_000)], attempt(1000, 2000)).until;
    expect([next(1999), next(2000), next(3000)]).toEqual([Number.POSITIVE_INFINITY, 150_000, 150_000]);
    expect(boundsOf([...made, clock(2000, T0 + 1500)], attempt(1000, 2000)).to).toBe(61_500);
  });

  it('is of the next session where the row was in flight when its run was killed', () => {
    const killed = [...made, clock(3000, T0 + 3000), session(), clock(10, T0 + 70_000)];
    expect(boundsOf(killed, attempt(1000))).toMatchObject({ to: 61_000, until: 130_000 });
    expect(boundsOf([...made, clock(3000, T0 + 3000)], attempt(1000)).until).toBe(Number.POSITIVE_INFINITY);
  });

  it('is that of the last attempt, the beginning that of the first', () => {
    expect(boundsOf(made, attempt(1000, 1500), attempt(9000, 9700))).toMatchObject({ from: 1000, to: 9000 + 700 + 60_000 });
  });

  it('needs an attempt', () => {
    expect(() => createClockEvidence().boundsOf([])).toThrow('time bounds need an attempt');
  });
});

it('takes a time without a fraction for any moment of its second', () => {
  expect(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00,5Z'].map(resolutionMs)).toEqual([1000, 1, 1]);
});
