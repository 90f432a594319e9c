/** Replays the journal into the state of each row: its values, its requests, their outcomes, and later decisions. */
import { inChunks } from '../../../base/collections/in-chunks.ts';
import type { Clock } from '../../../base/time/time.ts';
import type { LogWriter } from '../../../files/durable/append-log.ts';
import { createAnsweredRequests } from './answered-requests.ts';
import { applyRecord, newState, type RowState } from './apply-record.ts';
import { type ChangingRecord, type EntriesRecord, fromRuns, hasContent, type OrderRecord, type Seen } from './entries.ts';
import type { JournalRecord, RowRecord, Stamp } from './journal-records.ts';
import { type Attempt, type ClockEvidence, createClockEvidence } from './time-bounds.ts';

export interface RowStates {
  /** Evidence of the lines so far about the service's clock. */
  readonly evidence: ClockEvidence;
  /** The state of a row, by its number. */
  of(row: number): RowState;
  all(): readonly RowState[];
  /** The rows that the input had, in its order. */
  order(): number[];
  /** As it was recorded; undefined if it never was. */
  runs(): readonly number[] | undefined;
  /** IDs of the codes of this file's rows, in the order in which the journal recorded them. */
  claimedIds(): Set<string>;
  /** The row of this file that has the code with this id. */
  ownerOf(id: string): number | undefined;
  /** Request of the newest run whose response contained the row's code. */
  answeredOf(row: number): Attempt | undefined;
  /** IDs of all codes in lines, also if the row has another by now. */
  knownIds(): Iterable<string>;
  knows(id: string): boolean;
  /** Longest duration of a request, until its response or its failure. */
  slowestMs(): number;
  /** Newest request whose response was lost, whatever happened to its row. */
  newestLost(): Attempt | undefined;
  /** Takes in the next line of the journal. */
  take(record: JournalRecord): void;
}

/** A record as callers give it; the time is added here. */
type RowEvent = (RowRecord extends infer R ? (R extends RowRecord ? Omit<R, keyof Stamp> : never) : never) | { is: 'clock' };

/** The states, and the journal that keeps them. */
export interface RecordedStates extends RowStates {
  /** Ms since this session began, as in the journal's `t`. */
  elapsedMs(): number;
  /** Applies and writes a record. Resolves when it, and all earlier notes, are on disk. */
  record(events: readonly RowEvent[]): Promise<void>;
  /** Like `record`, if no caller waits: it is on disk with the next record. */
  note(events: readonly RowEvent[]): void;
  /** Like `record`, for the values of the input. */
  learn(records: readonly InputRecord[]): Promise<void>;
}

/** Record that the journal learns from the input. */
export type InputRecord = EntriesRecord | ChangingRecord | OrderRecord;

/** The clocks that lines are stamped with. */
interface StampClocks {
  clock: Clock;
  /** The service's clock, if it was seen. */
  serviceNowMs: () => number | undefined;
  /** Ms since the machine was started. */
  uptimeMs: () => number;
}

/** O4: whether a row may be sent, for the first time or again. One of unknown outcome may not, nor one that has its code. */
export function mayBeSent({ state }: RowState): boolean {
  return state === 'open' || state === 'rejected';
}

/** O12, O20: whether the outcome is the user's to decide: unknown, or the row was sent again and may have a duplicate code. */
export function isDoubtful(state: RowState | undefined): boolean {
  return state !== undefined && (state.state === 'unknown' || (state.id !== undefined && state.attempts.length > 0));
}

/** Replays these lines into states, of at least `rows` rows. */
export function replay(records: readonly JournalRecord[], rows = 0): RowStates {
  const evidence = createClockEvidence();
  const all: RowState[] = [];
  const at = (row: number): RowState => {
    for (let next = all.length + 1; next <= row; next++) {
      all.push(newState(next));
    }
    return of(row);
  };
  const of = (row: number) => {
    const found = all[row - 1];
    if (!found) throw new Error(`the journal speaks of row ${row} of ${all.length}`);
    return found;
  };
  if (rows > 0) at(rows);
  const owners = new Map<string, number>();
  /** Ids that lines speak of, and no row has. */
  const others = new Set<string>();
  const answered = createAnsweredRequests();
  const printed = { rows: 0 };
  let runs: readonly number[] | undefined;
  const see = (row: RowState, seen: Seen) => {
    row.seen = seen;
    row.changing = undefined;
    // Its values are those of a POST, and a copy would be one more for each row.
    row.code ??= hasContent(seen) ? seen : undefined;
    if (seen.id === undefined) return;
    if (row.id !== undefined) {
      others.add(seen.id);
      return;
    }
    Object.assign(row, { state: 'exists', id: seen.id, slug: seen.slug ?? seen.id });
    owners.set(seen.id, row.row);
  };
  let slowestMs = 0;
  let newestLost: Attempt | undefined;
  const begin = () => {
    answered.clear();
    for (const row of all) {
      if (row.id !== undefined || row.attempts.length === 0) continue;
      // O21: a code that was missing in the listing of the last run may be visible by now.
      row.state = 'unknown';
      const last = row.attempts.at(-1);
      // In flight when that run died: newer than all its requests whose responses were lost.
      if (last && !last.end && last.session === evidence.session() - 1) newestLost = last;
    }
  };
  const take = (record: JournalRecord) => {
    evidence.add(record);
    if (record.is === 'session') begin();
    else if (record.is === 'rows') for (const all of record.hashes) see(at(++printed.rows), { all });
    else if (record.is === 'order') runs = record.runs;
    else if (record.is === 'changing') of(record.entry).changing = record.seen;
    else if (record.is === 'entries') for (const [index, seen] of record.seen.entries()) see(at(record.first + index), seen);
    if (!('row' in record)) return;
    const row = of(record.row);
    const sent = row.attempts.at(-1);
    const isEnd = record.is === 'created' || record.is === 'unknown';
    if (isEnd && sent?.session === evidence.session()) slowestMs = Math.max(slowestMs, record.t - sent.t);
    if (record.is === 'unknown') newestLost = sent;
    if (record.is !== 'absent' && record.is !== 'asked') {
      if (record.is === 'created' && sent) answered.set(row.row, sent, record);
      applyRecord(row, record, evidence.session());
      if (row.id !== undefined) owners.set(row.id, row.row);
      return;
    }
    const alike = [record.row, ...(record.more ?? [])].map(of);
    if (record.is === 'asked') {
      for (const asked of alike) {
        asked.asked = record.candidates;
        // O29: from now on it counts as sent more than once, for the user and for later runs.
        const request = answered.of(asked.row);
        if (asked.attempts.length === 0 && request) asked.attempts = [request];
      }
      return;
    }
    // O11: remembered for all later runs.
    const before = new Set(record.before);
    for (const absent of alike) {
      absent.foreign = [...absent.foreign, before];
      if (absent.id === undefined) absent.state = 'open';
    }
  };
  for (const record of records) take(record);
  const claimedIds = () => {
    const ids = new Set<string>();
    for (const [id, row] of owners) if (of(row).id === id) ids.add(id);
    return ids;
  };
  const ownerOf = (id: string) => owners.get(id);
  const order = () => (runs ? fromRuns(runs, all.length) : all.map(({ row }) => row));
  return {
    ...{ evidence, of, all: () => all, order, runs: () => runs, claimedIds, ownerOf, answeredOf: answered.of },
    knownIds: () => [...owners.keys(), ...others],
    knows: (id) => owners.has(id) || others.has(id),
    ...{ slowestMs: () => slowestMs, newestLost: () => newestLost, take },
  };
}

/** An open journal and the states it records. */
export interface JournalStates extends Pick<LogWriter<JournalRecord>, 'append' | 'note'> {
  readonly states: RowStates;
}

/** Resumes the states from the journal, and begins a new session. */
export async function openStates(
  journal: JournalStates,
  { clock, serviceNowMs, uptimeMs }: StampClocks,
): Promise<RecordedStates> {
  const { states } = journal;
  const beganMs = clock.monotonic();
  const elapsedMs = () => Math.round(clock.monotonic() - beganMs);
  const take = (events: readonly (RowEvent | { is: 'session' })[]) => {
    const [t, w, b, s] = [elapsedMs(), clock.now(), Math.round(uptimeMs()), serviceNowMs()];
    const stamp: Stamp = { t, w, b, s };
    // node20: a spread followed by more properties takes fifteen times as long.
    const records = events.map((event): JournalRecord => Object.assign({}, event, stamp));
    for (const line of records) states.take(line);
    return records;
  };
  // On disk with the next record: nothing is sent before that.
  journal.note(take([{ is: 'session' }]));
  return {
    ...states,
    elapsedMs,
    record: (events) => journal.append(take(events)),
    note: (events) => journal.note(take(events)),
    async learn(records) {
      for (const record of records) states.take(record);
      for (const lines of inChunks(records, LINES_AT_ONCE)) await journal.append(lines);
    },
  };
}

/** Lines of entries are long: the text of all of a million rows is never in memory at once. */
const LINES_AT_ONCE = 20;
