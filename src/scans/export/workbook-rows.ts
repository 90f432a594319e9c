import { MOST_ROWS } from '#base/bounds';
import { ifNotFound } from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import { tooManyRows } from '#files/formats/xlsx/workbook-sink';
import type { Service } from '#service/service';
import type { CodeLabel } from './export-codes.ts';
import { type Bounds, widened } from './range.ts';

/** Throws UsageError if scans don't fit on a worksheet. For one code, the returned `listScans` throws. */
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
  const count = ({ id }: CodeLabel) => service.listScans(id, request).catch(ifNotFound({ total: 0 }));
  const there = codes.filter(({ missing }) => !missing);
  let rows = 0;
  for await (const { total } of fetchInOrder(there, count, service.concurrency)) rows += total;
  if (rows > MOST_ROWS) throw tooManyRows(rows);
  return service;
}
