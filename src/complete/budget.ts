/**
 * C13: bounds the requests for the scans of one code. A service with wrong numbers, or a range that never stops growing, would be read
 * endlessly; so requests are bounded by the rows that were returned, whatever total the service reports.
 */
import type { ScanPage } from '../service/shapes.ts';
import { MovedError } from './assembly.ts';
import { pageSizeOf, type ReadScans } from './range.ts';

/** Every page with rows may be read three times, plus this many requests. */
const READINGS = 3;
const SPARE = 18;
/** Where rows of one instant swap places, chance decides how often a page must be read again; so often more at most. */
const GRANTED_READINGS = 12;

/** The budget is exhausted; its message is the reason why rows had to be read again. */
export class SpentError extends MovedError {
  override name = 'SpentError';
}

export interface Budget {
  /** Reads as the reader it was made of; rejects with SpentError when the budget is spent. */
  read: ReadScans;
  /** Tells that so many distinct rows were shown, in one attempt; the largest number counts. */
  show(rows: number): void;
  /** Allows for so many requests more; in all for twelve readings of every page. */
  grant(requests: number): void;
  /** Largest total of any response so far. */
  largestTotal(): number;
}

/** Creates the budget of an export whose page 1, already received, is `first`. */
export function createBudget(read: ReadScans, first: ScanPage): Budget {
  const pageSize = pageSizeOf(first);
  let shown = first.rows.length;
  let largest = first.total;
  let requests = 1;
  let granted = 0;
  return {
    async read(request) {
      requests += 1;
      const pages = Math.ceil(shown / pageSize);
      if (requests > READINGS * pages + SPARE + Math.min(granted, GRANTED_READINGS * pages))
        throw new SpentError('the scans kept changing while they were read');
      const answer = await read(request);
      largest = Math.max(largest, answer.total);
      return answer;
    },
    show(rows) {
      shown = Math.max(shown, rows);
    },
    grant(more) {
      granted += more;
    },
    largestTotal: () => largest,
  };
}
