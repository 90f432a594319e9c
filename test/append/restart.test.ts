/** `--restart` of a file that has scans which the service no longer has: nothing of it is lost, wherever the run ends (A31). */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Disk } from '../../src/durable/disk.ts';
import { LocalError } from '../../src/errors.ts';
import { atEveryStep, POWER_CUTS } from '../durable/every-step.ts';
import { Ended, type Fault, type MemoryDisk } from '../support/memory-disk.ts';
import { runs, SOAK } from '../support/property-runs.ts';
import {
  CODE,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  OTHER_CODE,
  ownWorkspace,
  type RunOptions,
  rowsAt,
  run,
  START,
  STATE,
  type TestService,
} from './runs.ts';

const OLD = `${FILE}.old`;

let memory: MemoryDisk;
let service: TestService;
let remarks: string[];

const ids = (name = FILE, on = memory) => idsIn(on.read(name) ?? '');
const oldFiles = (on = memory) => on.names().filter((name) => name.startsWith(OLD));
const restart = (options: RunOptions = {}) =>
  run(memory, service, { restart: true, remark: (line) => remarks.push(line), ...options });

beforeEach(() => {
  memory = createMemoryDisk();
  service = { [CODE]: rowsAt(0, HOUR, 2 * HOUR, 3 * HOUR) };
  remarks = [];
});

/** What retention at the service does. */
function forget(...gone: number[]): void {
  service[CODE] = (service[CODE] ?? []).filter(({ id }) => !gone.includes(Number(id)));
}

describe('the old file stays, and it is said why, if', () => {
  it('the service no longer has all of its scans', async () => {
    await run(memory, service);
    const before = memory.read(FILE);
    forget(1, 3);
    await restart();
    expect(ids()).toEqual(['2', '4']);
    expect(memory.read(OLD)).toBe(before);
    expect(remarks).toEqual([`Kept the old file as ${OLD}: 2 scans in it are not in scans.out (2 of ${CODE})`]);
    expect(memory.names()).toEqual([FILE, OLD, STATE]);
    expect(await run(memory, service)).toBe(0);
  });

  it('the new one has as many scans, but others', async () => {
    await run(memory, service);
    forget(1);
    service[CODE]?.push({ id: 9, time: START + 4 * HOUR });
    await restart();
    expect(ids(OLD)).toEqual(['1', '2', '3', '4']);
  });

  it('a code was deleted: how many scans of each is said, the most first', async () => {
    service[OTHER_CODE] = [...rowsAt(0, HOUR), { id: 7, time: START }];
    const codes = { [CODE]: service[CODE] ?? [], [OTHER_CODE]: service[OTHER_CODE] };
    await run(memory, codes, { identity: { all: true } });
    const left = { [OTHER_CODE]: service[OTHER_CODE].slice(1) };
    await run(memory, left, { restart: true, identity: { all: true }, remark: (line) => remarks.push(line) });
    expect(remarks).toEqual([
      `Kept the old file as ${OLD}: 5 scans in it are not in scans.out (4 of ${CODE}, 1 of ${OTHER_CODE})`,
    ]);
  });

  it('it was of other codes, of another workspace, or in another form', async () => {
    await run(memory, service, { identity: { format: 'ndjson' } });
    await run(memory, { [OTHER_CODE]: rowsAt(0) }, { restart: true, own: ownWorkspace([], { apiKey: 'svc_live_bbbb' }) });
    expect(idsIn(memory.read(OLD) ?? '', 'ndjson')).toEqual(['1', '2', '3', '4']);
    expect(ids()).toEqual(['1']);
  });

  it.each<[string, () => void, string]>([
    [
      'it was edited',
      () => memory.write(FILE, memory.read(FILE)?.replace('iOS', 'iPadOS') ?? ''),
      'it was edited after the last run',
    ],
    [
      'something was added to it',
      () => memory.write(FILE, `${memory.read(FILE)}5,2026-01-01T04:00:00.000Z,DE,,,,,\n`),
      'it was edited after',
    ],
    [
      'one letter of it was changed',
      () => memory.write(FILE, memory.read(FILE)?.replace('iOS', 'bOS') ?? ''),
      'it was edited after the last run',
    ],
    ['it is damaged', () => memory.write(FILE, memory.read(FILE)?.replace(',', '') ?? ''), "its scans can't be compared"],
    ['it is of another program', () => memory.write(FILE, 'name,amount\nTea,3\n'), "its scans can't be compared"],
    ['its last row is cut', () => memory.write(FILE, memory.read(FILE)?.slice(0, -3) ?? ''), "its scans can't be compared"],
    [
      'its state is lost, and its columns are others',
      () => {
        memory.remove(STATE);
        memory.write(FILE, memory.read(FILE)?.replace('country', 'land') ?? '');
      },
      "its scans can't be compared with the new ones (other columns)",
    ],
  ])('%s', async (_, change, reason) => {
    await run(memory, service);
    change();
    const before = memory.read(FILE);
    await restart();
    expect(memory.read(OLD)).toBe(before);
    expect(remarks.join()).toContain(reason);
    expect(ids()).toEqual(['1', '2', '3', '4']);
  });

  it('something else stands behind the last commit of a run that was stopped', async () => {
    await run(memory, service);
    service[CODE]?.push({ id: 5, time: START + 5 * HOUR });
    memory.fault = (_, operation) => (operation === `write ${FILE}` ? 'end-after' : undefined);
    await expect(run(memory, service)).rejects.toThrow(Ended);
    memory.revive();
    memory.write(FILE, `${memory.read(FILE)}note to self`);
    await restart();
    expect(memory.read(OLD)).toContain('note to self');
  });

  it('a first run committed nothing, and a file of another program stands there', async () => {
    memory.fault = (_, operation) => (operation === `create ${FILE}` ? 'end-before' : undefined);
    await expect(run(memory, service)).rejects.toThrow(Ended);
    memory.revive();
    memory.write(FILE, 'name,amount\n');
    await restart();
    expect(memory.read(OLD)).toBe('name,amount\n');
  });

  it('it cannot be opened', async () => {
    await run(memory, service);
    const open: Disk['open'] = async (path, ...rest) => {
      if (path === FILE) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      return memory.disk.open(path, ...rest);
    };
    await restart({ disk: { ...memory.disk, open } });
    expect(ids(OLD)).toEqual(['1', '2', '3', '4']);
  });
});

describe('no old file is left if', () => {
  it('every scan of it is in the new one', async () => {
    await run(memory, service);
    service[CODE]?.push({ id: 9, time: START + 4 * HOUR });
    await restart();
    expect(ids()).toHaveLength(5);
    expect(memory.names()).toEqual([FILE, STATE]);
    expect(remarks).toEqual([]);
  });

  it('it has no header, with or without a byte order mark', async () => {
    for (const excel of [false, true]) {
      const identity = { dialect: { header: false, excel, rawCells: false, keepExtra: false } };
      await run(memory, service, { identity });
      await restart({ identity });
      expect(memory.names()).toEqual([FILE, STATE]);
      memory = createMemoryDisk();
    }
  });

  it('only its state was lost', async () => {
    await run(memory, service);
    memory.remove(STATE);
    await restart();
    expect(memory.names()).toEqual([FILE, STATE]);
  });

  it('a stopped run left part of a row behind its last commit', async () => {
    await run(memory, service);
    for (const id of [5, 6, 7, 8, 9]) service[CODE]?.push({ id, time: START + id * HOUR });
    memory.fault = (_, operation) => (operation === `write ${FILE}` ? 'end-within' : undefined);
    await expect(run(memory, service)).rejects.toThrow(Ended);
    memory.revive();
    expect(memory.read(FILE)?.endsWith('\n')).toBe(false);
    await restart();
    expect(memory.names()).toEqual([FILE, STATE]);
  });

  it('it was empty, or only had a header', async () => {
    memory.write(FILE, '');
    await restart();
    await run(memory, { [CODE]: [] }, { restart: true });
    expect(oldFiles()).toEqual([OLD]);
    memory.remove(OLD);
    await run(memory, service, { restart: true });
    expect(oldFiles()).toEqual([]);
  });
});

it('each old file has a name of its own', async () => {
  await run(memory, service);
  for (const gone of [1, 2, 3]) {
    forget(gone);
    await restart();
  }
  expect(oldFiles().map((name) => ids(name))).toEqual([
    ['1', '2', '3', '4'],
    ['2', '3', '4'],
    ['3', '4'],
  ]);
  expect(oldFiles()).toEqual([OLD, `${OLD}.1`, `${OLD}.2`]);
});

it('files that log rotation moved away stay, and it is said that the new one has their scans too', async () => {
  await run(memory, service);
  await memory.disk.rename(FILE, `${FILE}.1`);
  service[CODE]?.push({ id: 9, time: START + 4 * HOUR });
  await run(memory, service, { rotated: true });
  await restart();
  expect(ids()).toHaveLength(5);
  expect(ids(`${FILE}.1`)).toHaveLength(4);
  expect(remarks).toEqual([expect.stringContaining('Files that log rotation moved away are unchanged. scans.out now also has')]);
});

/** The disk of a file system without hard links. */
function withoutLinks(on: MemoryDisk): Disk {
  return { ...on.disk, link: () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' })) };
}

const before = { [CODE]: rowsAt(0, HOUR, 2 * HOUR, 3 * HOUR) };
const after: TestService = { [CODE]: [...rowsAt(0, HOUR, 2 * HOUR, 3 * HOUR).slice(2), { id: 9, time: START + 4 * HOUR }] };
const diskOf = (on: MemoryDisk, hasLinks: boolean) => (hasLinks ? on.disk : withoutLinks(on));
const everyRow = (on: MemoryDisk) =>
  new Set(
    on
      .names()
      .filter((name) => name !== STATE)
      .flatMap((name) => ids(name, on)),
  );

/** The next run ends well, and what the old file had is in the file or in the old one, each file whole. */
async function expectNothingLost(on: MemoryDisk, hasLinks: boolean): Promise<void> {
  await run(on, after, { disk: diskOf(on, hasLinks) });
  expect(ids(FILE, on)).toContain('9');
  expect(everyRow(on)).toEqual(new Set(['1', '2', '3', '4', '9']));
  expect(on.names().filter((name) => name.includes('restart'))).toEqual([]);
}

describe.each([true, false])('with an old file that must stay, on a disk with links: %s,', (hasLinks) => {
  const prepare = async (on: MemoryDisk) => void (await run(on, before, { disk: diskOf(on, hasLinks) }));
  const work = (on: MemoryDisk) => run(on, after, { restart: true, disk: diskOf(on, hasLinks) });
  // Between the end of a step and the beginning of the next nothing counts: of the ends, the one within is enough by day.
  const ends: Fault[] = SOAK ? ['end-before', 'end-within', 'end-after'] : ['end-within'];
  const cuts = SOAK ? POWER_CUTS : POWER_CUTS.filter((keep) => keep('names') !== 0.5 && keep('inode 1') !== 0.5);

  it('a restart may be killed at every step (A31)', async () => {
    const steps = await atEveryStep(prepare, work, [...ends, 'end-after'], async ({ memory: on, error }) => {
      expect(error).toBeInstanceOf(Ended);
      on.revive();
      await expectNothingLost(on, hasLinks);
    });
    expect(steps).toBeGreaterThan(10);
  });

  it('a restart may lose power at every step, in every mixture (A31)', async () => {
    for (const keep of cuts) {
      await atEveryStep(prepare, work, ends, async ({ memory: on }) => {
        on.revive({ keep });
        await expectNothingLost(on, hasLinks);
      });
    }
  });

  it('and any one change of a name may be lost with the power, on a disk that keeps no order (A31)', async () => {
    for (const lost of SOAK ? [0, 1, 2, 3] : [0, 1]) {
      await atEveryStep(prepare, work, ['end-after'], async ({ memory: on }) => {
        on.revive({ keep: () => 1, lost });
        await expectNothingLost(on, hasLinks);
      });
    }
  });

  it('a run that finishes it may be killed and lose power at every step as well (A31)', async () => {
    const killed = async (on: MemoryDisk) => {
      await prepare(on);
      on.fault = (_, operation) => (operation === `rename ${FILE.replace('scans', '.scans')}.restart` ? 'end-before' : undefined);
      await expect(work(on)).rejects.toThrow(Ended);
      on.revive();
    };
    for (const keep of [undefined, ...cuts]) {
      const next = (on: MemoryDisk) => run(on, after, { disk: diskOf(on, hasLinks) });
      await atEveryStep(killed, next, ends, async ({ memory: on }) => {
        on.revive(keep && { keep });
        await expectNothingLost(on, hasLinks);
      });
    }
  });

  it('a full disk at every step loses nothing (A31)', async () => {
    await atEveryStep(prepare, work, SOAK ? ['ENOSPC', 'EIO'] : ['ENOSPC'], async ({ memory: on, error }) => {
      if (error !== undefined) expect(error).toBeInstanceOf(LocalError);
      on.revive();
      await expectNothingLost(on, hasLinks);
    });
  });
});

it('readers see a file in its place at each step', async () => {
  await run(memory, service);
  forget(1);
  memory.fault = () => {
    expect(memory.read(FILE)).toBeDefined();
    return undefined;
  };
  await restart();
  expect(oldFiles()).toEqual([OLD]);
});

it('the run that finishes a restart says where the old file is', async () => {
  await run(memory, service);
  forget(1);
  memory.fault = (_, operation) => (operation.startsWith('rename /data/.scans.out.restart') ? 'end-before' : undefined);
  await expect(restart()).rejects.toThrow(Ended);
  memory.revive();
  const said: string[] = [];
  await run(memory, service, { warn: (line) => said.push(line) });
  expect(said).toEqual([`scans.out: a --restart was stopped and is finished now; the old file is ${OLD}`]);
});

/** One thing that happens. */
const event = fc.record({
  scans: fc.nat({ max: 4 }),
  /** Whether the service forgets each of its scans, by turns. */
  forgets: fc.array(fc.boolean(), { maxLength: 12 }),
  restart: fc.boolean(),
  fault: fc.option(
    fc.record({
      at: fc.nat({ max: 40 }),
      kind: fc.constantFrom<Fault>('ENOSPC', 'EIO', 'short', 'end-before', 'end-within', 'end-after'),
      powerCut: fc.option(fc.constantFrom(0, 0.2, 0.5, 0.8, 1), { nil: undefined }),
    }),
    { nil: undefined },
  ),
  hasLinks: fc.boolean(),
});

it('after any history every scan that a good run left in the file is in it, or in an old one (A31)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 10 }), async (events) => {
      const on = createMemoryDisk();
      const there: TestService = { [CODE]: [] };
      const had = new Set<string>();
      let [nowMs, nextId] = [START, 1];
      for (const { scans, forgets, fault, hasLinks, ...options } of events) {
        nowMs += HOUR / 2;
        there[CODE] = (there[CODE] ?? []).filter((_, i) => !forgets[i % 12]);
        for (let i = 0; i < scans; i++) there[CODE].push({ id: nextId++, time: nowMs + i });
        on.fault = (step) => (step === fault?.at ? fault.kind : undefined);
        await run(on, there, { ...options, disk: diskOf(on, hasLinks) }).catch(() => undefined);
        const ended = fault?.kind.startsWith('end') && on.steps() > fault.at;
        on.revive(ended && fault?.powerCut !== undefined ? { keep: () => fault.powerCut ?? 1 } : undefined);
        if (ended || fault) await run(on, there);
        for (const id of ids(FILE, on)) had.add(id);
        expect([...had].filter((id) => !everyRow(on).has(id))).toEqual([]);
        expect(there[CODE].filter(({ id }) => !ids(FILE, on).includes(`${id}`))).toEqual([]);
      }
    }),
    runs(20, 20_000),
  );
}, 600_000);
