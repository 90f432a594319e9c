import type { TimedRows } from '../../files/formats/row-sink.ts';
import type { SavedRow } from './row-parsers.ts';

export interface RowTail {
  /** Returns whether the rows are enough for a commit. */
  write(code: string, batch: TimedRows): Promise<boolean>;
  commit(last: boolean): Promise<void>;
  replace(): Promise<void>;
  drop?(code: string): Promise<void>;
  /** May omit rows older than `fromMs`. */
  readBack(onRow: (row: SavedRow) => void, fromMs: number): Promise<void>;
  keepsState(): boolean;
  isStamped(): boolean;
  close(): Promise<void>;
}
