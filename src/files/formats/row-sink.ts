/**
 * Destination of rows: standard output, a file that is replaced or appended to, or one code's share of it.
 * The export core knows nothing else about files and formats.
 */

/**
 * Row as it is written: a scan, preceded by `qr_id`, `qr_slug`, `qr_name` if several codes share one output.
 */
export type Row = Readonly<Record<string, unknown>>;

/** Scans as they flow through an export: `times[i]` is the time of `rows[i]` in ms since the epoch. */
export interface TimedRows {
  readonly rows: readonly Row[];
  readonly times: readonly number[];
}

/**
 * Rolls back to a checkpoint; may be called repeatedly. True: the rows written since are gone or, in a file
 * that is appended to, dropped when they are written again. False: they were printed.
 */
export type Rewind = () => Promise<boolean>;

export interface RowSink<Batch = readonly Row[]> {
  /** Adds rows, in order. Resolves to the number added, which is less only if the sink contains some of them already. */
  write(batch: Batch): Promise<number>;
  /**
   * Remembers this point. Each writer in a shared sink takes its checkpoint when its own rows begin: before,
   * another may still be writing.
   */
  checkpoint(): Promise<Rewind>;
  /** Ends the document after all rows are verified, and puts its file in place. Called once. */
  commit(): Promise<void>;
  /**
   * Handles a failure: a replaced file keeps its old content, an appended file commits the rows written so
   * far, which the next run recognizes. Idempotent, and without effect after `commit`.
   */
  discard(): Promise<void>;
}

/** Sink for the scans of one code. */
export interface CodeSink extends RowSink<TimedRows> {
  /** Start of the range, ms since the epoch; undefined: from the first scan. */
  readonly sinceMs: number | undefined;
  /**
   * Returns that start once the end is known: a file may reach beyond it. Throws UsageError or UnprovenError
   * if no range can be requested.
   */
  sinceFor?(endMs: number): number | undefined;
  /** Returns the number of this code's new rows in the output. */
  added(): number;
}
