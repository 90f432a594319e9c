/** Refuses more rows than a workbook has before the first one is read: the failure would otherwise come hours later, with the last rows. */
import { NotFoundError } from '../../base/errors.ts';
import { fetchInOrder } from '../../base/parallel.ts';
import { MOST_ROWS } from '../../files/formats/table-bounds.ts';
import { tooManyRows } from '../../files/formats/xlsx/workbook-sink.ts';
import type { Service } from '../../service/service.ts';
import type { CodeLabel } from './export-codes.ts';
import { type Bounds, widened } from './range.ts';

/**
 * Returns the service to export from: with one code it throws UsageError at the first response with too many rows; several are counted now,
 * with one request each.
 */
export async function requireWorkbookRows(
  service: Service,
  codes: readonly CodeLabel[],
  { sinceMs, untilMs }: Bounds,
): Promise<Service> {
  if (codes.length === 1)
    return {
      ...service,
      async listScans(...given) {
        const page = await service.listScans(...given);
        if (page.total > MOST_ROWS) throw tooManyRows(page.total);
        return page;
      },
    };
  const request = { ...widened({ sinceMs, untilMs }), page: 1, limit: 1 };
  const count = ({ id }: CodeLabel) =>
    service.listScans(id, request).catch((error) => {
      if (error instanceof NotFoundError) return { total: 0 };
      throw error;
    });
  const there = codes.filter(({ missing }) => !missing);
  let rows = 0;
  for await (const { total } of fetchInOrder(there, count, service.concurrency)) rows += total;
  if (rows > MOST_ROWS) throw tooManyRows(rows);
  return service;
}
