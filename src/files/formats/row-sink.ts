/**
 * RowSink, the interface of every destination of rows: a list on standard output, a file that is replaced atomically, a file that is
 * appended to, and in an export the share that one code has of such a file. The export core knows nothing else about files and formats.
 */

/** A row as it is written: a scan, with `qr_id`, `qr_slug`, `qr_name` in front where several codes share one output. */
export type Row = Readonly<Record<string, unknown>>;

/** Scans as they flow through an export: `times[i]` is the time of `rows[i]` in ms since the epoch. */
export interface TimedRows {
  readonly rows: readonly Row[];
  readonly times: readonly number[];
}

/**
 * Rolls back to a checkpoint; may be called again, after more rows too. True: the rows written since are gone, or (in a file that is
 * appended to) will be recognized and dropped when they are written again. False: they can't be rolled back, because they were printed.
 */
export type Rewind = () => Promise<boolean>;

/** `Batch`: rows, or for scans rows with their times. */
export interface RowSink<Batch = readonly Row[]> {
  /** Adds rows, in order. Resolves to the number added, which is less only if the sink contains some of them already. */
  write(batch: Batch): Promise<number>;
  /**
   * Remembers this point. Of several writers in one sink each takes its checkpoint when its own rows begin, not when it is opened:
   * by then another may still be writing.
   */
  checkpoint(): Promise<Rewind>;
  /** Ends the document after all rows are verified, and puts its file in place. Call it once. */
  commit(): Promise<void>;
  /**
   * Handles a failure: a file that is replaced keeps its old content; a file that is appended to commits the rows written so far, which the
   * next run recognizes. Idempotent, and without effect after `commit`, so that it can be in a `finally`.
   */
  discard(): Promise<void>;
}

/** Sink for the scans of one code. */
export interface CodeSink extends RowSink<TimedRows> {
  /** From when on they are wanted, ms since the epoch; undefined: from the first one. */
  readonly sinceMs: number | undefined;
  /**
   * The same when the end of the range is known, ms since the epoch, if the bound may be earlier then: a file may reach beyond that end.
   * Throws UsageError or UnprovenError if no range can be requested.
   */
  sinceFor?(endMs: number): number | undefined;
  /** Rows of this code that are new in the output: fewer after a rewind, and after a discard those that stay. */
  added(): number;
}
