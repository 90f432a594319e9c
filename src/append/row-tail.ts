/** Where new rows become durable: the end of a file (file-tail.ts), or the parts of a dataset (dataset/part-tail.ts). */
import type { TimedRows } from '../rows/row-sink.ts';
import type { SavedRow } from './read-back.ts';

/** To be called one at a time, and nothing but `close` after a failure: the serial queue sees to that. */
export interface RowTail {
  /** Adds rows of a code; a kill before the next commit loses them. Resolves to whether there is enough to be worth a commit. */
  write(code: string, batch: TimedRows): Promise<boolean>;
  /**
   * Makes everything written so far permanent, together with the overlaps as they are now. `last`: nothing more will be written, so the
   * state tells by what the next run knows that nobody touched anything.
   */
  commit(last: boolean): Promise<void>;
  /** The one commit of a run that makes everything anew. */
  replace(): Promise<void>;
  /** Forgets the rows of a code that were written since the last commit; absent where they cannot be told from others. */
  drop?(code: string): Promise<void>;
  /** Calls `onRow` for each row that is there, written or committed; those from before `fromMs`, ms since the epoch, may be left out. */
  readBack(onRow: (row: SavedRow) => void, fromMs: number): Promise<void>;
  /** Whether there is a state of this run to keep up to date. */
  begun(): boolean;
  /** Whether the state on the disk needs nothing more at the end. */
  stamped(): boolean;
  /** Closes at a committed point, as well as the disk lets it. Never throws. */
  close(): Promise<void>;
}
