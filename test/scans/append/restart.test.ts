/** `--restart` of a file that has scans which the service no longer has: nothing of it is lost (A31). Killed and cut off: restart-faults.test.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Disk } from '#files/durable/disk';
import { Ended, type MemoryDisk } from '../../support/memory-disk.ts';
import {
  CODE,
  countingDisk,
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

describe('the old file is kept after a --restart if', () => {
  it('the service no longer returns all of its scans, and the number of missing scans is reported', async () => {
    await run(memory, service);
    const before = memory.read(FILE);
    forget(1, 3);
    await restart();
    expect(ids()).toEqual(['2', '4']);
    expect(memory.read(OLD)).toBe(before);
    expect(remarks).toEqual([
      `Kept the old file as ${OLD}: 2 scans in it are not in scans.out (2 from ${CODE})`,
    ]);
    expect(memory.names()).toEqual([FILE, OLD, STATE]);
    expect(await run(memory, service)).toBe(0);
  });

  it('the new file has the same number of scans, but lacks one of the old scans', async () => {
    await run(memory, service);
    forget(1);
    service[CODE]?.push({ id: 9, time: START + 4 * HOUR });
    await restart();
    expect(ids(OLD)).toEqual(['1', '2', '3', '4']);
  });

  it('a code was deleted, and the reason lists the number of missing scans per code, the largest first', async () => {
    service[OTHER_CODE] = [...rowsAt(0, HOUR), { id: 7, time: START }];
    const codes = { [CODE]: service[CODE] ?? [], [OTHER_CODE]: service[OTHER_CODE] };
    await run(memory, codes, { identity: { all: true } });
    const left = { [OTHER_CODE]: service[OTHER_CODE].slice(1) };
    await run(memory, left, { restart: true, identity: { all: true }, remark: (line) => remarks.push(line) });
    expect(remarks).toEqual([
      `Kept the old file as ${OLD}: 5 scans in it are not in scans.out (4 from ${CODE}, 1 from ${OTHER_CODE})`,
    ]);
  });

  it.each([
    [5, ''],
    [6, ', the rest from 1 more code'],
    [7, ', the rest from 2 more codes'],
  ])(
    '%i codes were deleted, and the reason lists the number of missing scans for five codes, the largest first',
    async (deleted, others) => {
      const codes = Array.from({ length: deleted }, (_, i) => `${i}0000000-0000-4000-8000-000000000000`);
      let id = 1;
      const scans = codes.map((code, i) => [
        code,
        [...Array(i + 1).keys()].map((at) => ({ id: id++, time: START + at })),
      ]);
      const identity = { all: true };
      await run(memory, { ...service, ...Object.fromEntries(scans) }, { identity });
      await restart({ identity });
      const five = codes.map((code, i) => `${i + 1} from ${code}`).toReversed();
      expect(remarks).toEqual([
        `Kept the old file as ${OLD}: ${id - 1} scans in it are not in scans.out (${five.slice(0, 5).join(', ')}${others})`,
      ]);
    },
  );

  it('one scan was deleted, and the reason states this in the singular', async () => {
    await run(memory, service);
    forget(1);
    await restart();
    expect(remarks).toEqual([
      `Kept the old file as ${OLD}: 1 scan in it is not in scans.out (1 from ${CODE})`,
    ]);
  });

  it('it contains other codes from another workspace in another format', async () => {
    await run(memory, service, { identity: { format: 'ndjson' } });
    await run(
      memory,
      { [OTHER_CODE]: rowsAt(0) },
      { restart: true, own: ownWorkspace([], { apiKey: 'svc_live_bbbb' }) },
    );
    expect(idsIn(memory.read(OLD) ?? '', 'ndjson')).toEqual(['1', '2', '3', '4']);
    expect(ids()).toEqual(['1']);
  });

  const edit = (from: string | RegExp, to: string) => () =>
    memory.write(FILE, memory.read(FILE)?.replace(from, to) ?? '');

  it.each<[string, () => void, string]>([
    ['it was edited', edit('iOS', 'iPadOS'), 'it was edited after the last run'],
    ['a row was added to it', edit(/$/, '5,2026-01-01T04:00:00.000Z,DE,,,,,\n'), 'it was edited after'],
    ['one letter in it was changed', edit('iOS', 'bOS'), 'it was edited after the last run'],
    ['it is an older copy', edit(/.+\n$/, ''), 'it is shorter than the last run left it'],
    ['it is damaged', edit('iOS,', 'iOS'), "its scans can't be compared"],
    ['another program wrote it', edit(/^.*$/s, 'name,amount\nTea,3\n'), "its scans can't be compared"],
    ['its last row is incomplete', edit(/...$/s, ''), "its scans can't be compared"],
    [
      'its state is missing and its columns differ',
      () => {
        memory.remove(STATE);
        edit('country', 'land')();
      },
      "its scans can't be compared with the new ones (different columns)",
    ],
  ])('%s, and the reason is reported', async (_, change, reason) => {
    await run(memory, service);
    change();
    const before = memory.read(FILE);
    await restart();
    expect(memory.read(OLD)).toBe(before);
    expect(remarks.join()).toContain(reason);
    expect(ids()).toEqual(['1', '2', '3', '4']);
  });

  it('another program added text after the last commit of a stopped run', async () => {
    await run(memory, service);
    service[CODE]?.push({ id: 5, time: START + 5 * HOUR });
    memory.fault = (_, operation) => (operation === `write ${FILE}` ? 'end-after' : undefined);
    await expect(run(memory, service)).rejects.toThrow(Ended);
    memory.revive();
    memory.write(FILE, `${memory.read(FILE)}note to self`);
    await restart();
    expect(memory.read(OLD)).toContain('note to self');
  });

  it('a first run committed no rows, and another program wrote the file', async () => {
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

describe('no old file is kept after a --restart if', () => {
  it('the new file has every scan of the old file', async () => {
    await run(memory, service);
    service[CODE]?.push({ id: 9, time: START + 4 * HOUR });
    await restart();
    expect(ids()).toHaveLength(5);
    expect(memory.names()).toEqual([FILE, STATE]);
    expect(remarks).toEqual([]);
  });

  it('both files have the same scans and no header, with or without a byte order mark', async () => {
    for (const excel of [false, true]) {
      const identity = { dialect: { header: false, excel, rawCells: false } };
      await run(memory, service, { identity });
      await restart({ identity });
      expect(memory.names()).toEqual([FILE, STATE]);
      memory = createMemoryDisk();
    }
  });

  it('only the state of the old file is missing', async () => {
    await run(memory, service);
    memory.remove(STATE);
    await restart();
    expect(memory.names()).toEqual([FILE, STATE]);
    expect(remarks).toEqual([]);
  });

  it('a stopped run left part of a row after its last commit', async () => {
    await run(memory, service);
    for (const id of [5, 6, 7, 8, 9]) service[CODE]?.push({ id, time: START + id * HOUR });
    memory.fault = (_, operation) => (operation === `write ${FILE}` ? 'end-within' : undefined);
    await expect(run(memory, service)).rejects.toThrow(Ended);
    memory.revive();
    expect(memory.read(FILE)?.endsWith('\n')).toBe(false);
    await restart();
    expect(memory.names()).toEqual([FILE, STATE]);
  });

  it('the old file was empty or had only a header', async () => {
    memory.write(FILE, '');
    await restart();
    await run(memory, { [CODE]: [] }, { restart: true });
    expect(oldFiles()).toEqual([OLD]);
    memory.remove(OLD);
    await run(memory, service, { restart: true });
    expect(oldFiles()).toEqual([]);
  });
});

it('each old file that a --restart keeps gets its own name', async () => {
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

it('a --restart closes the old file after the comparison', async () => {
  await run(memory, service);
  const { disk, stillOpen } = countingDisk(memory);
  await restart({ disk });
  expect(stillOpen()).toBe(0);
});

it('a --restart leaves rotated files unchanged, and a remark states that the new file also has their scans', async () => {
  const codes = { ...service, [OTHER_CODE]: [] };
  await run(memory, codes);
  await memory.disk.rename(FILE, `${FILE}.1`);
  service[CODE]?.push({ id: 9, time: START + 4 * HOUR });
  await run(memory, codes, { rotated: true });
  await run(memory, codes, { restart: true, remark: (line) => remarks.push(line) });
  expect(ids()).toHaveLength(5);
  expect(ids(`${FILE}.1`)).toHaveLength(4);
  expect(remarks).toEqual([
    expect.stringContaining('Rotated files are unchanged. scans.out now also contains'),
  ]);
});

it('a file exists at the path before each step of a --restart', async () => {
  await run(memory, service);
  forget(1);
  memory.fault = () => {
    expect(memory.read(FILE)).toBeDefined();
    return undefined;
  };
  await restart();
  expect(oldFiles()).toEqual([OLD]);
});

it('the run that completes an interrupted --restart reports the name of the old file', async () => {
  await run(memory, service);
  forget(1);
  memory.fault = (_, operation) =>
    operation.startsWith('rename /data/.scans.out.restart') ? 'end-before' : undefined;
  await expect(restart()).rejects.toThrow(Ended);
  memory.revive();
  const said: string[] = [];
  await run(memory, service, { warn: (line) => said.push(line) });
  expect(said).toEqual([`scans.out: finished an interrupted --restart. The old file is ${OLD}`]);
});

it('a run without a callback for warnings completes an interrupted --restart and keeps the old file', async () => {
  await run(memory, service);
  forget(1);
  memory.fault = (_, operation) =>
    operation.startsWith('rename /data/.scans.out.restart') ? 'end-before' : undefined;
  await expect(restart()).rejects.toThrow(Ended);
  memory.revive();
  await run(memory, service);
  expect(oldFiles()).toEqual([OLD]);
});

it('the run that completes an interrupted --restart reports nothing if no old file was kept', async () => {
  await run(memory, service);
  memory.fault = (_, operation) =>
    operation.startsWith('rename /data/.scans.out.restart') ? 'end-before' : undefined;
  await expect(restart()).rejects.toThrow(Ended);
  memory.revive();
  const said: string[] = [];
  await run(memory, service, { warn: (line) => said.push(line) });
  expect(said).toEqual([]);
});
