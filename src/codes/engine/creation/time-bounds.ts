/**
 * Computes when an attempt could have created its code, by the clock of `created_at`. Codes created in the same run show that clock
 * directly. If a run has none, the Date headers replace it, shifted by the offset that codes of other runs have shown; if no code ever
 * showed it, it may be in any zone. The less is known, the less is ruled out, and the more needs the user's decision.
 */
import { parseInstant } from '../../../base/time/time.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { JournalRecord, Stamp } from './journal-records.ts';
import { createSamples, type Sample, type Samples } from './samples.ts';

/** One POST: from its intent to its outcome, if there is one. */
export interface Attempt extends Stamp {
  session: number;
  end?: Stamp | undefined;
}

/**
 * Time in which a row's code would have been created, in ms since the epoch on the clock of `created_at`. Before `doubtfulFromMs` a code is
 * certainly not the row's; from `fromMs` to `toMs` it may well be; a code at any other time may be the row's only if a clock was wrong, or
 * a write took effect very late. Up to `doubtfulToMs` that also casts doubt on a code that fits better.
 */
export interface TimeBounds {
  doubtfulFromMs: number;
  fromMs: number;
  toMs: number;
  doubtfulToMs: number;
}

export interface ClockEvidence {
  /** Takes the next line of the journal. */
  add(record: JournalRecord): void;
  /** Takes a listing that was read until the Date headers showed `dateMs`. */
  addListing(codes: readonly QrCode[], dateMs: number | undefined): void;
  /** Number of the newest session; the first is 0. */
  session(): number;
  /** Whether that session shows the clock of `created_at` itself, exact to a round trip; otherwise there are only Dates. */
  isCalibrated(session: number): boolean;
  /** Date headers after an attempt had certainly ended: the first one, or undefined. */
  dateAfter(attempt: Attempt): number | undefined;
  /** When attempts (oldest first, at least one) could have created codes. */
  boundsOf(attempts: readonly Attempt[]): TimeBounds;
}

/** Samples of one of the service's clocks in one session, oldest first. */
interface Seen {
  samples: Samples;
  highestMs: number;
  /** By how much codes created one after the other went back in time: the service has clocks that differ by so much. */
  jitterMs: number;
}

/** The current session. */
interface Session {
  dates: Seen;
  codes: Seen;
  /** For each row without a code: the evidence about the service's clock from codes created before its intent in this session. */
  expectedMs: Map<number, number>;
}

/** A lower bound; `slackMs` less if the clocks are wrong. */
interface LowerBound {
  valueMs: number;
  slackMs: number;
  /** The clocks are known to be wrong: everything is doubtful. */
  isWrong?: boolean;
}

/** A write may take effect this long after its request failed or its sender died; a later one needs the user's decision. */
const LATE_MS = 60_000;
/** Servers of one service differ, and clocks are set: a code may be dated this far from the time that its own session predicts. */
const NEAR_MS = 600_000;
/** Like `NEAR_MS`, if codes of other sessions show the offset between `created_at` and Date: daylight saving time may have begun. */
const OTHER_SESSION_MS = 2 * 3_600_000;
/** If no code shows it, `created_at` may be the local time of any place: time zones differ by at most 26 hours. */
const ANY_ZONE_MS = 26 * 3_600_000;
/** Date has whole seconds, and the last one is some time old. */
const DATE_LAG_MS = 3000;
/** Two clocks of the machine agree on the time that went by between sessions when they differ by no more. */
const AGREED_MS = 2000;
/** If they do not, because the machine was restarted or its clock was set, it may have been set by hours. */
const WALL_SLACK_MS = 25 * 3_600_000;

export function createClockEvidence(): ClockEvidence {
  /** By session. */
  const dates: Seen[] = [];
  const codes: Seen[] = [];
  /** Offset of `created_at` from Date, by all codes that show both. */
  const ahead = { lowMs: Number.POSITIVE_INFINITY, highMs: Number.NEGATIVE_INFINITY };
  /** Lower bound of the offset of `created_at` from Date that a listing shows. */
  let listedAheadMs = Number.NEGATIVE_INFINITY;
  let newest = beginSession();

  function add(record: JournalRecord): void {
    if (!('t' in record)) return;
    if (record.is === 'session') {
      newest = beginSession();
      dates.push(newest.dates);
      codes.push(newest.codes);
    }
    if (record.s !== undefined) keep(newest.dates, record, record.s);
    switch (record.is) {
      case 'intent':
        newest.expectedMs.set(record.row, record.t + newest.codes.samples.offsetOf(newest.codes.samples.count()));
        return;
      case 'created':
        addCode(record);
    }
  }

  function addCode(record: Extract<JournalRecord, { is: 'created' }>): void {
    const valueMs = parseInstant(record.at);
    if (valueMs === undefined) return;
    const latestMs = valueMs + resolutionMs(record.at);
    const backMs = (newest.expectedMs.get(record.row) ?? Number.NEGATIVE_INFINITY) - latestMs;
    newest.expectedMs.delete(record.row);
    newest.codes.jitterMs = Math.max(newest.codes.jitterMs, backMs);
    keep(newest.codes, record, valueMs);
    if (record.s === undefined) return;
    ahead.lowMs = Math.min(ahead.lowMs, valueMs - record.s);
    ahead.highMs = Math.max(ahead.highMs, latestMs - record.s);
  }

  function addListing(listing: readonly QrCode[], dateMs = Number.POSITIVE_INFINITY): void {
    for (const { created_at } of listing) {
      const aheadMs = (parseInstant(created_at) ?? Number.NEGATIVE_INFINITY) - dateMs;
      // A larger offset is not of any clock.
      if (aheadMs <= ANY_ZONE_MS) listedAheadMs = Math.max(listedAheadMs, aheadMs);
    }
  }

  function boundsOf(attempts: readonly Attempt[]): TimeBounds {
    const [first] = attempts;
    if (!first) throw new Error('time bounds need an attempt');
    const last = attempts.at(-1) ?? first;
    const from = earliest(first);
    const { valueMs, slackMs } = earliest(last);
    // A process that was stopped between intent and request may have sent it any time before it was killed: that is in doubt, later.
    const lastedMs = last.end ? last.end.t - last.t : 0;
    const toMs = valueMs + lastedMs + LATE_MS;
    const doubtfulFromMs = from.slackMs === Number.POSITIVE_INFINITY ? Number.NEGATIVE_INFINITY : from.valueMs - from.slackMs;
    const fromMs = from.isWrong ? Number.POSITIVE_INFINITY : from.valueMs;
    return { doubtfulFromMs, fromMs, toMs, doubtfulToMs: toMs + slackMs };
  }

  /** O7: lower bound of the clock of `created_at` when the attempt began, by the best samples. */
  function earliest(attempt: Attempt): LowerBound {
    const seen = codes[attempt.session];
    const own = seen && inSession(seen, attempt);
    if (seen && own !== undefined) return { valueMs: own, slackMs: NEAR_MS + 2 * seen.jitterMs };
    const date = carry(dates, attempt);
    if (date && ahead.lowMs < Number.POSITIVE_INFINITY) {
      const spreadMs = ahead.highMs - ahead.lowMs;
      return { valueMs: date.valueMs + ahead.lowMs, slackMs: date.slackMs + OTHER_SESSION_MS + spreadMs };
    }
    // By Date alone, a code fits only if none is dated later than Date itself.
    if (date) return { valueMs: date.valueMs, slackMs: date.slackMs + ANY_ZONE_MS, isWrong: listedAheadMs > DATE_LAG_MS };
    const other = carry(codes, attempt);
    // With no clock to go by nothing is certain, and everything is doubtful.
    if (!other) return { valueMs: Number.POSITIVE_INFINITY, slackMs: Number.POSITIVE_INFINITY };
    return { ...other, slackMs: other.slackMs + OTHER_SESSION_MS };
  }

  function dateAfter({ session, end }: Attempt): number | undefined {
    if (end?.s !== undefined) return end.s;
    let fromT = end ? end.t : Number.POSITIVE_INFINITY;
    for (const { samples } of dates.slice(session)) {
      const found = samples.at(samples.countBefore(fromT));
      if (found) return found.valueMs;
      // Whatever a later session saw, it saw after it.
      fromT = Number.NEGATIVE_INFINITY;
    }
    return undefined;
  }

  const isCalibrated = (of: number) => (codes[of]?.samples.count() ?? 0) > 0;
  return { add, addListing, boundsOf, dateAfter, isCalibrated, session: () => codes.length - 1 };
}

function beginSession(): Session {
  const [dates, codes] = [nothingSeen(), nothingSeen()];
  return { dates, codes, expectedMs: new Map() };
}

function nothingSeen(): Seen {
  return { samples: createSamples(), highestMs: Number.NEGATIVE_INFINITY, jitterMs: 0 };
}

function keep(seen: Seen, { t, w, b }: Stamp, valueMs: number): void {
  seen.samples.add({ t, w, b, valueMs });
  seen.highestMs = Math.max(seen.highestMs, valueMs);
}

/** Bounds of a moment from samples of its own session: the best of those before, and the next after it. */
function inSession(seen: Seen, moment: Stamp): number | undefined {
  const { samples } = seen;
  if (samples.count() === 0) return undefined;
  const until = samples.countUntil(moment.t);
  const before = samples.offsetOf(until) + moment.t;
  const next = samples.at(until);
  if (!next) return before;
  // The monotonic clock leaves out the machine's sleep; that since its start is coarse.
  return Math.max(before, next.valueMs - Math.max(next.t - moment.t, next.b - moment.b));
}

/** Bounds of a clock at a moment, by its own session or otherwise by those before and after it. */
function carry(sessions: readonly Seen[], moment: Attempt): LowerBound | undefined {
  const seen = sessions[moment.session];
  const own = seen && inSession(seen, moment);
  if (own !== undefined) return { valueMs: own, slackMs: 0 };
  let earlierMs = Number.NEGATIVE_INFINITY;
  for (const { highestMs } of sessions.slice(0, moment.session)) earlierMs = Math.max(earlierMs, highestMs);
  const next = sessions
    .slice(moment.session + 1)
    .find(({ samples }) => samples.count() > 0)
    ?.samples.at(0);
  const later = next && between(next, moment);
  // Time does not go back: that of an earlier session had come, and more had gone by.
  if (later) return { ...later, valueMs: Math.max(later.valueMs, earlierMs) };
  return earlierMs === Number.NEGATIVE_INFINITY ? undefined : { valueMs: earlierMs, slackMs: 0 };
}

/** Bound of a moment from a sample of a later session, by the machine's clocks that connect the two. */
function between(sample: Sample, moment: Stamp): LowerBound | undefined {
  const byWall = sample.w - moment.w;
  if (byWall < 0) return undefined;
  const byBoot = sample.b - moment.b;
  const agreed = byBoot >= 0 && Math.abs(byWall - byBoot) <= AGREED_MS;
  return { valueMs: sample.valueMs - Math.max(byWall, agreed ? byBoot : 0), slackMs: agreed ? 0 : WALL_SLACK_MS };
}

/** Returns the resolution of a `created_at`: without a fraction, it may be anywhere in its second. */
export function resolutionMs(instant: string): number {
  return /[.,]\d/.test(instant) ? 1 : 1000;
}
