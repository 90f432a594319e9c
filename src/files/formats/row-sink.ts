/** Row of an output: a scan, preceded by `qr_id`, `qr_slug`, `qr_name` if several codes share one output. */
export type Row = Readonly<Record<string, unknown>>;

/** Scans in an export: `times[i]` is the time of `rows[i]` in ms since the epoch. */
export interface TimedRows {
  readonly rows: readonly Row[];
  readonly times: readonly number[];
}

/**
 * Rolls back to a checkpoint; may be called repeatedly. False if the rows since then were printed. In a file
 * that is appended to, they are dropped when they are written again.
 */
export type Rewind = () => Promise<boolean>;

export interface RowSink<Batch = readonly Row[]> {
  /** Adds rows in order. Resolves to the number added, without those that the sink already contains. */
  write(batch: Batch): Promise<number>;
  /** Marks a point to roll back to. In a shared sink, a writer calls it when its own rows begin. */
  checkpoint(): Promise<Rewind>;
  /** Ends the document after all rows are verified, and renames its file into place. Called once. */
  commit(): Promise<void>;
  /**
   * Handles a failure: a replaced file keeps its old content, an appended file commits the rows written so
   * far, which the next run recognizes. Idempotent, without effect after `commit`.
   */
  discard(): Promise<void>;
}

/** Sink for the scans of one code. */
export interface CodeSink extends RowSink<TimedRows> {
  /** Start of the range, ms since the epoch; undefined: from the first scan. */
  readonly sinceMs: number | undefined;
  /**
   * Returns the start for a given end, which the file may exceed. Throws UsageError or UnprovenError if no
   * range can be requested.
   */
  sinceFor?(endMs: number): number | undefined;
  /** Number of new rows of this code. */
  added(): number;
}
