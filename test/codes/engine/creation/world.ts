/** Runs of `createRows` against codes in memory, on a disk in memory that knows when it was pulled. */
import type { CreateJob } from '../../../../src/codes/engine/creation/create-job.ts';
import { createRows } from '../../../../src/codes/engine/creation/create-rows.ts';
import type { JournalRecord, ListedCode } from '../../../../src/codes/engine/creation/journal-records.ts';
import { SETTLE_MS } from '../../../../src/codes/engine/creation/landing-delay.ts';
import type { NewRow } from '../../../../src/codes/engine/creation/new-row.ts';
import type { RowEnd } from '../../../../src/codes/engine/creation/row-ends.ts';
import type { Disk } from '../../../../src/files/durable/disk.ts';
import type { QrCode } from '../../../../src/service/shapes.ts';
import { createWorkspace } from '../../../../src/service/workspace.ts';
import { type FakeClock, fakeClock } from '../../../support/clock.ts';
import { readAppendLog } from '../../../support/logs.ts';
import { createMemoryDisk, type Fault, type MemoryDisk } from '../../../support/memory-disk.ts';
import { type Mishap, type ModelCodes, type ModelCodesOptions, modelCodes } from '../../../support/model-service/codes.ts';

export const JOURNAL = '/data/codes.results.csv.journal';
export const BASE_URL = 'https://qr.example/api/v1';
export const WORKSPACE = createWorkspace({ baseUrl: BASE_URL, apiKey: 'svc_live_world' });
// Loads the module that it loads on demand: while a file is loaded, the clock of a run fires all that is set.
await WORKSPACE.record();

/** Rows named `row N`; `alike` gives a row the values of an earlier one. */
export function rowsOf(count: number, alike: (row: number) => number = (row) => row): NewRow[] {
  return Array.from({ length: count }, (_, index) => {
    const code = { name: `row ${alike(index + 1)}`, destination: 'https://example.com' };
    return { row: index + 1, line: index + 2, values: new Map(), code };
  });
}

export interface World {
  time: FakeClock;
  service: ModelCodes;
  memory: MemoryDisk;
}

export function worldOf(options: Partial<ModelCodesOptions> = {}): World {
  const time = fakeClock({ wallMs: Date.UTC(2026, 4, 1) });
  return { time, service: modelCodes({ time, ...options }), memory: createMemoryDisk() };
}

/** This mishap for these POSTs, counted from 0, and none for the others. */
export const only =
  (mishap: Mishap, ...posts: number[]) =>
  (n: number): Mishap =>
    posts.includes(n) ? mishap : 'none';

/** What a test says of a job; the listing and the codes of the results as lists. */
export type Given = Partial<CreateJob> & { listCodes?: () => Promise<QrCode[]>; listed?: readonly ListedCode[] | undefined };

/** A listing of one page. */
export function pagesOf(listCodes: () => Promise<readonly QrCode[]>): CreateJob['listPages'] {
  return async function* () {
    yield await listCodes();
  };
}

/** One run in a process of its own. Throws what `createRows` throws. */
export async function run(
  { time, service, memory }: World,
  rows: readonly NewRow[],
  { listCodes = service.listCodes, ...given }: Given = {},
) {
  service.forget();
  const job: CreateJob = {
    rows,
    journalPath: JOURNAL,
    disk: memory.disk,
    service: { ...service, workspace: WORKSPACE },
    listPages: pagesOf(listCodes),
    askClock: service.askClock,
    clock: time,
    uptimeMs: () => 5000 + time.monotonic(),
    signal: new AbortController().signal,
    concurrency: 4,
    failFast: false,
    skipExisting: false,
    settleMs: SETTLE_MS,
    readListedCodes: async () => ('listed' in given ? given.listed : []),
    readListed: async () => [],
    decisions: { adopt: [], notCreated: [] },
    onEvent: () => undefined,
    ...given,
  };
  const ends: RowEnd[] = [];
  const end = await time.run(createRows(job, (row) => ends.push(row)));
  const undecided = ends.filter(({ candidates }) => candidates.length > 0);
  return { ...end, rows: ends, undecided, states: ends.map(({ state }) => state) };
}

/** A run whose process is killed at this step of its disk, or loses its power there; false when it ended before. */
export async function runKilled(world: World, rows: readonly NewRow[], kill: Kill, given: Given = {}): Promise<boolean> {
  const { memory } = world;
  let killed = false;
  memory.fault = (step) => {
    if (step < kill.step) return undefined;
    killed = true;
    return kill.fault;
  };
  await run(world, rows, given).catch((error) => {
    if (!killed) throw error;
  });
  memory.revive(kill.keep === undefined ? undefined : { keep: () => kill.keep ?? 0 });
  return killed;
}

export interface Kill {
  /** Of the run's steps on the disk, from 0. */
  step: number;
  fault: Extract<Fault, `end-${string}`>;
  /** The power goes, too: so much of what was not flushed survives, 0 to 1. */
  keep?: number;
}

/** What the journal on disk says. */
export const recordsOf = ({ memory }: World) =>
  readAppendLog<JournalRecord>(JOURNAL, { elsewhere: '', damaged: '' }, memory.disk);

/** A disk whose flushes take so many ms. */
export function slowDisk({ memory, time }: World, ms = 5): Disk {
  const { disk } = memory;
  return {
    ...disk,
    async open(path, flags, mode) {
      const file = await disk.open(path, flags, mode);
      return { ...file, datasync: () => time.sleep(ms).then(() => file.datasync()) };
    },
  };
}

/** What a run says when all is done and nothing in doubt. */
export const done = { stop: undefined, undecided: [] };

export const namesOf = ({ service }: World) => service.codes.map(({ name }) => name).sort();
