/** Refuses rows that exceed a workbook before the first one is read: the failure would otherwise come hours later, with the last rows. */
import { NotFoundError } from '../../../base/errors.ts';
import { fetchInOrder } from '../../../base/parallel.ts';
import { MOST_ROWS } from '../../../files/formats/table-bounds.ts';
import { tooManyRows } from '../../../files/formats/xlsx/workbook-sink.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import { widened } from '../../../scans/export/range.ts';
import type { Service } from '../../../service/service.ts';
import type { ExportPlan } from './plan-export.ts';

/** Requests of `requireWorkbookRows` in addition to those of the export itself: for one code, its first page is enough. */
export function countingRequests(codes: readonly CodeLabel[]): number {
  return codes.length > 1 ? codes.filter(({ missing }) => !missing).length : 0;
}

/**
 * Returns the service to export from: with one code it throws UsageError at the first response with too many rows; several are counted now,
 * with one request each.
 */
export async function requireWorkbookRows(
  service: Service,
  codes: readonly CodeLabel[],
  { sinceMs, untilMs }: Pick<ExportPlan, 'sinceMs' | 'untilMs'>,
): Promise<Service> {
  if (codes.length > 1) {
    const request = { ...widened({ sinceMs, untilMs }), page: 1, limit: 1 };
    const ask = ({ id }: CodeLabel) =>
      service.listScans(id, request).catch((error) => {
        // One that is gone fails in its turn.
        if (error instanceof NotFoundError) return { total: 0 };
        throw error;
      });
    let rows = 0;
    const there = codes.filter(({ missing }) => !missing);
    for await (const { total } of fetchInOrder(there, ask, service.concurrency)) rows += total;
    if (rows > MOST_ROWS) throw tooManyRows(rows);
    return service;
  }
  return {
    ...service,
    async listScans(...given) {
      const page = await service.listScans(...given);
      if (page.total > MOST_ROWS) throw tooManyRows(page.total);
      return page;
    },
  };
}
