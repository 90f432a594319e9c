/** What a journal of creation says, line by line. */

/** When a line was written, on three clocks, because none of them can be trusted across a kill, a sleep or a wrong setting. */
export interface Stamp {
  /** Ms since this session began, monotonic; stands still while the machine sleeps. */
  t: number;
  /** The machine's wall clock, ms since the epoch; may be wrong or be set meanwhile. */
  w: number;
  /** Ms since the machine was started: counts its sleep, knows no settings, and goes on from one run to the next. */
  b: number;
  /** The service's clock, ms since the epoch: a lower bound from its Date headers, where one was seen yet. */
  s?: number | undefined;
}

export type JournalRecord =
  /** First line: what the journal is bound to. */
  | { is: 'journal'; version: 1; baseUrl: string; of?: 'deletion' }
  /** Fingerprints of the input's rows, in order; a further line where rows were added later. */
  | { is: 'rows'; hashes: string[] }
  /** A run begins; `t` of the lines below counts from here. Whoever wrote the lines above is dead by now: we hold the lock. */
  | ({ is: 'session' } & Stamp)
  /** POST for this row is about to be sent. */
  | ({ is: 'intent'; row: number } & Stamp)
  /** The service answered with this code; `at` is its `created_at`. */
  | ({ is: 'created'; row: number; id: string; slug: string; at: string } & Stamp)
  /** This code of the listing is the row's: found again after an unknown outcome, or there before (--skip-existing). */
  | ({ is: 'adopted' | 'exists'; row: number; id: string; slug: string } & Stamp)
  /** The service refused the row's values. */
  | ({ is: 'rejected'; row: number; error: string } & Stamp)
  /** Certainly not created, for a reason that is not the row's. */
  | ({ is: 'refused'; row: number; error: string } & Stamp)
  /** The answer did not say whether the code was created. */
  | ({ is: 'unknown'; row: number; error: string } & Stamp)
  /** A listing after the settle time has no code for the row, or a person says so. `before`: codes like it that are not its own. */
  | ({ is: 'absent'; row: number; before: string[]; word: boolean } & Stamp)
  /** The service was asked for nothing but its clock, or for the listing. */
  | ({ is: 'clock' } & Stamp);

export type RowRecord = Extract<JournalRecord, { row: number }>;
