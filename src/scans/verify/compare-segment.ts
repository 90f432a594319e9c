/** Reads one part of a range completely, as an export does, and compares it with the log by IDs. */
import type { TimedRows } from '../../files/formats/row-sink.ts';
import type { ScanPage } from '../../service/shapes.ts';
import { exportScans } from '../export/export-scans.ts';
import { type FetchInOrder, type Range, type ReadScans, widened } from '../export/range.ts';
import { dayOf } from './log-index.ts';

/** Differences of one day (days since 1970, UTC), in scans. */
export interface DayDifference {
  day: number;
  /** On the service and not in the log. */
  missing: number;
  /** In the log and not on the service. */
  gone: number;
}

export interface SegmentJob {
  code: string;
  read: ReadScans;
  checkExists(): Promise<unknown>;
  fetchInOrder: FetchInOrder;
  width: number;
  note(line: string): void;
  range: Range;
  first: ScanPage;
  /** Times of the scans that the log has in the range, by ID, ms since the epoch. */
  logged: ReadonlyMap<number | bigint, number>;
  /** Takes scans that the log lacks; may be given one repeatedly. */
  takeMissing(batch: TimedRows): Promise<unknown>;
}

/**
 * Returns the days that differ, in any order.
 *
 * @throws UnprovenError if the part could not be verified as complete, NotFoundError if the code does not exist
 */
export async function compareSegment(job: SegmentJob): Promise<DayDifference[]> {
  const missing = new Map<number, number>();
  const left = await readAgainst(job.first, job.logged, async (batch) => {
    await job.takeMissing(batch);
    for (const ms of batch.times) missing.set(dayOf(ms), (missing.get(dayOf(ms)) ?? 0) + 1);
  });
  // V6: a replica that lags behind doesn't show the newest rows: a scan counts as gone only if a second reading lacks it as well.
  const gone = left.size === 0 ? left : await readAgainst(undefined, left, async () => undefined);
  const goneByDay = new Map<number, number>();
  for (const ms of gone.values()) goneByDay.set(dayOf(ms), (goneByDay.get(dayOf(ms)) ?? 0) + 1);
  const days = new Set([...missing.keys(), ...goneByDay.keys()]);
  return [...days].map((day) => ({ day, missing: missing.get(day) ?? 0, gone: goneByDay.get(day) ?? 0 }));

  /** Returns those of the `known` scans that the service did not return; `takeOthers` is given the others at the end. */
  async function readAgainst(
    first: ScanPage | undefined,
    known: ReadonlyMap<number | bigint, number>,
    takeOthers: (batch: TimedRows) => Promise<void>,
  ): Promise<Map<number | bigint, number>> {
    let left = new Map(known);
    let others: TimedRows[] = [];
    await exportScans(
      { ...job, asked: widened(job.range), isKnown: true, first },
      {
        async write(batch) {
          const isOther = batch.rows.map(({ id }) => !known.has(id as number | bigint));
          for (const { id } of batch.rows) left.delete(id as number | bigint);
          others.push({
            rows: batch.rows.filter((_, at) => isOther[at]),
            times: batch.times.filter((_, at) => isOther[at]),
          });
          return batch.rows.length;
        },
        // V5: nothing is counted before the part is verified as complete.
        checkpoint: async () => async () => {
          left = new Map(known);
          others = [];
          return true;
        },
      },
    );
    for (const batch of others) if (batch.rows.length > 0) await takeOthers(batch);
    return left;
  }
}
