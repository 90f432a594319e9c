/** Scan, preceded by `qr_id`, `qr_slug`, `qr_name` if several codes share one output. */
export type Row = Readonly<Record<string, unknown>>;

export interface TimedRows {
  readonly rows: readonly Row[];
  readonly times: readonly number[];
}

/** Removes the rows written since; resolves to false if they were printed. */
export type Rewind = () => Promise<boolean>;

export interface RowSink<Batch = readonly Row[]> {
  /** Adds rows; resolves to their number, without those that the sink already contains. */
  write(batch: Batch): Promise<number>;
  /** Marks the place to rewind to. In a shared sink, a writer calls it before its own rows. */
  checkpoint(): Promise<Rewind>;
  /** Completes the output. Called once, after all rows are verified. */
  commit(): Promise<void>;
  /**
   * Gives up: a replaced file keeps its old content, an appended file commits its rows. Idempotent, no effect
   * after `commit`.
   */
  discard(): Promise<void>;
}

export interface CodeSink extends RowSink<TimedRows> {
  /** Start of the scans to write; undefined: from the first scan. */
  readonly sinceMs: number | undefined;
  sinceFor?(endMs: number): number | undefined;
  added(): number;
}
