/** Rows that wait, become parts beside their places, and are committed or forgotten. */
import { beforeEach, describe, expect, it } from 'vitest';
import { formatInstant } from '#base/time/time';
import { createCsvFormatter } from '#files/formats/csv';
import type { SavedRow } from '#scans/append/row-parsers';
import { type DatasetIdentity, type Part, parseManifest } from '#scans/dataset/manifest';
import { createPartTail, type PartTailJob } from '#scans/dataset/part-tail';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import { CODE, createMemoryDisk, HOUR, OTHER_CODE, START } from '../append/runs.ts';
import { DAY, LAKE, MANIFEST } from './runs.ts';

const columns = ['qr_id', 'id', 'ts'];
const dialect = { header: true, excel: false, rawCells: false };
const identity: DatasetIdentity = {
  codes: [CODE, OTHER_CODE],
  all: true,
  columns,
  format: 'csv',
  dialect,
  partition: { by: 'day', timezone: 'UTC' },
};

let memory: MemoryDisk;

beforeEach(async () => {
  memory = createMemoryDisk();
  await memory.disk.mkdir(LAKE);
});

function createTail(changes: Partial<PartTailJob> = {}) {
  const tail = createPartTail({
    disk: memory.disk,
    directory: LAKE,
    identity,
    overlapMs: HOUR,
    sinceMs: undefined,
    overlaps: new Map(),
    isSaved: false,
    workspace: { baseUrl: 'https://example.test/api/v1', key: undefined, profile: undefined } as never,
    createFormatter: () => createCsvFormatter(columns, dialect),
    parts: [],
    next: 1,
    mostRows: 100,
    ...changes,
  });
  let id = 0;
  const write = (code: string, ...times: number[]) =>
    tail.write(code, {
      rows: times.map((time) => ({ qr_id: code, id: ++id, ts: formatInstant(START + time) })),
      times: times.map((time) => START + time),
    });
  const readBack = async (fromMs: number) => {
    const rows: SavedRow[] = [];
    await tail.readBack((row) => rows.push(row), START + fromMs);
    return rows.map((row) => row.id);
  };
  return {
    ...tail,
    write,
    readBack,
    commit: () => tail.commit(false),
    drop: async (code: string) => tail.drop?.(code),
  };
}

const files = () => memory.names().map((name) => name.slice(LAKE.length + 1));
const parts = (): readonly Part[] => parseManifest(Buffer.from(memory.read(MANIFEST) ?? '')).parts;

describe('rows in a dataset', () => {
  it('from several codes become one part per partition, with the time of its newest row', async () => {
    const tail = createTail();
    await tail.write(CODE, DAY, 2 * HOUR, DAY + HOUR, HOUR);
    await tail.write(OTHER_CODE, 0, DAY + 2 * HOUR);
    expect(files()).toEqual([]);
    await tail.commit();
    const expected = ['_qrctl.json', 'dt=2026-01-01/part-000001.csv', 'dt=2026-01-02/part-000001.csv'];
    expect(files()).toEqual(expected);
    const name = 'part-000001.csv';
    expect(parts()).toMatchObject([
      { partition: 'dt=2026-01-01', name, rows: 3, newestMs: START + 2 * HOUR },
      { partition: 'dt=2026-01-02', name, rows: 3, newestMs: START + DAY + 2 * HOUR },
    ]);
  });

  it('are in directories that are flushed before and after the manifest lists the parts (P1, P3)', async () => {
    const tail = createTail();
    await tail.write(CODE, 0, DAY);
    const steps: string[] = [];
    memory.fault = (_, operation) => void steps.push(operation);
    await tail.commit();
    const [one, other] = ['dt=2026-01-01', 'dt=2026-01-02'].map((name) => `flush ${LAKE}/${name}`);
    const claimed = steps.findIndex((step) => step.startsWith('rename') && step.includes('_qrctl.json'));
    const [before, after] = [steps.slice(0, claimed), steps.slice(claimed + 1)];
    expect(before.filter((step) => step === one || step === other)).toEqual([one, other]);
    expect(after.slice(-2)).toEqual([one, other]);
  });

  it('are staged in hidden parts once they reach a maximum number, with a separate part for the current code', async () => {
    const tail = createTail({ mostRows: 4 });
    expect(await tail.write(CODE, 0, HOUR)).toBe(false);
    expect(await tail.write(OTHER_CODE, 0)).toBe(false);
    expect(await tail.write(OTHER_CODE, HOUR)).toBe(true);
    const staged = ['dt=2026-01-01/.part-000001.csv.partial', 'dt=2026-01-01/.part-000002.csv.partial'];
    expect(files()).toEqual(staged);
    expect(await tail.write(OTHER_CODE, HOUR)).toBe(false);
    await tail.commit();
    expect(parts().map(({ name, rows }) => [name, rows])).toEqual([
      ['part-000001.csv', 2],
      ['part-000002.csv', 2],
      ['part-000003.csv', 1],
    ]);
    expect(parts()[0]).not.toHaveProperty('owner');
  });

  it('for a failed code are dropped from memory and disk, while rows for other codes remain', async () => {
    const tail = createTail({ mostRows: 3 });
    await tail.write(CODE, 0);
    await tail.write(OTHER_CODE, 0, HOUR);
    await tail.write(OTHER_CODE, 2 * HOUR, 3 * HOUR);
    await tail.drop(OTHER_CODE);
    expect(files()).toEqual(['dt=2026-01-01/.part-000001.csv.partial']);
    // They don't count as waiting any more.
    expect(await tail.write(CODE, HOUR, 2 * HOUR)).toBe(false);
    await tail.drop(OTHER_CODE);
    await tail.commit();
    expect(parts().map(({ rows }) => rows)).toEqual([1, 2]);
  });

  it('are read back from parts, hidden parts and memory, except from parts that end before the given time', async () => {
    const tail = createTail({ mostRows: 3 });
    await tail.write(CODE, 0, HOUR);
    await tail.commit();
    await tail.write(CODE, DAY, DAY + HOUR, DAY + 2 * HOUR);
    await tail.write(CODE, 2 * DAY);
    await tail.write(OTHER_CODE, 2 * DAY);
    expect(await tail.readBack(HOUR)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    expect(await tail.readBack(HOUR + 1)).toEqual(['3', '4', '5', '6', '7']);
    expect(await tail.readBack(DAY + 3 * HOUR)).toEqual(['6', '7']);
  });
});

describe("the writer of a dataset's parts", () => {
  it('keeps a state if there is a manifest, or if there are rows to record', async () => {
    expect(createTail({ isSaved: true }).keepsState()).toBe(true);
    const tail = createTail({ mostRows: 2 });
    expect(tail.keepsState()).toBe(false);
    await tail.write(CODE, 0);
    expect(tail.keepsState()).toBe(true);
    await tail.drop(CODE);
    expect(tail.keepsState()).toBe(false);
    await tail.write(CODE, 0, HOUR);
    expect(tail.keepsState()).toBe(true);
    await tail.drop(CODE);
    expect(tail.keepsState()).toBe(false);
    await tail.commit();
    expect(tail.keepsState()).toBe(true);
  });

  it('removes uncommitted parts when it is closed (P4)', async () => {
    const tail = createTail({ mostRows: 1 });
    await tail.write(CODE, 0);
    await tail.commit();
    await tail.write(CODE, HOUR);
    expect(files()).toHaveLength(3);
    await tail.close();
    expect(files()).toEqual(['_qrctl.json', 'dt=2026-01-01/part-000001.csv']);
  });
});
