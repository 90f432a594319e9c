/** Where new rows become durable: the end of a file (file-tail.ts), or the parts of a dataset (dataset/part-tail.ts). */
import type { TimedRows } from '../rows/row-sink.ts';
import type { SavedRow } from './row-parsers.ts';

/** To be called one at a time, and nothing but `close` after a failure: the serial queue sees to that. */
export interface RowTail {
  /** Adds rows of a code; a kill before the next commit loses them. Resolves to whether there is enough to be worth a commit. */
  write(code: string, batch: TimedRows): Promise<boolean>;
  /**
   * Makes everything written so far durable, together with the overlaps as they are now. `last`: no write follows, so the state gets the stamp by
   * which the next run recognizes the file as unchanged.
   */
  commit(last: boolean): Promise<void>;
  /** Commits a run that rewrites everything, once. */
  replace(): Promise<void>;
  /** Drops the rows of a code that were written since the last commit; missing if they cannot be told apart from others. */
  drop?(code: string): Promise<void>;
  /** Calls `onRow` for each row that is there, written or committed; those from before `fromMs`, ms since the epoch, may be left out. */
  readBack(onRow: (row: SavedRow) => void, fromMs: number): Promise<void>;
  /** Whether this run keeps a state up to date. */
  begun(): boolean;
  /** Whether the state on disk needs no further update at the end. */
  stamped(): boolean;
  /** Closes at a committed point, as well as the disk lets it. Never throws. */
  close(): Promise<void>;
}
