import { expect, it } from 'vitest';
import { MOST_ROWS } from '#base/bounds';
import { NotFoundError, UnavailableError } from '#base/errors';
import type { CodeLabel } from '#scans/export/export-codes';
import { requireWorkbookRows } from '#scans/export/workbook-rows';
import type { Service } from '#service/service';
import type { ScanPageRequest } from '#service/service-options';

const RANGE = { sinceMs: 1_760_000_000_000, untilMs: 1_760_000_100_000 };

/** Checks codes with these totals; `null` for a code that the service lacks. */
function check(totals: Record<string, number | null | Error>, missing: readonly string[] = []) {
  const asked: [id: string, request: ScanPageRequest][] = [];
  const listScans = async (id: string, request: ScanPageRequest) => {
    asked.push([id, request]);
    const total = totals[id];
    if (typeof total !== 'number') throw total ?? new NotFoundError('not found');
    return { rows: [], times: [], total, serviceTimeMs: undefined };
  };
  const service = { listScans, concurrency: 2 } as unknown as Service;
  const codes: CodeLabel[] = Object.keys(totals).map((id) =>
    missing.includes(id) ? { id, missing: new NotFoundError('not found') } : { id },
  );
  return { asked, service, checked: requireWorkbookRows(service, codes, RANGE) };
}

it('the scans of several codes are counted before they are exported to a workbook, with one request per code, except codes known to be missing', async () => {
  const { asked, service, checked } = check({ a: MOST_ROWS - 1, b: 1, deleted: null, gone: 5 }, ['gone']);
  expect(await checked).toBe(service);
  const request = { page: 1, limit: 1, sinceMs: RANGE.sinceMs - 1000, untilMs: RANGE.untilMs + 1000 };
  expect(asked).toEqual(['a', 'b', 'deleted'].map((id) => [id, request]));
});

it('the scans of several codes are refused if they do not fit on a worksheet together, or if counting them fails', async () => {
  await expect(check({ a: MOST_ROWS, b: 1 }).checked).rejects.toThrow('1,048,576 rows are too many');
  const down = new UnavailableError('down');
  await expect(check({ a: 1, b: down }).checked).rejects.toBe(down);
});

it('an export of one code to a workbook is refused by its first page if the code has more than 1,048,575 scans, without a separate count', async () => {
  const { asked, checked } = check({ a: MOST_ROWS });
  const service = await checked;
  expect(asked).toEqual([]);
  const request = { page: 1, limit: 500 };
  expect(await service.listScans('a', request)).toMatchObject({ total: MOST_ROWS });
  const more = await check({ a: MOST_ROWS + 1 }).checked;
  await expect(more.listScans('a', request)).rejects.toThrow('1,048,576 rows are too many');
  expect(service.concurrency).toBe(2);
});
