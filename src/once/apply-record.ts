/** What a line of the journal means for its row. */
import type { RowRecord, Stamp } from './journal-records.ts';
import type { RowState } from './row-states.ts';
import type { Attempt } from './time-bounds.ts';

/** Shared by all rows that have none: mostly by all. */
const NONE: readonly never[] = [];

/** A row of which nothing is known. All its properties, because those that are added later take several times the memory. */
export function newState(row: number): RowState {
  const [seen, changing, code, id, slug, error, asked] = NONE;
  return { row, seen, changing, code, state: 'open', id, slug, error, attempts: NONE, foreign: NONE, asked };
}

/** Changes the state of a row as the line says. */
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
      // O20: one request has its code now, of those without an answer nobody knows which; the others may have created more.
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
