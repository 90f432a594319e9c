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

/** Ms since the epoch on the clock of `created_at`. */
export interface Window {
  /** A code created before this was there before the intent… */
  from: number;
  /** …but between here and `from` only if the service's clocks agree better than we know: a person must look. */
  doubtfulFrom: number;
  /** A code created after this is somebody else's. */
  until: number;
}

/** Something that shows the service's clock: at `stamp` or a little before, it showed at least `value`. */
interface Sample extends Stamp {
  session: number;
  value: number;
  created: boolean;
}

/** A write may land this long after its request failed or its sender died. Wide, because a missed one would be sent again. */
const LATE_MS = 60_000;
/** How far `created_at` and `Date` of one service may differ: they can come from different machines. */
const DATE_SLACK_MS = 2000;
/** A session that saw no clock hangs on the machine's wall clock alone, and that may have been set, by hours, since. */
const WALL_SLACK_MS = 25 * 3_600_000;
/** Where the very clock of `created_at` was seen in the same session: its rounding, and no more than it has shown to jump. */
const CREATED_SLACK_MS = 50;

export interface Timeline {
  /** Takes the next line of the journal. */
  see(record: JournalRecord): void;
  /** Of the newest session; the first is 0. */
  session(): number;
  /** When attempts (oldest first, at least one) could have created codes. */
  window(attempts: readonly Attempt[]): Window;
}

export function createTimeline(): Timeline {
  const samples: Sample[] = [];
  const starts: Stamp[] = [];
  /** By row, what codes created before its intent in this session say of the service's clock then. */
  const bounds = new Map<number, number>();
  /** Between our monotonic clock and that of `created_at` in this session, at least. */
  let offset = Number.NEGATIVE_INFINITY;
  let jitter = 0;

  function see(record: JournalRecord): void {
    if (!('t' in record)) return;
    if (record.is === 'session') {
      starts.push(record);
      offset = Number.NEGATIVE_INFINITY;
    }
    const session = starts.length - 1;
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
    const bounds = lowerBounds(first, samples, jitter);
    const lower = (bound: { value: number; slack: number }) => bound.value - bound.slack;
    return {
      // With no clock to go by nothing is certain, and everything is doubtful.
      from: bounds.length ? Math.max(...bounds.map(({ value }) => value)) : Number.POSITIVE_INFINITY,
      doubtfulFrom: Math.max(Number.NEGATIVE_INFINITY, ...bounds.map(lower)),
      until: latest(last),
    };
  }

  /** A killed run's last requests left before the next run began, which had to wait for its lock. */
  function latest(attempt: Attempt): number {
    const start = starts[attempt.session + 1];
    const end: Attempt | undefined = attempt.end
      ? { ...attempt.end, session: attempt.session }
      : start && { ...start, session: attempt.session + 1 };
    const bounds = end ? lowerBounds(end, samples, jitter) : [];
    return bounds.length ? Math.max(...bounds.map(({ value }) => value)) + LATE_MS : Number.POSITIVE_INFINITY;
  }

  return { see, window, session: () => starts.length - 1 };
}

/** What the service's clock showed at least at that moment, by the best witnesses there are. */
function lowerBounds(moment: Attempt, samples: readonly Sample[], jitter: number): { value: number; slack: number }[] {
  const own = samples.filter(({ session }) => session === moment.session);
  const created = own.filter((sample) => sample.created); // the very clock that `created_at` is read from
  const earlier = samples.filter(({ session }) => session < moment.session);
  const bounds = (witnesses: readonly Sample[], slack: number) =>
    witnesses.flatMap((sample) => {
      const value = carry(sample, moment);
      return value === undefined ? [] : [{ value, slack }];
    });
  if (created.length) return bounds(created, CREATED_SLACK_MS + 2 * jitter);
  if (own.length) return bounds([...earlier, ...own], DATE_SLACK_MS);
  return bounds(samples, WALL_SLACK_MS);
}

/** A sample's value at another moment, never more than the truth. */
function carry(sample: Sample, { session, t, w }: Attempt): number | undefined {
  if (sample.session < session) return sample.value;
  if (sample.session === session && sample.t <= t) return sample.value + (t - sample.t);
  const byWall = sample.w - w;
  // The monotonic clock leaves out the machine's sleep and the wall clock may be set: the longer of the two is the safe one.
  if (sample.session === session) return sample.value - Math.max(sample.t - t, byWall);
  return byWall >= 0 ? sample.value - byWall : undefined;
}

/** A `created_at` without a fraction may lie anywhere in its second. */
export function resolutionMs(instant: string): number {
  return /[.,]\d/.test(instant) ? 1 : 1000;
}
