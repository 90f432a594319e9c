/**
 * When, by the service's clock, could an attempt have created its code? The journal's lines tell: a code that was created says
 * what the service's clock showed between its intent and its answer, and the Date headers say it to the second. From these
 * follows, for any intent, a time before which it cannot have created anything: what is older was there before.
 */
import { parseInstant } from '../time.ts';
import type { JournalRecord, Stamp } from './journal.ts';

/** One POST: from its intent until its outcome, if it got one. */
export interface Attempt extends Stamp {
  session: number;
  end?: Stamp | undefined;
}

/**
 * When a row's code would have been created, in ms since the epoch on the clock of `created_at`. Outside `doubtfulFromMs` to
 * `untilMs` a code is not the row's; inside `fromMs` to `toMs` it may well be; in between only if a clock or a process was not
 * what it seemed, and then a person must look.
 */
export interface TimeBounds {
  doubtfulFromMs: number;
  fromMs: number;
  toMs: number;
  untilMs: number;
  /** `fromMs` is known to seconds. Else the machine's clock stands in for the service's, and that may have been set meanwhile. */
  measured: boolean;
}

export interface ClockEvidence {
  /** Takes the next line of the journal. */
  add(record: JournalRecord): void;
  /** Number of the newest session; the first is 0. */
  session(): number;
  /** Whether that session shows the clock of `created_at` itself, exact to a round trip; else there are only Dates. */
  isCalibrated(session: number): boolean;
  /** When attempts (oldest first, at least one) could have created codes. */
  boundsOf(attempts: readonly Attempt[]): TimeBounds;
}

/** Something that shows the service's clock: at `stamp` or a little before, it showed at least `valueMs`. */
interface Sample extends Stamp {
  session: number;
  valueMs: number;
  created: boolean;
}

/** At least this it was; `slackMs` less where the clocks are not what they seem. */
interface LowerBound {
  valueMs: number;
  slackMs: number;
}

/** A write may land this long after its request failed or its sender died. Wide, because a missed one would be sent again. */
const LATE_MS = 60_000;
/** How far `created_at` and `Date` of one service may differ: they can come from different machines. */
const DATE_SLACK_MS = 2000;
/** Between sessions, where two clocks of the machine agree on the time that went by… */
const AGREED_SLACK_MS = 2 * DATE_SLACK_MS;
/** …and where they do not, because it was started anew or its clock was set, by hours perhaps. */
const WALL_SLACK_MS = 25 * 3_600_000;
/** Where the very clock of `created_at` was seen in the same session: its rounding, and no more than it has shown to jump. */
const CREATED_SLACK_MS = 50;

export function createClockEvidence(): ClockEvidence {
  const samples: Sample[] = [];
  /** Sessions that saw any clock of the service, and those that saw that of `created_at`. */
  const dated = new Set<number>();
  const calibrated = new Set<number>();
  let session = -1;
  /** By row, what codes created before its intent in this session say of the service's clock then. */
  const expectedMs = new Map<number, number>();
  /** Between our monotonic clock and that of `created_at` in this session, at least. */
  let offsetMs = Number.NEGATIVE_INFINITY;
  /** By how much codes created one after the other went back in time: the service has clocks that differ by so much. */
  let jitterMs = 0;

  function add(record: JournalRecord): void {
    if (!('t' in record)) return;
    if (record.is === 'session') {
      session += 1;
      offsetMs = Number.NEGATIVE_INFINITY;
    }
    if (record.s !== undefined) keep({ ...record, session, valueMs: record.s, created: false });
    if (record.is === 'intent') expectedMs.set(record.row, record.t + offsetMs);
    const valueMs = record.is === 'created' ? parseInstant(record.at) : undefined;
    if (record.is !== 'created' || valueMs === undefined) return;
    const expected = expectedMs.get(record.row) ?? Number.NEGATIVE_INFINITY;
    jitterMs = Math.max(jitterMs, expected - (valueMs + resolutionMs(record.at)));
    offsetMs = Math.max(offsetMs, valueMs - record.t);
    keep({ ...record, session, valueMs, created: true });
  }

  function keep(sample: Sample): void {
    samples.push(sample);
    dated.add(sample.session);
    if (sample.created) calibrated.add(sample.session);
  }

  function boundsOf(attempts: readonly Attempt[]): TimeBounds {
    const [first] = attempts;
    const last = attempts.at(-1);
    if (!first || !last) throw new Error('time bounds need an attempt');
    const { fromMs, doubtfulFromMs } = earliest(first);
    const untilMs = latest(last);
    // A process that was stopped between intent and request may have sent it any time before it was killed.
    const lastedMs = last.end ? last.end.t - last.t : 0;
    const toMs = Math.min(untilMs, earliest(last).fromMs + lastedMs + LATE_MS);
    return { doubtfulFromMs, fromMs, toMs, untilMs, measured: fromMs - doubtfulFromMs <= 2 * DATE_SLACK_MS };
  }

  /** O7: what the service's clock showed at least when the attempt began, by the best witnesses there are. */
  function earliest(attempt: Attempt): { fromMs: number; doubtfulFromMs: number } {
    const exact = calibrated.has(attempt.session);
    const some = dated.has(attempt.session);
    const slackMs = exact ? CREATED_SLACK_MS + 2 * jitterMs : some ? DATE_SLACK_MS : AGREED_SLACK_MS;
    const counts = (sample: Sample) => {
      if (exact) return sample.created && sample.session === attempt.session;
      return !some || sample.session <= attempt.session;
    };
    // With no clock to go by nothing is certain, and everything is doubtful.
    const bounds = { fromMs: Number.NEGATIVE_INFINITY, doubtfulFromMs: Number.NEGATIVE_INFINITY };
    for (const sample of samples) {
      const bound = counts(sample) ? carry(sample, attempt, slackMs) : undefined;
      if (!bound) continue;
      bounds.fromMs = Math.max(bounds.fromMs, bound.valueMs);
      bounds.doubtfulFromMs = Math.max(bounds.doubtfulFromMs, bound.valueMs - bound.slackMs);
    }
    return bounds.fromMs > Number.NEGATIVE_INFINITY ? bounds : { ...bounds, fromMs: Number.POSITIVE_INFINITY };
  }

  /** A killed run's last requests left before the next run began, which had to wait for its lock. */
  function latest({ session: own, end }: Attempt): number {
    const isAfter = (sample: Sample) => (end && sample.session === own ? sample.t >= end.t : sample.session > own);
    // No elapsed time is taken off what was seen next: too late a bound is harmless, too early a one hides a code.
    const next = samples.find(isAfter);
    return next ? next.valueMs + LATE_MS : Number.POSITIVE_INFINITY;
  }

  return { add, boundsOf, isCalibrated: (of) => calibrated.has(of), session: () => session };
}

/** What a sample says of another moment. */
function carry(sample: Sample, moment: Attempt, slackMs: number): LowerBound | undefined {
  const { valueMs } = sample;
  if (sample.session < moment.session) return { valueMs, slackMs };
  const elapsed = sample.t - moment.t;
  if (sample.session === moment.session && elapsed <= 0) return { valueMs: valueMs - elapsed, slackMs };
  const byBoot = sample.b - moment.b;
  // The monotonic clock leaves out the machine's sleep; that since its start is coarse.
  if (sample.session === moment.session) return { valueMs: valueMs - Math.max(elapsed, byBoot), slackMs };
  const byWall = sample.w - moment.w;
  if (byWall < 0) return undefined;
  const agreed = byBoot >= 0 && Math.abs(byWall - byBoot) <= DATE_SLACK_MS;
  return { valueMs: valueMs - Math.max(byWall, agreed ? byBoot : 0), slackMs: agreed ? slackMs : WALL_SLACK_MS };
}

/** A `created_at` without a fraction may lie anywhere in its second. */
export function resolutionMs(instant: string): number {
  return /[.,]\d/.test(instant) ? 1 : 1000;
}
