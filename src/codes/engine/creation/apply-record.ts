/** Applies a line of the journal to the state of its row. */
import type { NewCode } from '../../../service/shapes.ts';
import type { Seen } from './entries.ts';
import type { RowRecord, Stamp } from './journal-records.ts';
import type { Attempt } from './time-bounds.ts';

/** State of a row, as the journal records it. */
export interface RowState {
  /** The number of its entry. */
  row: number;
  /** Values when it was last seen. */
  seen: Seen | undefined;
  /** Values that an earlier run was changing its code to, without a recorded outcome. */
  changing?: Seen | undefined;
  /** Values when it was first seen: those that were sent, if any. Undefined if only the fingerprint is known. */
  code: NewCode | undefined;
  state:
    | 'open' /** Never sent, or certainly not created; may be sent. */
    | 'rejected' /** The service rejected the values; may be sent again. */
    | 'unknown' /** May or may not have created a code; must not be sent. */
    | 'created' /** The response contained its code. */
    | 'adopted' /** Its code was found in the listing, or specified by the user. */
    | 'exists' /** A code with its values was there before it was sent (--skip-existing). */;
  /** ID of its code; the row is done if it has one. */
  id?: string | undefined;
  slug?: string | undefined;
  /** Failure of its last request. */
  error?: string | undefined;
  /** Requests whose codes, if any, are not assigned yet; oldest first. A row that is done may have some as well. */
  attempts: readonly Attempt[];
  /** Ids of codes with the row's values that are known not to be its own: a set, shared by many rows, for each time they were looked for. */
  foreign: readonly ReadonlySet<string>[];
  /** Candidates that the user was shown last. */
  asked?: readonly string[] | undefined;
}

/** Shared by all rows that have none: mostly by all. */
const NONE: readonly never[] = [];

/** A row of which nothing is known. All its properties, because those that are added later take several times the memory. */
export function newState(row: number): RowState {
  const [seen, changing, code, id, slug, error, asked] = NONE;
  return { row, seen, changing, code, state: 'open', id, slug, error, attempts: NONE, foreign: NONE, asked };
}

/** Changes the state of a row according to the line. */
export function applyRecord(row: RowState, record: Exclude<RowRecord, { is: 'absent' | 'asked' }>, session: number): void {
  const { attempts } = row;
  const last = attempts.at(-1);
  switch (record.is) {
    case 'intent': // O4: unknown until more is written
      // The limiter may have turned an attempt away (429) and let it through again: only the last one counts.
      row.attempts = [
        ...(last && row.state === 'unknown' && last.session === session ? withoutLast(attempts) : attempts),
        { ...stampOf(record), session },
      ];
      Object.assign(row, { state: 'unknown', error: undefined });
      return;
    case 'unknown':
      if (last) last.end = stampOf(record);
      row.error = record.error;
      return;
    case 'created':
    case 'adopted':
      // O20: one of the requests without a response has its code now, and it is unknown which; the others may have created more.
      if (record.is === 'created' || attempts.length === 1) row.attempts = withoutLast(attempts);
      if (record.is === 'adopted' && record.before) row.foreign = [...row.foreign, new Set(record.before)]; // O11
      Object.assign(row, { state: record.is, id: record.id, slug: record.slug, error: undefined });
      return;
    case 'exists':
      Object.assign(row, { state: record.is, id: record.id, slug: record.slug, error: undefined });
      return;
    case 'rejected':
    case 'refused':
      row.attempts = withoutLast(attempts);
      Object.assign(row, { state: record.is === 'rejected' ? 'rejected' : 'open', error: record.error });
  }
}

function stampOf({ t, w, b, s }: Stamp): Stamp {
  return { t, w, b, s };
}

function withoutLast(attempts: readonly Attempt[]): readonly Attempt[] {
  return attempts.length > 1 ? attempts.slice(0, -1) : NONE;
}
