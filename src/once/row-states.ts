/** How far each row is, by the journal: what was sent, what came back, and who decided the rest. */
import type { AppendLog } from '../durable/append-log.ts';
import type { Clock } from '../time.ts';
import type { JournalRecord, RowRecord, Stamp } from './journal.ts';
import { type Attempt, type ClockEvidence, createClockEvidence } from './time-bounds.ts';

export interface RowState {
  row: number;
  state:
    | 'open' /** Never sent, or certainly not created; may be sent. */
    | 'rejected' /** The service rejected the values; may be sent again. */
    | 'unknown' /** May or may not have created a code; must not be sent. */
    | 'created' /** The service answered with its code. */
    | 'adopted' /** Its code was found in the listing, or named by a person. */
    | 'exists' /** A code with its values was there before it was sent (--skip-existing). */;
  /** Of its code; the row is done where there is one. */
  id?: string | undefined;
  slug?: string | undefined;
  /** What its last request met. */
  error?: string | undefined;
  /** Requests whose codes, if there are any, nobody has claimed; oldest first. */
  attempts: Attempt[];
  /** Ids of codes with the row's values that are known not to be its own. */
  foreignIds: Set<string>;
}

export interface RowStates {
  /** What the lines so far say of the service's clock. */
  readonly evidence: ClockEvidence;
  /** The state of a row, by its number. */
  of(row: number): RowState;
  all(): readonly RowState[];
  /** Ids of codes that rows of this file have. */
  claimedIds(): Set<string>;
  /** Takes in the next line of the journal. */
  take(record: JournalRecord): void;
}

/** A record as callers give it; the time is added here. */
type RowEvent = (RowRecord extends infer R ? (R extends RowRecord ? Omit<R, keyof Stamp> : never) : never) | { is: 'clock' };

/** The states, and the journal that keeps them. */
export interface RecordedStates extends RowStates {
  /** Ms since this session began, as in the journal's `t`. */
  elapsedMs(): number;
  /** Takes in and writes what happened. Resolved when it is on disk; wait where what follows depends on it. */
  record(events: readonly RowEvent[]): Promise<void>;
}

/** The clocks that lines are stamped with. */
export interface StampClocks {
  clock: Clock;
  /** The service's clock, if it was seen. */
  serviceNowMs: () => number | undefined;
  /** Ms since the machine was started. */
  uptimeMs: () => number;
}

/** The states of so many rows after these lines. */
export function replay(records: readonly JournalRecord[], rows: number): RowStates {
  const evidence = createClockEvidence();
  const all = Array.from({ length: rows }, (_, index): RowState => {
    return { row: index + 1, state: 'open', attempts: [], foreignIds: new Set() };
  });
  const of = (row: number) => {
    const found = all[row - 1];
    if (!found) throw new Error(`the journal speaks of row ${row} of ${rows}`);
    return found;
  };
  const take = (record: JournalRecord) => {
    evidence.add(record);
    if ('row' in record) apply(of(record.row), record, evidence.session());
  };
  for (const record of records) take(record);
  const claimedIds = () => new Set(all.flatMap(({ id }) => id ?? []));
  return { evidence, of, all: () => all, claimedIds, take };
}

/** The states that go on from what the journal holds; a new session begins with them. */
export async function openStates(
  journal: AppendLog<JournalRecord>,
  rows: number,
  { clock, serviceNowMs, uptimeMs }: StampClocks,
): Promise<RecordedStates> {
  const states = replay(journal.found, rows);
  const beganMs = clock.monotonic();
  const elapsedMs = () => Math.round(clock.monotonic() - beganMs);
  const record = (events: readonly (RowEvent | { is: 'session' })[]) => {
    const stamp: Stamp = { t: elapsedMs(), w: clock.now(), b: Math.round(uptimeMs()), s: serviceNowMs() };
    const records = events.map((event): JournalRecord => ({ ...event, ...stamp }));
    for (const line of records) states.take(line);
    return journal.append(records);
  };
  await record([{ is: 'session' }]);
  return { ...states, elapsedMs, record };
}

/** The meaning of each line for its row. */
function apply(row: RowState, record: RowRecord, session: number): void {
  const { attempts } = row;
  const last = attempts.at(-1);
  switch (record.is) {
    case 'intent': // O4: unknown until more is written
      // The limiter may have turned an attempt away (429) and let it through again: only the last one counts.
      if (last && row.state === 'unknown' && last.session === session) attempts.pop();
      attempts.push({ ...stampOf(record), session });
      Object.assign(row, { state: 'unknown', error: undefined });
      return;
    case 'unknown':
      if (last) last.end = stampOf(record);
      row.error = record.error;
      return;
    case 'created':
    case 'adopted':
    case 'exists':
      Object.assign(row, { state: record.is, id: record.id, slug: record.slug, error: undefined });
      return;
    case 'rejected':
    case 'refused':
      attempts.pop();
      Object.assign(row, { state: record.is === 'rejected' ? 'rejected' : 'open', error: record.error });
      return;
    case 'absent':
      // A person's decision is also about requests that could still land by the clock's reckoning.
      if (record.word) attempts.length = 0;
      // O11: remembered for all later runs.
      for (const id of record.before) row.foreignIds.add(id);
      row.state = 'open';
  }
}

function stampOf({ t, w, b, s }: Stamp): Stamp {
  return { t, w, b, s };
}
