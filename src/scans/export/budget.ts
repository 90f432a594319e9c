/** C13: bounds the requests by the rows that were returned, whatever the total is. */
import type { ScanPage } from '../../service/shapes.ts';
import { InconsistentPagesError } from './page-merger.ts';
import { pageSizeOf, type ReadScans } from './range.ts';

const READINGS = 3;
const SPARE = 18;
/** Number of further readings if rows of one instant swap positions. */
const MOST_GRANTED_READINGS = 12;

export class BudgetExceededError extends InconsistentPagesError {
  override name = 'BudgetExceededError';
}

export interface Budget {
  read: ReadScans;
  reportRows(rows: number): void;
  grant(requests: number): void;
  largestTotal(): number;
}

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
