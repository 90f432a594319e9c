import type { TimedRows } from '../../files/formats/row-sink.ts';
import type { ScanPage } from '../../service/shapes.ts';
import { exportScans } from '../export/export-scans.ts';
import { type FetchInOrder, type Range, type ReadScans, widened } from '../export/range.ts';
import { addOne, dayOf } from './log-index.ts';

export interface DayDifference {
  day: number;
  missing: number;
  gone: number;
}

interface SegmentJob {
  code: string;
  read: ReadScans;
  checkExists(): Promise<unknown>;
  fetchInOrder: FetchInOrder;
  width: number;
  note(line: string): void;
  range: Range;
  first: ScanPage;
  logged: ReadonlyMap<number | bigint, number>;
  /** May repeat scans. */
  takeMissing(batch: TimedRows): Promise<unknown>;
}

/**
 * Returns the days that differ, unordered. Throws UnprovenError if the part can't be verified as complete,
 * NotFoundError for a deleted code.
 */
export async function compareSegment(job: SegmentJob): Promise<DayDifference[]> {
  const missing = new Map<number, number>();
  const gone = new Map<number, number>();
  const { left, others } = await readAgainst(job, job.logged, job.first);
  for (const batch of others) {
    if (batch.rows.length === 0) continue;
    await job.takeMissing(batch);
    for (const ms of batch.times) addOne(missing, dayOf(ms));
  }
  // V6: a replica that lags behind omits new rows, so a scan is gone only if two readings lack it.
  const lacking = left.size === 0 ? left : (await readAgainst(job, left)).left;
  for (const ms of lacking.values()) addOne(gone, dayOf(ms));
  const days = new Set([...missing.keys(), ...gone.keys()]);
  return [...days].map((day) => ({ day, missing: missing.get(day) ?? 0, gone: gone.get(day) ?? 0 }));
}

async function readAgainst(job: SegmentJob, known: ReadonlyMap<number | bigint, number>, first?: ScanPage) {
  let left = new Map(known);
  let others: TimedRows[] = [];
  await exportScans(
    { ...job, asked: widened(job.range), isKnown: true, first },
    {
      async write({ rows, times }) {
        const isOther = rows.map(({ id }) => !known.has(id as number | bigint));
        for (const { id } of rows) left.delete(id as number | bigint);
        others.push({
          rows: rows.filter((_, at) => isOther[at]),
          times: times.filter((_, at) => isOther[at]),
        });
        return rows.length;
      },
      // V5: nothing counts before the part is verified as complete.
      checkpoint: async () => async () => {
        left = new Map(known);
        others = [];
        return true;
      },
    },
  );
  return { left, others };
}
