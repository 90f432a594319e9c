/** Where an export puts its rows. The export core knows nothing else of files and formats. */

/** A row as it is written: a scan, with `qr_id`, `qr_slug`, `qr_name` in front where several codes share one output. */
export type Row = Readonly<Record<string, unknown>>;

export interface Sink {
  /** Adds rows, oldest first. A sink that appends to a file also makes them durable here. */
  write(rows: readonly Row[]): Promise<void>;
  /** All is proven: the output may appear. */
  finish(): Promise<void>;
  /** Something failed: leave what stood there before (or the last committed point). Idempotent. */
  abort(): Promise<void>;
}
