/** End of a log, where new rows become durable: of a file (file-tail.ts) or a dataset (part-tail.ts). */
import type { TimedRows } from '../../files/formats/row-sink.ts';
import type { SavedRow } from './row-parsers.ts';

export interface RowTail {
  /** Adds rows of a code, not durably. Returns whether they are enough for a commit. */
  write(code: string, batch: TimedRows): Promise<boolean>;
  /** Makes written rows and their overlaps durable. No write follows the `last` commit. */
  commit(last: boolean): Promise<void>;
  /** Commits a run that rewrites everything. Call it once. */
  replace(): Promise<void>;
  /** Drops uncommitted rows of a code; missing if they can't be distinguished from others. */
  drop?(code: string): Promise<void>;
  /** Calls `onRow` for each row, also uncommitted ones; may omit rows older than `fromMs`. */
  readBack(onRow: (row: SavedRow) => void, fromMs: number): Promise<void>;
  keepsState(): boolean;
  isStamped(): boolean;
  close(): Promise<void>;
}
