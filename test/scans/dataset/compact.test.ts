/** Merges the parts of closed partitions, while another process reads. Killed and cut off: faults.test.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Disk } from '../../../src/files/durable/disk.ts';
import { parseManifest } from '../../../src/scans/dataset/manifest.ts';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import { CODE, createMemoryDisk, HOUR, OTHER_CODE, START, type TestService } from '../append/runs.ts';
import { DAY, LAKE, type LakeOptions, openLake, runLake, seen, wanted, writePage } from './runs.ts';

const rows = (first: number, ...times: number[]) =>
  times.map((time, i) => ({ id: first + i, time: START + time }));

const service: TestService = {
  [CODE]: rows(1, 0, HOUR, DAY, 2 * DAY, 2 * DAY + HOUR),
  [OTHER_CODE]: rows(11, HOUR, 2 * HOUR, 2 * DAY),
};
/** A later night, with a row for a day that was merged. */
const later: TestService = {
  ...service,
  [CODE]: [...(service[CODE] ?? []), ...rows(21, 2 * DAY + HOUR / 2, 3 * DAY)],
};

/** The last day is not over. */
const compact: LakeOptions = { compact: true, serviceNow: () => START + 2 * DAY + 2 * HOUR };

let memory: MemoryDisk;
beforeEach(() => {
  memory = createMemoryDisk();
});

/** The parts that are shown, without the directory. */
function shown(): string[] {
  const root = `${memory.realPath(LAKE)}/`;
  return memory
    .names()
    .filter((path) => path.startsWith(`${root}dt=`))
    .map((path) => path.slice(root.length));
}

describe('a dataset whose parts are merged', () => {
  it('has one part for each day that is over, and each row once', async () => {
    const notes: string[] = [];
    await runLake(memory, service, { ...compact, note: (line) => notes.push(line) });
    expect(shown()).toEqual([
      'dt=2026-01-01/part-000003.csv',
      'dt=2026-01-02/part-000001.csv',
      'dt=2026-01-03/part-000001.csv',
      'dt=2026-01-03/part-000002.csv',
    ]);
    expect(seen(memory)).toEqual(wanted(service));
    expect(notes).toEqual(['Merged 2 parts from 1 partition into 1']);
    // By this, later runs know which parts to read back (A11).
    const { parts } = parseManifest(Buffer.from(memory.read(`${memory.realPath(LAKE)}/_qrctl.json`) ?? ''));
    expect(parts.find(({ name }) => name === 'part-000003.csv')).toMatchObject({
      rows: 4,
      newestMs: START + 2 * HOUR,
    });
    expect(await runLake(memory, later, compact)).toBe(2);
    expect(seen(memory)).toEqual(wanted(later));
  });

  it('is left as it is while its days may still get rows, or if it is empty, and nothing is said', async () => {
    const notes: string[] = [];
    const early = {
      ...compact,
      note: (line: string) => notes.push(line),
      serviceNow: () => START + DAY + HOUR / 2,
    };
    expect(await runLake(memory, { [CODE]: [] }, early)).toBe(0);
    await runLake(memory, service, early);
    expect(memory.realPath(LAKE)).toBe('/data/.lake.000001');
    expect(notes).toEqual([]);
  });

  it('is left as it is if its manifest is removed during the run', async () => {
    await runLake(memory, service, { ...compact, serviceNow: () => START });
    const lake = await openLake(memory, service, compact);
    memory.remove(`${memory.realPath(LAKE)}/_qrctl.json`);
    await lake.commit();
    expect(memory.realPath(LAKE)).toBe('/data/.lake.000001');
  });

  it('keeps what was shown before until the next one, and uses no name of it again (P13)', async () => {
    await runLake(memory, service, compact);
    const before = memory.realPath(LAKE);
    const old = memory.names().filter((path) => path.startsWith(before));
    const over = { compact: true, serviceNow: () => START + 9 * DAY };
    await runLake(memory, later, over);
    expect(memory.realPath(LAKE)).not.toBe(before);
    for (const path of old) expect(memory.read(path)).toBeDefined();
    for (const name of shown()) {
      const text = memory.read(`${before}/${name}`);
      if (text !== undefined) expect(memory.read(`${memory.realPath(LAKE)}/${name}`)).toBe(text);
    }
    await runLake(
      memory,
      { ...later, [OTHER_CODE]: [...(later[OTHER_CODE] ?? []), ...rows(31, 3 * DAY)] },
      over,
    );
    expect(memory.names().filter((path) => path.startsWith(before))).toEqual([]);
  });

  it('leaves another dataset of the same export that was renamed to a name of its generations (P16)', async () => {
    await runLake(memory, service, { ...compact, directory: '/data/other' });
    await runLake(memory, service, compact);
    for (const number of ['000000', '000099']) {
      const other = await memory.disk.readFile('/data/other/_qrctl.json');
      await memory.disk.mkdir(`/data/.lake.${number}`);
      memory.write(`/data/.lake.${number}/_qrctl.json`, other.toString());
    }
    const over = { compact: true, serviceNow: () => START + 9 * DAY };
    await runLake(memory, later, over);
    expect(memory.realPath(LAKE)).toBe('/data/.lake.000003');
    for (const number of ['000000', '000099'])
      expect(memory.read(`/data/.lake.${number}/_qrctl.json`)).toBeDefined();
  });

  it.each(['ndjson', 'parquet'] as const)('in %s', async (format) => {
    await runLake(memory, service, { ...compact, identity: { format } });
    expect(shown()[0]).toBe(`dt=2026-01-01/part-000003.${format}`);
    // It is read back row by row, so it holds what it should: the ids are known from it.
    const lake = await openLake(memory, service, { ...compact, identity: { format } });
    expect(await writePage(lake.sinkOf(CODE), CODE, service[CODE] ?? [])).toBe(0);
    await lake.commit();
  });

  it('is not merged where a part has other rows than were written (P12)', async () => {
    await runLake(memory, service, { ...compact, serviceNow: () => START });
    const path = memory.names().find((name) => name.endsWith('dt=2026-01-01/part-000001.csv')) ?? '';
    const text = memory.read(path) ?? '';
    // Of the same size, and one line where there were two.
    memory.write(
      path,
      `${text.slice(0, text.lastIndexOf('\n', text.length - 2))} ${text.slice(text.lastIndexOf('\n', text.length - 2) + 1)}`,
    );
    await expect(runLake(memory, later, compact)).rejects.toMatchObject({
      name: 'UnprovenError',
      message: expect.stringMatching(
        /^cannot merge the parts of dt=2026-01-01: they contain \d rows? instead of 4$/,
      ),
      hint: expect.stringContaining('Restore them from a backup'),
    });
    expect(memory.realPath(LAKE)).toBe('/data/.lake.000001');
  });

  it('is not merged where the merged part cannot be read back, for the reason that the system gives (P12)', async () => {
    await runLake(memory, service, { ...compact, serviceNow: () => START });
    const open: Disk['open'] = (path, ...rest) => {
      if (path.startsWith('/data/.lake.000002/') && rest[0] === 'r+')
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return memory.disk.open(path, ...rest);
    };
    await expect(runLake(memory, later, { ...compact, disk: { ...memory.disk, open } })).rejects.toThrow(
      /\(EIO\)/,
    );
    expect(memory.realPath(LAKE)).toBe('/data/.lake.000001');
  });

  it('is built where a killed run left another generation, which is removed (P13)', async () => {
    await runLake(memory, service, { ...compact, serviceNow: () => START });
    for (const directory of ['/data/.lake.000002', '/data/.lake.000002/dt=2026-01-01'])
      await memory.disk.mkdir(directory);
    memory.write('/data/.lake.000002/dt=2026-01-01/part-000009.csv', 'torn');
    await runLake(memory, later, compact);
    expect(memory.realPath(LAKE)).toBe('/data/.lake.000002');
    expect(seen(memory)).toEqual(wanted(later));
  });

  it('is on the disk with all its names before the link leads there (P11)', async () => {
    await runLake(memory, service, { ...compact, serviceNow: () => START });
    memory.revive();
    memory.fault = (_, operation) => (operation === 'rename /data/.lake.partial' ? 'end-after' : undefined);
    await expect(runLake(memory, later, compact)).rejects.toThrow();
    // A power cut that takes any one name that was not flushed: there is none but the link's.
    memory.revive({ keep: () => 1, lost: 0 });
    expect(seen(memory)).toEqual(wanted(later));
  });

  it('a directory is left as it is: only a link can show another in one step', async () => {
    await runLake(memory, service);
    const before = seen(memory);
    memory.revive();
    await expect(runLake(memory, service, compact)).rejects.toMatchObject({
      message: `cannot merge parts in ${LAKE}: --compact requires a symbolic link, not a directory`,
      hint: 'While no process is reading the dataset, run this command once in /data: `mv lake .lake.000001 && ln -s .lake.000001 lake`.',
    });
    expect(memory.steps()).toBe(0);
    expect(seen(memory)).toEqual(before);
  });

  it('is added to where the name leads after the wait for the lock (P14)', async () => {
    await runLake(memory, service, { ...compact, serviceNow: () => START });
    const locked: string[] = [];
    const lock = async (path: string) => {
      locked.push(path);
      // The run that holds it merges and is done.
      if (locked.length === 1) await runLake(memory, service, compact);
      return { release: async () => {} };
    };
    await runLake(memory, later, { lock });
    expect(locked).toEqual(['/data/.lake.000001/_qrctl.json', '/data/.lake.000002/_qrctl.json']);
    expect(seen(memory)).toEqual(wanted(later));
  });
});
