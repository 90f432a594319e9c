/** Every step an append takes on the disk is made the last one, of the process or of the machine, or made to fail. */
import { describe, expect, it } from 'vitest';
import { LocalError, UsageError } from '#base/errors';
import { Ended, type Fault, type MemoryDisk } from '../../support/memory-disk.ts';
import { firstRows, SOAK } from '../../support/property-runs.ts';
import {
  CODE,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  idsOf,
  OTHER_CODE,
  type RunOptions,
  rowsAt,
  run,
  START,
  STATE,
  type TestService,
} from './runs.ts';

interface Scenario {
  name: string;
  options: RunOptions;
  /** What was there before the run that is attacked. */
  before?: (memory: MemoryDisk, service: TestService) => Promise<unknown>;
}

const hours = (count: number, from = 0) =>
  rowsAt(...Array.from({ length: count }, (_, i) => (from + i) * HOUR));

function newScans(service: TestService): void {
  service[CODE]?.push(
    { id: 50, time: START + 4.5 * HOUR },
    { id: 51, time: START + 12 * HOUR },
    { id: 52, time: START + 13 * HOUR },
  );
  service[OTHER_CODE]?.push({ id: 53, time: START + 8 * HOUR });
}

const aRunBefore: Scenario['before'] = async (memory, service) => {
  await run(memory, service);
  newScans(service);
};

const OF_NDJSON: Scenario = { name: 'a first run of NDJSON', options: { identity: { format: 'ndjson' } } };

const scenarios: Scenario[] = [
  { name: 'a first run', options: {} },
  { name: 'a later run', options: {}, before: aRunBefore },
  { name: 'a --restart', options: { restart: true }, before: aRunBefore },
  { name: 'a first --restart', options: { restart: true } },
  {
    name: 'a run after one that was killed',
    options: {},
    async before(memory, service) {
      memory.fault = (step) => (step === 14 ? 'end-within' : undefined);
      await expect(run(memory, service)).rejects.toThrow(Ended);
      memory.revive();
      newScans(service);
    },
  },
  {
    name: 'a run after a --restart that was killed between its two renames',
    options: {},
    async before(memory, service) {
      await aRunBefore?.(memory, service);
      memory.fault = (_, operation) =>
        operation === 'rename /data/.scans.out.restart' ? 'end-before' : undefined;
      await expect(run(memory, service, { restart: true })).rejects.toThrow(Ended);
      memory.revive();
      service[CODE]?.push({ id: 60, time: START + 20 * HOUR });
    },
  },
  {
    name: 'a run whose state was lost',
    options: {},
    async before(memory, service) {
      await aRunBefore?.(memory, service);
      memory.remove(STATE);
    },
  },
  ...(SOAK ? [OF_NDJSON] : []),
];

async function prepared({ before }: Scenario) {
  const memory = createMemoryDisk();
  const service: TestService = { [CODE]: hours(5), [OTHER_CODE]: hours(2, 4) };
  await before?.(memory, service);
  memory.revive();
  return { memory, service };
}

/** How many steps the scenario takes when nothing goes wrong. */
async function stepsOf(scenario: Scenario): Promise<number> {
  const { memory, service } = await prepared(scenario);
  await run(memory, service, scenario.options);
  return memory.steps();
}

/** Runs the scenario with a fault at every step in turn; without QRCTL_SOAK at every third, those between with the next faults. */
async function atEveryStep(
  scenario: Scenario,
  faults: Fault[],
  check: (memory: MemoryDisk, service: TestService, error: unknown) => Promise<void>,
) {
  const steps = await stepsOf(scenario);
  expect(steps).toBeGreaterThan(5);
  for (const [index, fault] of faults.entries()) {
    for (let at = SOAK ? 0 : index % 3; at < steps; at += SOAK ? 1 : 3) {
      const { memory, service } = await prepared(scenario);
      memory.fault = (step) => (step === at ? fault : undefined);
      const error = await run(memory, service, scenario.options).catch((reason: unknown) => reason);
      await check(memory, service, error);
    }
  }
}

/** What was on the disk when a next run was seen to mend it. Different ends leave the same, and a run is expensive. */
const mended = new Set<string>();

async function expectEachScanOnce(
  memory: MemoryDisk,
  service: TestService,
  { restart: _, ...options }: RunOptions,
) {
  const found = JSON.stringify([
    memory.names().map((name) => [name, memory.read(name)]),
    Object.values(service),
    options,
  ]);
  if (mended.has(found)) return;
  mended.add(found);
  await run(memory, service, options);
  const format = options.identity?.format;
  expect(idsInFile(memory, format).sort()).toEqual(idsOf(service));
}

const idsInFile = (memory: MemoryDisk, format?: 'csv' | 'ndjson' | 'parquet') =>
  idsIn(memory.read(FILE) ?? '', format);

/** Nothing that counts lies between the end of a step and the beginning of the next: only writes have a midst of their own. */
const ENDS: Fault[] = SOAK ? ['end-before', 'end-within', 'end-after'] : ['end-within'];

describe.each(scenarios)('$name', (scenario) => {
  it('can be completed by the next run after a kill at any step (A3, A4)', async () => {
    await atEveryStep(scenario, [...ENDS, 'end-after'], async (memory, service, error) => {
      expect(error).toBeInstanceOf(Ended);
      memory.revive();
      await expectEachScanOnce(memory, service, scenario.options);
    });
  });

  it.each([0, ...(SOAK ? [0.5, 1] : [])])(
    'can be completed if a power cut at any step keeps this share of the unflushed bytes: %f (A1, A2)',
    async (keep) => {
      await atEveryStep(scenario, ENDS, async (memory, service) => {
        memory.revive({ keep: () => keep });
        await expectEachScanOnce(memory, service, scenario.options);
      });
    },
  );

  it('can be completed if a power cut at any step keeps only file names or only file contents (A1, A3)', async () => {
    for (const kept of ['names', 'inode']) {
      await atEveryStep(scenario, ENDS, async (memory, service) => {
        memory.revive({ keep: (what) => (what.startsWith(kept) ? 1 : 0) });
        await expectEachScanOnce(memory, service, scenario.options);
      });
    }
  });

  it('can be completed if a power cut at any step undoes any one directory change (A3, A8)', async () => {
    for (const lost of SOAK ? [0, 1, 2, 3] : [0, 1]) {
      for (const contents of SOAK ? [0, 1] : [1]) {
        await atEveryStep(scenario, ['end-after'], async (memory, service) => {
          memory.revive({ keep: (what) => (what === 'names' ? 1 : contents), lost });
          await expectEachScanOnce(memory, service, scenario.options);
        });
      }
    }
  });

  it('leaves a file and a state that a power cut after the run does not change', async () => {
    const { memory, service } = await prepared(scenario);
    await run(memory, service, scenario.options);
    const before = [memory.read(FILE), memory.read(STATE)];
    memory.revive({ keep: () => 0 });
    expect([memory.read(FILE), memory.read(STATE)]).toEqual(before);
  });

  it('fails with a hint if the disk fails at any step, and leaves only complete rows (A5)', async () => {
    await atEveryStep(scenario, SOAK ? ['ENOSPC', 'EIO'] : ['ENOSPC'], async (memory, service, error) => {
      expect(error).toBeInstanceOf(LocalError);
      expect((error as LocalError).hint).toBeDefined();
      memory.revive();
      idsIn(memory.read(FILE) ?? '', scenario.options.identity?.format); // throws at a torn line
      await expectEachScanOnce(memory, service, scenario.options);
    });
  });

  it('completes the file even if any single write is partial', async () => {
    await atEveryStep(scenario, ['short'], async (memory, service, error) => {
      expect(error).not.toBeInstanceOf(Error);
      memory.revive();
      await expectEachScanOnce(memory, service, scenario.options);
    });
  });
});

describe('a state that is truncated or changed', () => {
  it.each(firstRows(1, ['csv', 'ndjson'] as const))(
    'at any byte is rebuilt or refused, so that no scan is duplicated (%s) (A2)',
    async (format) => {
      const options: RunOptions = { identity: { format } };
      const { memory, service } = await prepared({ name: '', options });
      await run(memory, service, options);
      newScans(service);
      const [file = '', state = ''] = [memory.read(FILE), memory.read(STATE)];
      const damaged = [...cuts(state), ...flips(state)].filter((_, i) => SOAK || i % 40 === 0);
      let rebuilt = 0;
      for (const text of damaged) {
        memory.write(FILE, file);
        memory.write(STATE, text);
        const error = await run(memory, service, options).catch((reason: unknown) => reason);
        if (error instanceof Error) {
          expect(error).toBeInstanceOf(UsageError);
          expect(memory.read(FILE)).toBe(file);
        } else {
          rebuilt++;
          expect(idsInFile(memory, format).sort()).toEqual(idsOf(service));
        }
      }
      expect(rebuilt).toBeGreaterThan(damaged.length * 0.9);
    },
  );
});

function cuts(text: string): Buffer[] {
  return Array.from({ length: text.length }, (_, length) => Buffer.from(text.slice(0, length)));
}

/** The text with each byte changed in its lowest, a middle, and its highest bit. */
function flips(text: string): Buffer[] {
  return [0x01, 0x10, 0x80].flatMap((bit) =>
    Array.from({ length: text.length }, (_, at) => {
      const bytes = Buffer.from(text);
      bytes[at] = (bytes[at] ?? 0) ^ bit;
      return bytes;
    }),
  );
}
