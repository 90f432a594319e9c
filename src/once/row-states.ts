/** Where every row stands, by the journal: what was sent, what came back, and whose word settled the rest. */

import type { JournalFile } from '../durable/append-log.ts';
import type { Clock } from '../time.ts';
import type { JournalRecord, RowRecord, Stamp } from './records.ts';
import { type Attempt, createTimeline, type Timeline } from './timeline.ts';

type State =
  /** Never sent, or certainly not created; may be sent. */
  | 'open'
  /** The service refused the values; may be sent again. */
  | 'rejected'
  /** May or may not have created a code. */
  | 'unknown'
  | 'created'
  | 'adopted'
  | 'exists';

export interface Standing {
  row: number;
  state: State;
  id?: string | undefined;
  slug?: string | undefined;
  error?: string | undefined;
  /** Requests whose codes, if there are any, nobody has claimed; oldest first. */
  attempts: Attempt[];
  /** Ids of codes with the row's values that are known not to be its own. */
  before: Set<string>;
}

/** A record of a row as callers give it; the ledger knows the time. */
type RowEvent = RowRecord extends infer R ? (R extends RowRecord ? Omit<R, keyof Stamp> : never) : never;

export interface Ledger {
  readonly timeline: Timeline;
  standing(row: number): Standing;
  all(): readonly Standing[];
  /** Ids of codes that rows of this file have. */
  claimed(): Set<string>;
  /** Ms since this session began, as in the journal's `t`. */
  elapsedMs(): number;
  /** Writes what happened and takes it in. Resolved when it is on disk; wait where what follows depends on it. */
  record(...events: (RowEvent | { is: 'clock' })[]): Promise<void>;
}

/** A ledger that goes on from what the journal holds; a new session begins with it. */
export async function openLedger(options: {
  journal: JournalFile<JournalRecord>;
  rows: number;
  clock: Clock;
  serviceNowMs: () => number | undefined;
  /** Ms since the machine was started. */
  uptimeMs: () => number;
}): Promise<Ledger> {
  const { journal, clock, serviceNowMs, uptimeMs } = options;
  const timeline = createTimeline();
  const standings = Array.from({ length: options.rows }, (_, index) => newStanding(index + 1));
  const began = clock.monotonic();
  const elapsedMs = () => Math.round(clock.monotonic() - began);

  function standing(row: number): Standing {
    const found = standings[row - 1];
    if (!found) throw new Error(`the journal speaks of row ${row} of ${standings.length}`);
    return found;
  }

  function take(record: JournalRecord): void {
    timeline.see(record);
    if ('row' in record) apply(standing(record.row), record, timeline.session());
  }

  function write(events: readonly (RowEvent | { is: 'clock' } | { is: 'session' })[]): Promise<void> {
    const stamp: Stamp = { t: elapsedMs(), w: clock.now(), b: Math.round(uptimeMs()), s: serviceNowMs() };
    const records = events.map((event): JournalRecord => ({ ...event, ...stamp }));
    for (const record of records) take(record);
    return journal.append(records);
  }

  for (const record of journal.found) take(record);
  await write([{ is: 'session' }]);
  return {
    timeline,
    standing,
    all: () => standings,
    claimed: () => new Set(standings.flatMap(({ id }) => id ?? [])),
    elapsedMs,
    record: (...events) => write(events),
  };
}

function newStanding(row: number): Standing {
  return { row, state: 'open', attempts: [], before: new Set() };
}

function stampOf({ t, w, b, s }: Stamp): Stamp {
  return { t, w, b, s };
}

/** The meaning of each line for its row. */
function apply(standing: Standing, record: RowRecord, session: number): void {
  const { attempts } = standing;
  const last = attempts.at(-1);
  switch (record.is) {
    case 'intent':
      // The limiter may have turned an attempt away (429) and let it through again: only the last one counts.
      if (last && standing.state === 'unknown' && last.session === session) attempts.pop();
      attempts.push({ ...stampOf(record), session });
      Object.assign(standing, { state: 'unknown', error: undefined });
      return;
    case 'unknown':
      if (last) last.end = stampOf(record);
      standing.error = record.error;
      return;
    case 'created':
    case 'adopted':
    case 'exists':
      Object.assign(standing, { state: record.is, id: record.id, slug: record.slug, error: undefined });
      return;
    case 'rejected':
    case 'refused':
      attempts.pop();
      Object.assign(standing, { state: record.is === 'rejected' ? 'rejected' : 'open', error: record.error });
      return;
    case 'absent':
      // A person's word also settles requests that could still land by the clock's reckoning.
      if (record.word) attempts.length = 0;
      for (const id of record.before) standing.before.add(id);
      standing.state = 'open';
  }
}
