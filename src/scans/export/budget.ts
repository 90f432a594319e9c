/**
 * C13: bounds the requests for the scans of one code by the rows that were returned, whatever total the
 * service reports: wrong numbers, or a range that never stops growing, would be read endlessly.
 */
import type { ScanPage } from '../../service/shapes.ts';
import { InconsistentPagesError } from './page-merger.ts';
import { pageSizeOf, type ReadScans } from './range.ts';

/** Every page with rows may be read three times, plus 18 requests. */
const READINGS = 3;
const SPARE = 18;
/** If rows of one instant swap positions, chance decides how often a page must be read again. */
const MOST_GRANTED_READINGS = 12;

/** Its message is the reason why rows had to be read again. */
export class BudgetExceededError extends InconsistentPagesError {
  override name = 'BudgetExceededError';
}

export interface Budget {
  /** Reads a page; rejects with BudgetExceededError if no request is left. */
  read: ReadScans;
  /** Reports the distinct rows of one attempt; the largest number counts. */
  reportRows(rows: number): void;
  /** Allows more requests, up to MOST_GRANTED_READINGS. */
  grant(requests: number): void;
  /** Returns the largest total of any response so far. */
  largestTotal(): number;
}

/** `first`: page 1 of the export, already received. */
export function createBudget(read: ReadScans, first: ScanPage): Budget {
  const pageSize = pageSizeOf(first);
  let returned = first.rows.length;
  let largest = first.total;
  let requests = 1;
  let granted = 0;
  return {
    async read(request) {
      requests += 1;
      const pages = Math.ceil(returned / pageSize);
      if (requests > READINGS * pages + SPARE + Math.min(granted, MOST_GRANTED_READINGS * pages))
        throw new BudgetExceededError('the scans kept changing while they were read');
      const page = await read(request);
      largest = Math.max(largest, page.total);
      return page;
    },
    reportRows(rows) {
      returned = Math.max(returned, rows);
    },
    grant(more) {
      granted += more;
    },
    largestTotal: () => largest,
  };
}
