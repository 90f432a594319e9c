/**
 * When, by the service's clock, could an attempt have created its code? The journal's lines tell: a code that was created says
 * what the service's clock showed between its intent and its answer, and the Date headers say it to the second. From these
 * follows, for any intent, a time before which it cannot have created anything: what is older was there before.
 */
import { parseInstant } from '../time.ts';
import type { JournalRecord, Stamp } from './records.ts';

/** One POST: from its intent until its outcome, if it got one. */
export interface Attempt extends Stamp {
  session: number;
  end?: Stamp | undefined;
}

/**
 * When a row's code would have been created, in ms since the epoch on the clock of `created_at`. Outside `doubtfulFrom` to `until`
 * a code is not the row's; inside `from` to `to` it may well be; in between only if a clock or a process was not what it
 * seemed, and then a person must look.
 */
export interface Window {
  doubtfulFrom: number;
  from: number;
  to: number;
  until: number;
  /** `from` is known to seconds. Else the machine's clock stands in for the service's, and that may have been set meanwhile. */
  measured: boolean;
}

/** Something that shows the service's clock: at `stamp` or a little before, it showed at least `value`. */
interface Sample extends Stamp {
  session: number;
  value: number;
  created: boolean;
}

/** At least this it was; `slack` less where the clocks are not what they seem. */
interface Bound {
  value: number;
  slack: number;
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

export interface Timeline {
  /** Takes the next line of the journal. */
  see(record: JournalRecord): void;
  /** Of the newest session; the first is 0. */
  session(): number;
  /** Whether that session shows the clock of `created_at` itself, exact to a round trip; else there are only Dates. */
  isCalibrated(session: number): boolean;
  /** When attempts (oldest first, at least one) could have created codes. */
  window(attempts: readonly Attempt[]): Window;
}

export function createTimeline(): Timeline {
  const samples: Sample[] = [];
  let session = -1;
  /** By row, what codes created before its intent in this session say of the service's clock then. */
  const bounds = new Map<number, number>();
  /** Between our monotonic clock and that of `created_at` in this session, at least. */
  let offset = Number.NEGATIVE_INFINITY;
  let jitter = 0;

  function see(record: JournalRecord): void {
    if (!('t' in record)) return;
    if (record.is === 'session') {
      session += 1;
      offset = Number.NEGATIVE_INFINITY;
    }
    if (record.s !== undefined) samples.push({ ...record, session, value: record.s, created: false });
    if (record.is === 'intent') bounds.set(record.row, record.t + offset);
    const value = record.is === 'created' ? parseInstant(record.at) : undefined;
    if (record.is !== 'created' || value === undefined) return;
    // Codes created one after the other must not go back in time; where they do, the service has clocks that differ by so much.
    const bound = bounds.get(record.row) ?? Number.NEGATIVE_INFINITY;
    jitter = Math.max(jitter, bound - (value + resolutionMs(record.at)));
    offset = Math.max(offset, value - record.t);
    samples.push({ ...record, session, value, created: true });
  }

  function window(attempts: readonly Attempt[]): Window {
    const [first] = attempts;
    const last = attempts.at(-1);
    if (!first || !last) throw new Error('a window needs an attempt');
    const { from, doubtfulFrom } = earliest(first);
    const until = latest(last);
    // A process that was stopped between intent and request may have sent it any time before it was killed.
    const lasted = last.end ? last.end.t - last.t : 0;
    const to = Math.min(until, earliest(last).from + lasted + LATE_MS);
    return { doubtfulFrom, from, to, until, measured: from - doubtfulFrom <= 2 * DATE_SLACK_MS };
  }

  function earliest(attempt: Attempt): { from: number; doubtfulFrom: number } {
    const bounds = lowerBounds(attempt, samples, jitter);
    return {
      // With no clock to go by nothing is certain, and everything is doubtful.
      from: bounds.length ? Math.max(...bounds.map(({ value }) => value)) : Number.POSITIVE_INFINITY,
      doubtfulFrom: Math.max(Number.NEGATIVE_INFINITY, ...bounds.map(({ value, slack }) => value - slack)),
    };
  }

  /** A killed run's last requests left before the next run began, which had to wait for its lock. */
  function latest({ session, end }: Attempt): number {
    const after = ({ session: other, t }: Sample) => (end && other === session ? t >= end.t : other > session);
    // No elapsed time is taken off what was seen next: too late a bound is harmless, too early a one hides a code.
    const next = samples.find(after);
    return next ? next.value + LATE_MS : Number.POSITIVE_INFINITY;
  }

  const isCalibrated = (of: number) => samples.some((sample) => sample.created && sample.session === of);
  return { see, window, isCalibrated, session: () => session };
}

/** What the service's clock showed at least at that moment, by the best witnesses there are. */
function lowerBounds(moment: Attempt, samples: readonly Sample[], jitter: number): Bound[] {
  const own = samples.filter(({ session }) => session === moment.session);
  const created = own.filter((sample) => sample.created); // the very clock that `created_at` is read from
  const earlier = samples.filter(({ session }) => session < moment.session);
  const bounds = (witnesses: readonly Sample[], slack: number) =>
    witnesses.flatMap((sample) => carry(sample, moment, slack) ?? []);
  if (created.length) return bounds(created, CREATED_SLACK_MS + 2 * jitter);
  if (own.length) return bounds([...earlier, ...own], DATE_SLACK_MS);
  return bounds(samples, AGREED_SLACK_MS);
}

/** What a sample says of another moment. */
function carry(sample: Sample, moment: Attempt, slack: number): Bound | undefined {
  const { value } = sample;
  if (sample.session < moment.session) return { value, slack };
  const elapsed = sample.t - moment.t;
  if (sample.session === moment.session && elapsed <= 0) return { value: value - elapsed, slack };
  const byBoot = sample.b - moment.b;
  // The monotonic clock leaves out the machine's sleep; that since its start is coarse.
  if (sample.session === moment.session) return { value: value - Math.max(elapsed, byBoot), slack };
  const byWall = sample.w - moment.w;
  if (byWall < 0) return undefined;
  const agreed = byBoot >= 0 && Math.abs(byWall - byBoot) <= DATE_SLACK_MS;
  return { value: value - Math.max(byWall, agreed ? byBoot : 0), slack: agreed ? slack : WALL_SLACK_MS };
}

/** A `created_at` without a fraction may lie anywhere in its second. */
export function resolutionMs(instant: string): number {
  return /[.,]\d/.test(instant) ? 1 : 1000;
}
