/** Scan, preceded by `qr_id`, `qr_slug`, `qr_name` if several codes share one output. */
export type Row = Readonly<Record<string, unknown>>;

/** `times[i]` is the time of `rows[i]` in ms since the epoch. */
export interface TimedRows {
  readonly rows: readonly Row[];
  readonly times: readonly number[];
}

/**
 * May be called repeatedly. False if rows were printed. In a file that is appended to, they are dropped when
 * they are written again.
 */
export type Rewind = () => Promise<boolean>;

export interface RowSink<Batch = readonly Row[]> {
  /** Resolves to the number added, without those that the sink already contains. */
  write(batch: Batch): Promise<number>;
  /** In a shared sink, a writer calls it when its own rows begin. */
  checkpoint(): Promise<Rewind>;
  /** Called once, after all rows are verified. */
  commit(): Promise<void>;
  /**
   * A replaced file keeps its old content, an appended file commits the rows so far. Idempotent, without
   * effect after `commit`.
   */
  discard(): Promise<void>;
}

export interface CodeSink extends RowSink<TimedRows> {
  /** In ms since the epoch; undefined: from the first scan. */
  readonly sinceMs: number | undefined;
  /** Throws UsageError or UnprovenError if no range can be requested. */
  sinceFor?(endMs: number): number | undefined;
  added(): number;
}
