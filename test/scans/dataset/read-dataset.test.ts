/** What a reader is told of a dataset by its manifest: columns, where it begins, and where the next run goes on. */
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeDisk } from '#files/durable/node-disk';
import { readingPositions } from '#scans/append/overlap';
import {
  inspectDataset,
  lossOfDataset,
  readDatasetExtent,
  readDatasetState,
  readManifest,
} from '#scans/dataset/open-dataset';
import { useDirectory } from '../../support/cli.ts';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import { CODE, createMemoryDisk, HOUR, START, type TestService } from '../append/runs.ts';
import { DAY, LAKE, MANIFEST, runLake } from './runs.ts';

const service: TestService = { [CODE]: [0, HOUR, DAY].map((time, i) => ({ id: i + 1, time: START + time })) };

let memory: MemoryDisk;
const paths = () => new Set(memory.names());
const extent = (files = paths()) => readDatasetExtent(LAKE, files, memory.disk);
const beginning = async (files?: Set<string>) => (await extent(files)).beginsMs;

beforeEach(async () => {
  memory = createMemoryDisk();
});

describe('the manifest of a dataset', () => {
  it('has the columns of the dataset', async () => {
    await runLake(memory, service, { identity: { columns: ['qr_id', 'id', 'ts'] } });
    expect((await readDatasetState(LAKE, memory.disk))?.identity.columns).toEqual(['qr_id', 'id', 'ts']);
  });

  it('gives positions one overlap before the newest scan, or before the end of the range if that is earlier', async () => {
    await runLake(memory, service);
    const saved = await readManifest(LAKE, memory.disk);
    const positions = (untilMs?: number) => [...(saved ? readingPositions(saved, HOUR, untilMs) : [])];
    expect(positions()).toEqual([[CODE, START + DAY - HOUR]]);
    expect(positions(START)).toEqual([[CODE, START - HOUR]]);
  });

  it('shows that the dataset begins at the --since of the first run, or at -Infinity without --since', async () => {
    await runLake(memory, service);
    expect(await beginning()).toBe(Number.NEGATIVE_INFINITY);
    memory = createMemoryDisk();
    await runLake(memory, service, { sinceMs: START + HOUR });
    await runLake(memory, service);
    expect(await beginning()).toBe(START + HOUR);
  });

  it('does not show when the dataset begins if a part that it lists is not among the files to read', async () => {
    await runLake(memory, service);
    const [, ...others] = [...paths()].filter((path) => path.endsWith('.csv'));
    expect(others).toHaveLength(1);
    expect(await beginning(new Set(others))).toBeUndefined();
  });
});

describe('a dataset on the disk', () => {
  async function useLake() {
    const directory = await useDirectory();
    await runLake(memory, service, { directory, disk: nodeDisk, sinceMs: START - DAY, append: false });
    const [first = '', second = ''] = ['01', '02'].map((day) => join(directory, `dt=2026-01-${day}`));
    const inspect = async () => {
      const { sinceMs, rotated, fault } = (await inspectDataset(directory)) ?? {};
      return [sinceMs, rotated, fault];
    };
    return { directory, first, second, inspect, loss: () => lossOfDataset(directory) };
  }

  it('has no fault and no loss, and begins after its first partition if that was deleted', async () => {
    const { first, inspect, loss } = await useLake();
    expect([await inspect(), await loss()]).toEqual([[START - DAY, [], undefined], undefined]);
    await rm(first, { recursive: true });
    expect([await inspect(), await loss()]).toEqual([[START + DAY, [], undefined], undefined]);
  });

  it('has a fault if a file is unknown, and a loss if a part has only its temporary name or the manifest is damaged', async () => {
    const { directory, second, inspect, loss } = await useLake();
    const [part = ''] = await readdir(second);
    await writeFile(join(second, 'other.csv'), '');
    expect(await inspect()).toEqual([START - DAY, [], expect.stringContaining('other.csv')]);
    await rename(join(second, part), join(second, `.${part}.partial`));
    expect(await loss()).toBe(`dt=2026-01-02/${part} is missing`);
    await writeFile(join(directory, '_qrctl.json'), 'x');
    expect(await loss()).toBe('its _qrctl.json cannot be read (truncated or changed)');
    expect(await inspectDataset(directory)).toBeUndefined();
    await rm(join(directory, '_qrctl.json'));
    expect([await loss(), await inspectDataset(directory)]).toEqual([undefined, undefined]);
  });
});

describe.each([
  ['no manifest', undefined],
  ['a damaged manifest', 'x'],
])('a directory with %s', (_, text) => {
  it('has neither a state nor a beginning', async () => {
    await runLake(memory, service);
    memory.remove(MANIFEST);
    if (text !== undefined) memory.write(MANIFEST, text);
    expect(await readDatasetState(LAKE, memory.disk)).toBeUndefined();
    expect(await beginning()).toBeUndefined();
    const manifest = readManifest(LAKE, memory.disk);
    if (text === undefined) expect(await manifest).toBeUndefined();
    else await expect(manifest).rejects.toMatchObject({ name: 'UsageError' });
  });
});
