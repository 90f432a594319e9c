/** End of a log, where new rows become durable: of a file (file-tail.ts), or of a dataset (scans/dataset/part-tail.ts). */
import type { TimedRows } from '../../files/formats/row-sink.ts';
import type { SavedRow } from './row-parsers.ts';

/** Call one method at a time, and only `close` after a failure. */
export interface RowTail {
  /** Adds rows of a code; a kill before the next commit loses them. Resolves to whether there are enough for a commit. */
  write(code: string, batch: TimedRows): Promise<boolean>;
  /** Makes all written rows durable, together with the overlaps. `last`: no write follows. */
  commit(last: boolean): Promise<void>;
  /** Commits a run that rewrites everything, once. */
  replace(): Promise<void>;
  /** Drops the rows of a code that were written since the last commit; missing if they can't be distinguished from others. */
  drop?(code: string): Promise<void>;
  /** Calls `onRow` for each row, written or committed; may omit rows older than `fromMs`, ms since the epoch. */
  readBack(onRow: (row: SavedRow) => void, fromMs: number): Promise<void>;
  keepsState(): boolean;
  /** Returns whether the state on disk needs no further update at the end. */
  isStamped(): boolean;
  /** Closes at a committed point, if the disk allows it. Never throws. */
  close(): Promise<void>;
}
