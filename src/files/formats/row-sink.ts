/** Scan, preceded by `qr_id`, `qr_slug`, `qr_name` if several codes share one output. */
export type Row = Readonly<Record<string, unknown>>;

/** Scans; `times[i]` is the time of `rows[i]` in ms since the epoch. */
export interface TimedRows {
  readonly rows: readonly Row[];
  readonly times: readonly number[];
}

/**
 * Rolls back to a checkpoint; may be called repeatedly. False if rows were printed. In a file that is
 * appended to, they are dropped when they are written again.
 */
export type Rewind = () => Promise<boolean>;

export interface RowSink<Batch = readonly Row[]> {
  /** Adds rows in order. Resolves to the number added, without those that the sink already contains. */
  write(batch: Batch): Promise<number>;
  /** Marks a point to roll back to. In a shared sink, a writer calls it when its own rows begin. */
  checkpoint(): Promise<Rewind>;
  /** Renames the file into place, after all rows are verified. Called once. */
  commit(): Promise<void>;
  /**
   * Handles a failure: a replaced file keeps its old content, an appended file commits the rows so far, which
   * the next run recognizes. Idempotent, without effect after `commit`.
   */
  discard(): Promise<void>;
}

export interface CodeSink extends RowSink<TimedRows> {
  /** Start of the range, ms since the epoch; undefined: from the first scan. */
  readonly sinceMs: number | undefined;
  /** Returns the start for a given end. Throws UsageError or UnprovenError if no range can be requested. */
  sinceFor?(endMs: number): number | undefined;
  added(): number;
}
