import { beforeEach, describe, expect, it } from 'vitest';
import { LocalError, UnprovenError } from '#base/errors';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import {
  CODE,
  countingDisk,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  openOn,
  type RunOptions,
  rowsAt,
  run,
  START,
  STATE,
  type TestService,
} from './runs.ts';

const NEW = { rows: [{ id: 9, ts: '2026-01-02T00:00:00.000Z' }], times: [START + 24 * HOUR] };

let memory: MemoryDisk;
let service: TestService;

/** What the state claims, without the stamp that only a run which is through leaves. */
function claimOf(from: MemoryDisk) {
  const { stamp: _, checksum: __, ...claim } = JSON.parse(from.read(STATE) ?? '');
  return claim;
}

const fileText = () => memory.read(FILE) ?? '';

beforeEach(async () => {
  memory = createMemoryDisk();
  service = { [CODE]: rowsAt(0, HOUR, 2 * HOUR, 3 * HOUR) };
  await run(memory, service);
  memory.revive();
});

describe('on the disk,', () => {
  /** What a run does to the disk, in order, permissions apart; the state, the file and their temporary names by short ones. */
  async function stepsOf(options: RunOptions = {}) {
    const steps: string[] = [];
    memory.fault = (step, operation) => {
      const names = [STATE, '/data/.scans.out.state.json.partial', '/data/.scans.out.restart', FILE];
      const short = ['STATE', 'NEXT STATE', 'NEW FILE', 'FILE'];
      const [verb = '', path = ''] = operation.split(' ');
      steps[step] = `${verb} ${short[names.indexOf(path)] ?? path}`;
      return undefined;
    };
    await run(memory, service, options);
    memory.revive();
    return steps.filter((step) => !step.startsWith('chmod'));
  }

  const state = [...'create write sync rename'.split(' ').map((verb) => `${verb} NEXT STATE`), 'flush /data'];
  /** Of a later run that adds rows. */
  const later = [...state, 'write FILE', 'sync FILE', ...state, 'sync FILE', ...state];

  it('a first run writes a state without rows, creates the file, and writes rows before the state that records them (A1, A3)', async () => {
    memory = createMemoryDisk();
    const rows = ['write FILE', 'sync FILE', ...state];
    const last = ['sync FILE', ...state];
    const first = [...state, 'create FILE', 'flush /data', 'write FILE'];
    expect(await stepsOf()).toEqual([...first, ...rows, ...rows, ...last]);
  });

  it('a run removes the stamp before it appends to a copy of the file, so that the next run after a kill is accepted (A20)', async () => {
    const text = fileText();
    memory.remove(FILE);
    memory.write(FILE, text);
    service[CODE]?.push({ id: 5, time: START + 4 * HOUR });
    memory.fault = (_, operation) => (operation === `write ${FILE}` ? 'end-after' : undefined);
    await run(memory, service).catch(() => undefined);
    expect(fileText().length).toBeGreaterThan(text.length);
    memory.revive();
    expect(await run(memory, service)).toBe(1);
  });

  it('a later run writes a state before and after new rows and at its end, but nothing if no row is new (A19, A20)', async () => {
    service[CODE]?.push({ id: 5, time: START + 9 * HOUR });
    expect(await stepsOf()).toEqual(later);
    expect(await stepsOf()).toEqual([]);
  });

  it('a later run takes the same steps with --rotated as without it (A27)', async () => {
    memory = createMemoryDisk();
    const rotated = { rotated: true };
    await run(memory, service, rotated);
    memory.revive();
    service[CODE]?.push({ id: 5, time: START + 9 * HOUR });
    expect(await stepsOf(rotated)).toEqual(later);
  });

  it('only a --restart records "replacing" in the state (A8)', async () => {
    async function wishedText(options: RunOptions): Promise<boolean[]> {
      const says: boolean[] = [];
      memory.fault = (_, operation) => {
        const next = operation.startsWith('sync') && memory.read('/data/.scans.out.state.json.partial');
        if (next && operation.includes('state')) says.push(JSON.parse(next).replacing);
        return undefined;
      };
      await run(memory, service, options);
      memory.revive();
      return says;
    }
    expect(await wishedText({ restart: true })).toEqual([true, false]);
    for (const options of [{}, { rotated: true }]) {
      memory = createMemoryDisk();
      const says = await wishedText(options);
      expect(says.length).toBeGreaterThan(2);
      expect(says).not.toContain(true);
    }
  });

  it('a --restart writes all rows, then the state, and then renames the new file (A8)', async () => {
    const rows = [...Array(3).fill('write NEW FILE'), 'sync NEW FILE'];
    const rename = ['rename NEW FILE', 'flush /data', ...state];
    const expected = ['create NEW FILE', 'flush /data', ...rows, ...state, ...rename];
    expect(await stepsOf({ restart: true })).toEqual(expected);
  });

  it('a run whose state was lost first removes the incomplete row (A4)', async () => {
    memory.remove(STATE);
    memory.write(FILE, `${fileText()}5,2026`);
    service[CODE]?.push({ id: 5, time: START + 9 * HOUR });
    expect(await stepsOf()).toEqual(['truncate FILE', 'sync FILE', ...later.slice(state.length)]);
  });

  it('a run after a --restart that stopped between its two renames begins with the second rename (A8)', async () => {
    memory.fault = (_, operation) =>
      operation === 'rename /data/.scans.out.restart' ? 'end-before' : undefined;
    await expect(run(memory, service, { restart: true })).rejects.toThrow();
    memory.revive();
    expect(await stepsOf()).toEqual(['rename NEW FILE', 'flush /data', 'flush /data', 'sync FILE', ...state]);
    expect(await stepsOf()).toEqual([]);
  });

  it('a run after a --restart that stopped between its second rename and its flush begins with that flush (A8)', async () => {
    memory.fault = (_, operation) =>
      operation === 'rename /data/.scans.out.restart' ? 'end-after' : undefined;
    await expect(run(memory, service, { restart: true })).rejects.toThrow();
    memory.revive();
    // The rename may not have outlived a power cut yet: flushed again, as long as the state says so.
    expect(await stepsOf()).toEqual(['flush /data', 'flush /data', 'sync FILE', ...state]);
  });
});

describe('a run', () => {
  const changes: [string, () => void][] = [
    // Longer than any row that is added.
    ['writes to the file', () => memory.write(FILE, `${fileText()}# a note of mine${'!'.repeat(150)}`)],
    ['truncates the file', () => memory.write(FILE, fileText().slice(0, 60))],
    ['moves the file away', () => memory.remove(FILE)],
    [
      'replaces the file',
      () => {
        const text = fileText();
        memory.remove(FILE);
        memory.write(FILE, text);
      },
    ],
  ];
  it.each(changes)('commits and truncates no more data if another process %s (A15)', async (_, change) => {
    const before = claimOf(memory);
    const file = await openOn(memory, service);
    change();
    const theirs = memory.read(FILE);
    const adding = file.sinkOf(CODE).write(NEW);
    await expect(adding).rejects.toMatchObject({
      name: UnprovenError.name,
      message: expect.stringContaining(
        `${FILE} was moved, truncated or changed by another process during the run`,
      ),
      hint: expect.stringContaining('No further rows were committed'),
    });
    await expect(file.commit()).rejects.toThrow('was moved, truncated or changed');
    await file.discard();
    expect(claimOf(memory)).toEqual(before);
    expect(memory.read(FILE)?.slice(-50)).toBe(theirs?.slice(-50));
  });
});

it('text that another process adds to the file during a first run is not removed (A15)', async () => {
  memory = createMemoryDisk();
  const file = await openOn(memory, service);
  await file.sinkOf(CODE).write(NEW);
  memory.write(FILE, `${fileText()}a note of mine`);
  const more = { rows: [{ id: 10, ts: NEW.rows[0]?.ts }], times: NEW.times };
  await expect(file.sinkOf(CODE).write(more)).rejects.toThrow(UnprovenError);
  await file.discard();
  expect(fileText()).toContain('a note of mine');
});

it('a file that another process truncates during a run is not filled with zeros, and its state does not change (A15)', async () => {
  const file = await openOn(memory, service);
  const before = claimOf(memory);
  memory.fault = (_, operation) => {
    if (operation === `sync ${FILE}`) memory.write(FILE, '');
    return undefined;
  };
  await expect(file.sinkOf(CODE).write(NEW)).rejects.toThrow(UnprovenError);
  await file.discard();
  expect(claimOf(memory)).toEqual(before);
  expect(fileText()).not.toContain('\0');
});

it('an append fails if its file is moved to another device during the run (A15)', async () => {
  let moved = 1n;
  const lstat = async (path: string) => ({
    ...(await memory.disk.lstat(path)),
    ...(path === FILE && { dev: moved }),
  });
  const file = await openOn(memory, service, { disk: { ...memory.disk, lstat } });
  moved = 2n;
  await expect(file.sinkOf(CODE).write(NEW)).rejects.toThrow('was moved, truncated or changed');
  await file.discard();
});

describe('a failed write or commit', () => {
  it.each([`write ${FILE}`, `sync ${FILE}`])(
    '(%s) makes all later commits of the run fail, and uncommitted rows are removed (A5)',
    async (step) => {
      const before = [claimOf(memory), fileText()];
      const file = await openOn(memory, service);
      memory.fault = (_, operation) => (operation === step ? 'EIO' : undefined);
      await expect(file.sinkOf(CODE).write(NEW)).rejects.toThrow(LocalError);
      memory.fault = () => undefined;
      await expect(file.sinkOf(CODE).write(NEW)).rejects.toThrow('EIO');
      await expect(file.commit()).rejects.toThrow('EIO');
      await file.discard();
      expect([claimOf(memory), fileText()]).toEqual(before);
    },
  );

  it.each(['cannot be written', 'describes a file that another process changed'])(
    'leaves neither an open file nor a temporary state if the state %s',
    async (reason) => {
      const counting = countingDisk(memory);
      const file = await openOn(memory, service, { disk: counting.disk });
      const sink = file.sinkOf(CODE);
      await sink.write(NEW);
      await sink.commit();
      let states = 0;
      memory.fault = (_, operation) => {
        if (reason === 'cannot be written') return operation.startsWith('write') ? 'EIO' : undefined;
        if (operation.startsWith('create') && ++states === 1)
          memory.write(FILE, `${fileText()}a note of mine`);
        return undefined;
      };
      await expect(file.commit()).rejects.toThrow();
      expect(memory.names()).toEqual([FILE, STATE]);
      memory.fault = () => undefined;
      await file.discard();
      expect(counting.stillOpen()).toBe(0);
    },
  );

  it('during the rename of the state leaves the rows in the file, because the new state may record them', async () => {
    const file = await openOn(memory, service);
    let renames = 0;
    memory.fault = (_, operation) => (operation.startsWith('rename') && ++renames === 2 ? 'EIO' : undefined);
    await expect(file.sinkOf(CODE).write(NEW)).rejects.toThrow(LocalError);
    await file.discard();
    expect(idsIn(fileText())).toEqual(['1', '2', '3', '4', '9']);
  });
});

describe('--restart', () => {
  it('keeps the permissions of the file', async () => {
    await (await memory.disk.open(FILE, 'r+')).chmod(0o100640);
    await run(memory, service, { restart: true });
    expect((await memory.disk.stat(FILE)).mode & 0o777).toBe(0o640);
  });

  it('replaces neither the file nor the state before all rows are written', async () => {
    const before = [fileText(), memory.read(STATE)];
    const file = await openOn(memory, service, { restart: true });
    await file.sinkOf(CODE).write(NEW);
    expect([fileText(), memory.read(STATE)]).toEqual(before);
    await file.discard();
    expect(memory.names()).toEqual([FILE, STATE]);
  });

  it('creates a file with only a header if there are no scans', async () => {
    await run(memory, { [CODE]: [] }, { restart: true });
    expect(fileText()).toBe('id,ts,country,city,device,os,browser,referrer\n');
  });
});

it('an append fails if it reads back an incomplete row', async () => {
  const begin = () => 'id,ts,country,city,device,os,browser,referrer\n';
  const torn = { begin, rows: () => 'torn', end: () => '' };
  const file = await openOn(memory, service, { formatter: torn });
  const sink = file.sinkOf(CODE);
  await sink.write(NEW);
  // Older than the ids that are listed: they are looked for in the file.
  await expect(sink.write({ rows: [{ id: 1 }], times: [START] })).rejects.toThrow(
    'an incomplete row at the end',
  );
  await file.discard();
});
