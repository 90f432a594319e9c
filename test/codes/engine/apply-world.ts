/** Runs of `applyRows` against codes in memory, on a disk in memory that knows when it was pulled. */
import { applyFailure } from '../../../src/codes/engine/apply-failure.ts';
import type { ApplyJob } from '../../../src/codes/engine/apply-job.ts';
import { applyRows } from '../../../src/codes/engine/apply-rows.ts';
import { SETTLE_MS } from '../../../src/codes/engine/creation/landing-delay.ts';
import type { KeyedRow } from '../../../src/codes/engine/keyed-rows.ts';
import type { LockEntry, LockFile } from '../../../src/codes/engine/lock-file.ts';
import { type FakeClock, fakeClock } from '../../support/clock.ts';
import { createMemoryDisk, type MemoryDisk } from '../../support/memory-disk.ts';
import { type ModelCodes, type ModelCodesOptions, modelCodes } from '../../support/model-service/codes.ts';
import { WORKSPACE } from './creation/world.ts';
import { OPTIONS } from './plan-world.ts';

export const LOCK = '/data/codes.lock.json';
export const JOURNAL = `${LOCK}.journal`;

export interface ApplyWorld {
  time: FakeClock;
  service: ModelCodes;
  memory: MemoryDisk;
}

export function applyWorld(options: Partial<ModelCodesOptions> = {}): ApplyWorld {
  const time = fakeClock({ wallMs: Date.UTC(2026, 4, 1) });
  return { time, service: modelCodes({ time, ...options }), memory: createMemoryDisk() };
}

/** A job in a process of its own. */
export function jobIn({ time, service, memory }: ApplyWorld, rows: readonly KeyedRow[], given: Partial<ApplyJob> = {}): ApplyJob {
  service.forget();
  return {
    rows,
    file: { name: 'codes.csv' },
    lockPath: LOCK,
    disk: memory.disk,
    processes: { pid: 7, isRunning: () => false },
    service: { ...service, workspace: WORKSPACE },
    listCodes: async () => (await service.listCodes()).map((code) => ({ ...code })),
    askClock: service.askClock,
    clock: time,
    uptimeMs: () => 5000 + time.monotonic(),
    signal: new AbortController().signal,
    concurrency: 3,
    settleMs: SETTLE_MS,
    movedFrom: undefined,
    options: OPTIONS,
    adopt: new Map(),
    recreate: new Set(),
    onPlan: () => undefined,
    onEvent: () => undefined,
    ...given,
  };
}

/** One run. Throws what `applyRows` throws; `failure` is what the command would throw at the end. */
export async function applyIn(world: ApplyWorld, rows: readonly KeyedRow[], given: Partial<ApplyJob> = {}) {
  const end = await world.time.run(applyRows(jobIn(world, rows, given)));
  return { ...end, failure: applyFailure(end) };
}

export function lockIn({ memory }: ApplyWorld): LockFile | undefined {
  const text = memory.read(LOCK);
  return text === undefined ? undefined : readLines(text);
}

/** What a lock file that a run wrote says, without the checks of `parseLock`. */
export function readLines(text: string): LockFile {
  const { base_url, workspace, codes } = JSON.parse(text);
  const entries: LockEntry[] = codes.filter((code: LockEntry | null) => code !== null);
  return { workspace: { baseUrl: base_url, key: workspace }, entries: new Map(entries.map((entry) => [entry.key, entry])) };
}

export function entriesIn(world: ApplyWorld): LockEntry[] {
  return [...(lockIn(world)?.entries.values() ?? [])];
}
