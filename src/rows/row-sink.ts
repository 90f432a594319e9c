/**
 * Where rows go. Everything that takes rows is a RowSink: a list on standard output, a file that appears whole, a file that is
 * appended to, and in an export the share that one code has of such a file. The export core knows nothing else of files and formats.
 */

/** A row as it is written: a scan, with `qr_id`, `qr_slug`, `qr_name` in front where several codes share one output. */
export type Row = Readonly<Record<string, unknown>>;

/** Scans as they flow through an export: `times[i]` is the time of `rows[i]` in ms since the epoch. */
export interface TimedRows {
  readonly rows: readonly Row[];
  readonly times: readonly number[];
}

/**
 * Goes back to a checkpoint; may be called again, after more rows too. True: what was written since is gone, or (in a file that is
 * appended to) will be recognised and dropped when it is written again. False: it is out for good, since it has been printed.
 */
export type Rewind = () => Promise<boolean>;

/** `Batch`: rows, or for scans rows with their times. */
export interface RowSink<Batch = readonly Row[]> {
  /** Adds rows, in order. Resolves to the number added, which is less than given only where the sink has some of them already. */
  write(batch: Batch): Promise<number>;
  /**
   * Remembers this point. Of several writers in one sink each takes its checkpoint when its own rows begin, not when it is opened:
   * by then another may still be writing.
   */
  checkpoint(): Promise<Rewind>;
  /** All is there and proven: ends the document, and a file takes its place. Once. */
  commit(): Promise<void>;
  /**
   * Something failed: what stood there before stays, or in a file that is appended to the rows of the last commit. Idempotent, and
   * does nothing after `commit`, so that it can stand in a `finally`.
   */
  discard(): Promise<void>;
}

/** Where the scans of one code go. */
export interface CodeSink extends RowSink<TimedRows> {
  /** From when on they are wanted, ms since the epoch; undefined: from the first one. */
  readonly sinceMs: number | undefined;
  /**
   * The same when the end of the range is known, ms since the epoch, where it may be earlier then: a file may reach beyond that end. Throws
   * UsageError or UnprovenError where nothing can be asked for.
   */
  sinceFor?(endMs: number): number | undefined;
  /** Rows of this code that are new in the output: fewer after a rewind, and after a discard those that stay. */
  added(): number;
}
