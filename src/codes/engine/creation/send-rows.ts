/** Sends rows as POSTs, in parallel: for each row the intent on disk, the request, the outcome on disk. */
import {
  AuthError,
  messageOf,
  PlanLimitError,
  RateLimitError,
  RejectedError,
  RequestFailure,
  UnexpectedAnswerError,
} from '../../../base/errors.ts';
import { inParallel } from '../../../base/parallel/in-parallel.ts';
import type { Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { NewRow } from './new-row.ts';
import type { RecordedStates } from './row-states.ts';
import { valuesKey } from './same-values.ts';

export interface SendOptions {
  states: RecordedStates;
  service: Pick<Service, 'createCode'>;
  /** Signal of the command; if it is aborted, a response may be lost. */
  signal: AbortSignal;
  /** Rows in flight at once; the rate limit is the service's own affair. */
  concurrency: number;
  /** Stops at the first row whose values the service rejects. */
  failFast: boolean;
  onSent: (sent: { is: 'created' | 'rejected' | 'unknown'; row: number }) => void;
  /** Names a row, also one that is not sent now, as users see it. */
  nameOf: (row: number) => string;
  /** Told of a code that came back with other values than were sent. */
  onAltered: (row: NewRow, code: QrCode) => void;
}

/** Reason why no more rows were sent, if any. */
export interface SendEnd {
  /** A failure that would meet every row, or the reason of an interruption. */
  stop: unknown;
  /** The row that met it, if one was sent. */
  stopRow: number | undefined;
  /** Failure behind the newest lost response. */
  lastError: unknown;
}

/** How a row's request ended. `stop`: the reason to send no other row either. */
type Sent =
  | { is: 'created' }
  /** Its values were rejected. */
  | { is: 'rejected'; error: RejectedError }
  /** Certainly not created, for a reason other than the row's values; if it was not tried, it was not even sent. */
  | { is: 'not-created'; stop?: unknown; tried?: boolean }
  | { is: 'unknown'; error: unknown; stop?: unknown };

/** O17: this many lost responses in a row are no coincidence; their outcome is checked first. */
const MOST_LOST_IN_A_ROW = 10;

/** Error of the own hook that keeps a row from being sent. */
class NotSent extends Error {}

/** Sends rows until all are sent or a reason comes up to stop; then all of it is on disk. Throws only when the journal cannot be written. */
export async function sendRows(rows: readonly NewRow[], options: SendOptions): Promise<SendEnd> {
  const { signal, onSent, failFast } = options;
  const end: SendEnd = { stop: undefined, stopRow: undefined, lastError: undefined };
  let lost = 0;
  const stop = (reason: unknown, row?: number) => {
    if (end.stop === undefined) Object.assign(end, { stop: reason, stopRow: row });
  };
  const stopped = () => end.stop !== undefined || lost >= MOST_LOST_IN_A_ROW || signal.aborted;

  /** Told before the outcome is on disk: a reason to stop must not wait for a flush. */
  const ended = (row: number, sent: Sent) => {
    if (sent.is === 'not-created') return stop(sent.stop, sent.tried ? row : undefined);
    lost = sent.is === 'unknown' ? lost + 1 : 0;
    onSent({ is: sent.is, row });
    if (sent.is === 'rejected' && failFast) stop(sent.error, row);
    if (sent.is !== 'unknown') return;
    end.lastError = sent.error;
    stop(sent.stop, row);
  };

  const intents = createIntents(rows, options.states, INTENTS_AHEAD * options.concurrency);
  await inParallel(
    rows.entries(),
    options.concurrency,
    ([at, row]) => sendRow(row, { ...options, intend: () => intents.intend(row, at), stopped, ended }),
    stopped,
  );
  await intents.takeBack();
  stop(signal.reason); // undefined without an interruption
  return end;
}

/**
 * Number of rows per request in flight whose intents are written together: the flush is the cost, and after a kill each of them has to be
 * looked up.
 */
const INTENTS_AHEAD = 3;
/** An older intent, for example from before a pause for the rate limit, shows too little about when its row was sent. */
const FRESH_MS = 5000;

/** O1: writes the intents of rows and of the next ones in one flush, which starts before the rows of the last one are all sent. */
function createIntents(rows: readonly NewRow[], states: RecordedStates, width: number) {
  /** By row. */
  const ahead = new Map<number, { written: Promise<void>; atMs: number }>();
  /** Rows from this position on were never requested; those before it may have been sent. */
  let end = 0;

  /** Resolved when the intents of these rows, and of those that come next up to this place, are on disk. */
  function write(due: readonly number[], to: number, atMs: number): Promise<void> {
    const next = rows.slice(end, to).map(({ row }) => row);
    end = Math.max(end, to);
    const written = states.record([...due, ...next].map((row) => ({ is: 'intent', row })));
    written.catch(() => undefined); // rejects the calls that wait for it
    for (const row of next) ahead.set(row, { written, atMs });
    return written;
  }

  return {
    /** Resolved when the intent of this row, which is at this place, is on disk. */
    intend({ row }: NewRow, at: number): Promise<void> {
      const known = ahead.get(row);
      ahead.delete(row);
      const atMs = states.elapsedMs();
      const ageMs = known ? atMs - known.atMs : Number.POSITIVE_INFINITY;
      // Where rows go out quickly the disk works while they do; slow ones would find the next intents too old.
      const isAheadWorth = ageMs <= FRESH_MS / 2 && end - at < width && end < rows.length;
      if (isAheadWorth) write([], end + width, atMs);
      if (known && ageMs <= FRESH_MS) return known.written;
      end = Math.max(end, at + 1);
      return write([row], at + width, atMs);
    },
    /** Records that the rows which had an intent, and were not sent, are as they were. Resolved when all is on disk. */
    takeBack(): Promise<void> {
      const left = [...ahead.keys()];
      ahead.clear();
      return states.record(left.map((row) => ({ is: 'refused', row, error: 'not sent' })));
    },
  };
}

interface Sender extends SendOptions {
  /** Resolved when the row's intent is on disk. */
  intend: () => Promise<void>;
  /** True once nothing more may be sent. */
  stopped: () => boolean;
  ended: (row: number, sent: Sent) => void;
}

async function sendRow(
  newRow: NewRow,
  { states, service, signal, intend, stopped, ended, nameOf, onAltered }: Sender,
): Promise<void> {
  const { row, code } = newRow;
  let intended = false;
  const refuseWhenStopped = () => {
    if (stopped()) throw new NotSent('not sent');
  };
  const beforeSend = async () => {
    refuseWhenStopped(); // O16: it may have waited a minute for the rate limit
    intended = true;
    // O1: waits for the disk.
    await intend();
    refuseWhenStopped(); // O16: the disk may have been slow
  };

  const answer = await service.createCode(code, beforeSend).catch((error) => ({ error }));
  if (!('error' in answer)) {
    const { id, slug, created_at } = answer;
    const owner = states.ownerOf(id);
    if (owner !== undefined) {
      // O10: the response does not show what happened to this row.
      const error = new UnexpectedAnswerError(`the service returned the code of ${nameOf(owner)} (${id})`);
      ended(row, { is: 'unknown', error });
      return states.record([{ is: 'unknown', row, error: error.message }]);
    }
    ended(row, { is: 'created' });
    if (valuesKey(answer) !== valuesKey(code)) onAltered(newRow, answer);
    // It goes to disk with the next intent: lost with the machine's power before, it is an unknown outcome, which O4 is made for.
    return states.note([{ is: 'created', row, id, slug, at: created_at }]);
  }
  const { error } = answer;
  if (!intended) return ended(row, { is: 'not-created', stop: error instanceof NotSent ? undefined : error });
  const sent = classify(error, signal);
  ended(row, sent);
  // O2: a journal that has failed once fails permanently, so this ends the run also if writing the intent failed.
  return states.record([{ is: sent.is === 'not-created' ? 'refused' : sent.is, row, error: messageOf(error) }]);
}

/** O3: the meaning of a failed request for its row. */
function classify(error: unknown, signal: AbortSignal): Exclude<Sent, { is: 'created' }> {
  if (error instanceof NotSent) return { is: 'not-created' };
  if (!(error instanceof RequestFailure)) return { is: 'unknown', error, stop: signal.aborted ? signal.reason : error };
  if (error.outcome === 'not-applied') {
    if (error instanceof RejectedError) return { is: 'rejected', error };
    return { is: 'not-created', stop: error, tried: !(error instanceof RateLimitError) };
  }
  const hopeless = error instanceof PlanLimitError || error instanceof AuthError;
  return { is: 'unknown', error, ...(hopeless && { stop: error }) };
}
