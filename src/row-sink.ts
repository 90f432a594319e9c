/** Where an export puts its rows. The export core knows nothing else of files and formats. */

/** A row as it is written: a scan, with `qr_id`, `qr_slug`, `qr_name` in front where several codes share one output. */
export type Row = Readonly<Record<string, unknown>>;

export interface Sink {
  /** Adds rows, oldest first. */
  write(rows: readonly Row[]): Promise<void>;
  /** All is proven: the output may appear. */
  finish(): Promise<void>;
  /** Something failed: leave what stood there before. Idempotent. */
  abort(): Promise<void>;
  /**
   * Remembers this point; the function it gives takes back everything written since, or says false where that is no longer
   * possible (it has been printed).
   */
  mark(): Promise<() => Promise<boolean>>;
}
