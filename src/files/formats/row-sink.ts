/** Values by column. Scans begin with `qr_id`, `qr_slug` and `qr_name` if codes share an output. */
export type Row = Readonly<Record<string, unknown>>;

export interface TimedRows {
  rows: readonly Row[];
  times: readonly number[];
}

/** Removes rows after the checkpoint. Resolves to false if they can no longer be removed. */
export type Rewind = () => Promise<boolean>;

export interface RowSink<Batch = readonly Row[]> {
  /** Adds rows. Resolves to the number of rows that the sink lacked. */
  write(batch: Batch): Promise<number>;
  checkpoint(): Promise<Rewind>;
  /** Completes the output. Called once, after verification. */
  commit(): Promise<void>;
  /**
   * Abandons the output. A replaced file keeps its old content, and an appended file commits its rows.
   * Idempotent; does nothing after `commit`.
   */
  discard(): Promise<void>;
}

export interface CodeSink extends RowSink<TimedRows> {
  sinceMs: number | undefined;
  sinceFor?(endMs: number): number | undefined;
  added(): number;
}
