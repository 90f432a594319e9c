/** Records of the journal, between the lines of its envelope. The keys and words are a format on disk: journals of older versions contain them. */
import type { ChangingRecord, EntriesRecord, OrderRecord } from './entries.ts';

/** Time of a line on three clocks, because none of them is reliable across a kill, a sleep or a wrong setting. */
export interface Stamp {
  /** Ms since this session began, monotonic; stops while the machine sleeps. */
  t: number;
  /** The machine's wall clock, ms since the epoch; may be wrong or be set meanwhile. */
  w: number;
  /** Ms since the machine was started: includes its sleep, unaffected by clock changes, and continues across runs. */
  b: number;
  /** The service's clock, ms since the epoch: a lower bound from its Date headers, if there was one. */
  s?: number | undefined;
}

export type JournalRecord =
  /** In version 1: fingerprints of the next entries. */
  | { is: 'rows'; hashes: string[] }
  /** Entries from `first` on: new ones, or new values of known ones. */
  | EntriesRecord
  | ChangingRecord
  /** Which entries the input has, in its order; without this line it has all of them in theirs. */
  | OrderRecord
  /** A run begins; `t` of the lines below counts from here. Whoever wrote the lines above is dead by now: we hold the lock. */
  | ({ is: 'session' } & Stamp)
  /** POST for this row is about to be sent. */
  | ({ is: 'intent'; row: number } & Stamp)
  /** The response contained this code; `at` is its `created_at`. */
  | ({ is: 'created'; row: number; id: string; slug: string; at: string } & Stamp)
  /**
   * This code of the listing is the row's: found after an unknown outcome, or specified by the user, who was shown others (`before`) that
   * are not.
   */
  | ({ is: 'adopted'; row: number; id: string; slug: string; before?: string[] } & Stamp)
  /** This code of the listing is the row's: it was there before (--skip-existing). */
  | ({ is: 'exists'; row: number; id: string; slug: string } & Stamp)
  /** The service rejected the row's values. */
  | ({ is: 'rejected'; row: number; error: string } & Stamp)
  /** Certainly not created, for a reason that is not the row's. */
  | ({ is: 'refused'; row: number; error: string } & Stamp)
  /** The response did not show whether the code was created. */
  | ({ is: 'unknown'; row: number; error: string } & Stamp)
  /**
   * The row, and `more` with the same values, created no code: a listing after the visibility delay lacks it, or (`word`) the user decided
   * so. `before`: IDs of codes with its values that are not its own.
   */
  | ({ is: 'absent'; row: number; before: string[]; word: boolean; more?: number[] } & Stamp)
  /** A person was shown these codes: they could be the row's, and that of `more` with the same values. */
  | ({ is: 'asked'; row: number; candidates: string[]; more?: number[] } & Stamp)
  /** A request only for the service's clock, or for the listing. */
  | ({ is: 'clock' } & Stamp);

export type RowRecord = Extract<JournalRecord, { row: number }>;

/** Row and its code, as listed in results. */
export interface ListedCode {
  readonly row: number;
  readonly id: string;
}
