/** Interface of the end of a log, where new rows become durable: of a file (file-tail.ts), or of a dataset in parts (scans/dataset/part-tail.ts). */
import type { TimedRows } from '../../files/formats/row-sink.ts';
import type { SavedRow } from './row-parsers.ts';

/** Call one method at a time, and only `close` after a failure: the serial queue ensures this. */
export interface RowTail {
  /** Adds rows of a code; a kill before the next commit loses them. Resolves to whether there are enough for a commit. */
  write(code: string, batch: TimedRows): Promise<boolean>;
  /**
   * Makes everything written so far durable, together with the overlaps as they are now. `last`: no write follows, so the state gets the stamp by
   * which the next run recognizes the file as unchanged.
   */
  commit(last: boolean): Promise<void>;
  /** Commits a run that rewrites everything, once. */
  replace(): Promise<void>;
  /** Drops the rows of a code that were written since the last commit; missing if they can't be distinguished from others. */
  drop?(code: string): Promise<void>;
  /** Calls `onRow` for each row, written or committed; may omit those from before `fromMs`, ms since the epoch. */
  readBack(onRow: (row: SavedRow) => void, fromMs: number): Promise<void>;
  /** Returns whether this run has a state to keep up to date. */
  keepsState(): boolean;
  /** Returns whether the state on disk needs no further update at the end. */
  isStamped(): boolean;
  /** Closes at a committed point, if the disk allows it. Never throws. */
  close(): Promise<void>;
}
