/** What every kind of file gives: records as they are in it, some at a time. */
import type { Row } from '../row-sink.ts';

export interface Records {
  rows: Row[];
  /** Line of the file that the first of them stands on. */
  line: number;
  /** The last line was cut off, and left out. */
  torn: boolean;
}
