/** Common output of all readers: the records of a file, in batches. */
import type { Row } from '../row-sink.ts';

export interface Records {
  rows: Row[];
  /** Line of the file with the first of them. */
  line: number;
  /** The last line was cut off, and left out. */
  torn: boolean;
}
