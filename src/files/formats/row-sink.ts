/** Scan, preceded by `qr_id`, `qr_slug`, `qr_name` if several codes share one output. */
export type Row = Readonly<Record<string, unknown>>;

export interface TimedRows {
  readonly rows: readonly Row[];
  readonly times: readonly number[];
}

/** Resolves to false if rows were printed. */
export type Rewind = () => Promise<boolean>;

export interface RowSink<Batch = readonly Row[]> {
  /** Resolves to the number added, without rows that the sink contains. */
  write(batch: Batch): Promise<number>;
  /** In a shared sink, a writer calls it when its own rows begin. */
  checkpoint(): Promise<Rewind>;
  /** Called once, after all rows are verified. */
  commit(): Promise<void>;
  /**
   * A replaced file keeps its old content, an appended file commits its rows. Idempotent, without effect
   * after `commit`.
   */
  discard(): Promise<void>;
}

export interface CodeSink extends RowSink<TimedRows> {
  /** Undefined: from the first scan. */
  readonly sinceMs: number | undefined;
  sinceFor?(endMs: number): number | undefined;
  added(): number;
}
