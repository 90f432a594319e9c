/** The parts of a dataset in their directories: which were deleted on purpose, and what becomes of those of a stopped run. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Part } from '#scans/dataset/manifest';
import { finishParts, removedPartitions } from '#scans/dataset/parts';
import { createMemoryDisk, type MemoryDisk } from '../../support/memory-disk.ts';

const [FIRST, SECOND, THIRD] = ['dt=2026-01-01', 'dt=2026-01-02', 'dt=2026-01-03'] as const;

let memory: MemoryDisk;
const job = (...parts: Part[]) => ({ disk: memory.disk, directory: '/data/lake', parts });
const part = (partition: string, name: string): Part => ({ partition, name, rows: 1, bytes: 1, newestMs: 0 });

async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    const [partition] = path.split('/');
    await memory.disk.mkdir(`/data/lake/${partition}`).catch(() => undefined);
    memory.write(`/data/lake/${path}`, 'x');
  }
}

beforeEach(async () => {
  memory = createMemoryDisk();
  await memory.disk.mkdir('/data/lake');
});

describe('partitions that were deleted (P15)', () => {
  it('are those before the oldest partition that exists, in any order of the parts', async () => {
    await put(`${THIRD}/part-000001.csv`);
    const parts = [
      part(THIRD, 'part-000001.csv'),
      part(FIRST, 'part-000002.csv'),
      part(SECOND, 'part-000002.csv'),
    ];
    expect(await removedPartitions(job(...parts))).toEqual([FIRST, SECOND]);
    expect(await removedPartitions(job(...parts.reverse()))).toEqual([FIRST, SECOND]);
  });

  it('are not assumed if the oldest part exists, even under its temporary name, or if all parts are missing', async () => {
    const parts = [part(FIRST, 'part-000001.csv'), part(SECOND, 'part-000001.csv')];
    expect(await removedPartitions(job(...parts))).toEqual([]);
    await put(`${FIRST}/.part-000001.csv.partial`);
    expect(await removedPartitions(job(...parts))).toEqual([]);
  });

  it('are recognized even if other files remain in their directories', async () => {
    await put(`${FIRST}/.DS_Store`, `${SECOND}/part-000001.csv`);
    expect(
      await removedPartitions(job(part(FIRST, 'part-000001.csv'), part(SECOND, 'part-000001.csv'))),
    ).toEqual([FIRST]);
  });
});

describe('parts that a stopped run left', () => {
  it('are renamed durably if the manifest lists them, and are removed otherwise (P3, P4)', async () => {
    await put(`${FIRST}/part-000001.csv`, `${FIRST}/.part-000002.csv.partial`);
    await put(`${SECOND}/.part-000002.csv.partial`, `${SECOND}/.hidden`);
    await memory.disk.flushDirectory('/data');
    await memory.disk.flushDirectory('/data/lake');
    for (const partition of [FIRST, SECOND]) await memory.disk.flushDirectory(`/data/lake/${partition}`);
    await finishParts(job(part(FIRST, 'part-000001.csv'), part(FIRST, 'part-000002.csv')));
    const left = [`${FIRST}/part-000001.csv`, `${FIRST}/part-000002.csv`, `${SECOND}/.hidden`];
    expect(memory.names()).toEqual(left.map((path) => `/data/lake/${path}`));
    memory.revive({ keep: () => 0 });
    expect(memory.names()).toContain(`/data/lake/${FIRST}/part-000002.csv`);
  });

  it('cause no write to the disk if all of them have their final names', async () => {
    await put(`${FIRST}/part-000001.csv`);
    memory.revive();
    await finishParts(job(part(FIRST, 'part-000001.csv')));
    expect(memory.steps()).toBe(0);
  });
});
