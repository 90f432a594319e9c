/** Messages between the thread that decodes Parquet and the one that has the file open. */
import type { DecodedGroup } from './decode.ts';

export interface WorkerJob {
  byteLength: number;
  /** All if absent. */
  columns: string[] | undefined;
}

export type FromWorker =
  | { is: 'read'; number: number; start: number; end: number }
  | { is: 'group'; group: DecodedGroup }
  | { is: 'end' }
  | { is: 'failed'; message: string };

/** The bytes of the request with this number; or the acknowledgment of a group. */
export type ToWorker = { is: 'bytes'; number: number; bytes: ArrayBuffer } | { is: 'taken' };
