import type { TimedRows } from '../../files/formats/row-sink.ts';
import type { SavedRow } from './row-parsers.ts';

export interface RowTail {
  /** Returns whether the rows are enough for a commit. */
  write(code: string, batch: TimedRows): Promise<boolean>;
  commit(last: boolean): Promise<void>;
  /** Commits a run that rewrites everything. */
  replace(): Promise<void>;
  /** Drops uncommitted rows of a code. */
  drop?(code: string): Promise<void>;
  /** Reads uncommitted rows too; may omit rows older than `fromMs`. */
  readBack(onRow: (row: SavedRow) => void, fromMs: number): Promise<void>;
  keepsState(): boolean;
  isStamped(): boolean;
  close(): Promise<void>;
}
