/** Compares logs in memory with services in memory, and records what was read, added and reported. */
import type { NotFoundError } from '#base/errors';
import type { Range, ReadScans } from '#scans/export/range';
import { createLogIndex } from '#scans/verify/log-index';
import { verifyCodes } from '#scans/verify/verify-codes';
import type { ModelRow } from '../../support/model-service/scans.ts';

export const DAY_MS = 86_400_000;
/** 2026-01-01T00:00:00Z, a midnight. */
export const START_MS = 1_767_225_600_000;

export interface CodeOfRun {
  read: ReadScans;
  log: readonly ModelRow[];
  /** Undefined if the log covers none of the code. */
  range: Range | undefined;
  slug?: string;
  /** The service doesn't list the code, and returned 404 for it. */
  missing?: NotFoundError;
}

interface RunOptions {
  width?: number;
  isRepair?: boolean;
  mostIds?: number;
  getCode?: () => Promise<never>;
  /** Why the log of a code can't be read, by ID. */
  faults?: Record<string, string>;
}

/** Verifies these codes, by ID. `added` has the times of the scans that were added, by code and ID. */
export async function verifyLogs(codes: Record<string, CodeOfRun>, options: RunOptions = {}) {
  const { width = 1, isRepair = true, mostIds, getCode = async () => ({}) as never, faults = {} } = options;
  const rangeOf = (code: string) => codes[code]?.range;
  const isInside = ({ sinceMs, untilMs }: Range, ms: number) => ms >= (sinceMs ?? ms) && ms < untilMs;
  const index = createLogIndex((code, ms) =>
    isInside(rangeOf(code) ?? { sinceMs: undefined, untilMs: 0 }, ms),
  );
  const take = (take: (code: string, id: number, ms: number) => void) => {
    for (const [code, { log }] of Object.entries(codes)) for (const { id, time } of log) take(code, id, time);
  };
  take(index.add);
  const run = { added: new Map<string, Map<number, number>>(), reads: 0, done: [] as number[], repairs: 0 };
  const results = await verifyCodes({
    index,
    rangeOf,
    faultOf: (code) => faults[code],
    mostIds,
    note: () => undefined,
    codes: Object.entries(codes).map(([id, { slug, missing }]) => ({
      id,
      ...(slug && { slug }),
      ...(missing && { missing }),
    })),
    async readRows(takeRow) {
      run.reads += 1;
      take(takeRow);
    },
    service: {
      listScans: async (id, request) => (codes[id] as CodeOfRun).read(request),
      getCode,
      concurrency: width,
    },
    repair: isRepair ? repair : undefined,
    progress: (done) => run.done.push(done),
  });
  return { results, ...run };

  async function repair(
    { id }: { id: string },
    { rows, times }: { rows: readonly Readonly<Record<string, unknown>>[]; times: readonly number[] },
  ) {
    run.repairs += 1;
    const added = run.added.get(id) ?? new Map<number, number>();
    run.added.set(id, added);
    rows.forEach((row, at) => {
      added.set(Number(row.id), times[at] ?? 0);
    });
    return rows.length;
  }
}

/** Scans that are evenly spread over some days from the start on, none of them at a midnight, with IDs from 1. */
export function scansOver(days: number, count: number): ModelRow[] {
  return Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    time: START_MS + Math.floor(((at + 0.5) * days * DAY_MS) / count),
  }));
}
