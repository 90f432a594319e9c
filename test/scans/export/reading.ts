/** What the tests of this room share: rows, pages made by hand, and a sink that can be rewound. */
import type { TimedRows } from '#files/formats/row-sink';
import type { PaginationJob } from '#scans/export/paginate';
import { type FetchInOrder, type RangeReading, type ReadScans, widened } from '#scans/export/range';
import type { SplitJob } from '#scans/export/split-by-time';
import type { Scan, ScanPage } from '#service/shapes';
import { type ModelRow, scanOf } from '../../support/model-service/scans.ts';

export const START = 1_760_000_000_000;

/** All of it lies before this bound. */
export const RANGE = { sinceMs: undefined, untilMs: START + 1_000_000_000 };

/** Rows with ids from 1, `together` of them in each second. */
export function rows(count: number, together = 1): ModelRow[] {
  return Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    time: START + Math.floor(i / together) * 1000,
  }));
}

/** A page by the ids of its rows; the row `id` is of the second `id`, unless `times` (in seconds) says otherwise. */
export function page(
  ids: readonly number[],
  { total = ids.length, times = ids }: { total?: number; times?: readonly number[] } = {},
): ScanPage {
  const rows = ids.map((id, i) => ({ id, time: START + (times[i] ?? 0) * 1000 }));
  return { rows: rows.map(scanOf), times: rows.map(({ time }) => time), total, serviceTimeMs: undefined };
}

export function idsOf({ rows }: { rows: readonly Partial<Scan>[] }): number[] {
  return rows.map(({ id }) => Number(id));
}

/** How a range is read: one page after the other unless `width` says otherwise, without a bound on requests. */
export function reading(
  read: ReadScans,
  { range = RANGE, width = 1, proveBeyond = false }: Partial<RangeReading & { proveBeyond: boolean }> = {},
): PaginationJob & SplitJob {
  let largest = 0;
  const remembering: ReadScans = async (request) => {
    const answer = await read(request);
    largest = Math.max(largest, answer.total);
    return answer;
  };
  return {
    read: remembering,
    range,
    asked: widened(range),
    fetchInOrder: fetchAhead,
    width,
    proveBeyond,
    reportRows: () => undefined,
    largestTotal: () => largest,
  };
}

/** Answers with these, one request after the other; refuses to be asked more often. `asked` has each request's page. */
export function answers(...script: (ScanPage | Error)[]): { read: ReadScans; asked: number[] } {
  const asked: number[] = [];
  const read: ReadScans = async (request) => {
    const answer = script[asked.length];
    asked.push(request.page);
    if (answer === undefined) throw new Error(`no answer ${asked.length} in the script`);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { read, asked };
}

export async function collect(batches: AsyncIterable<{ rows: readonly Scan[] }>): Promise<number[]> {
  const ids: number[] = [];
  for await (const batch of batches) for (const id of idsOf(batch)) ids.push(id);
  return ids;
}

/** Keeps the rows it is given; `rewinds` counts how often they were taken back. */
export function memorySink() {
  const kept = { rows: [] as object[], times: [] as number[], rewinds: 0, writes: 0 };
  return {
    kept,
    async write(batch: TimedRows) {
      kept.writes += 1;
      for (const row of batch.rows) kept.rows.push(row);
      for (const time of batch.times) kept.times.push(time);
      return batch.rows.length;
    },
    checkpoint: async () => async () => {
      Object.assign(kept, { rows: [], times: [], rewinds: kept.rewinds + 1 });
      return true;
    },
  };
}

/** As the real one, but asks for the next page only when one has been taken: `width` of them are answered before the first is. */
export const fetchAhead: FetchInOrder = async function* (pages, fetch, width) {
  const waiting: Promise<unknown>[] = [];
  for (const number of pages) {
    const answer = fetch(number);
    answer.catch(() => undefined);
    waiting.push(answer);
    if (waiting.length >= width) yield (await waiting.shift()) as never;
  }
  for (const answer of waiting) yield (await answer) as never;
};
