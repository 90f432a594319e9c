/** What a reader is told of a dataset by its manifest: columns, where it begins, and where the next run goes on. */
import { beforeEach, describe, expect, it } from 'vitest';
import { readingPositions } from '#scans/append/overlap';
import { readDatasetExtent, readDatasetState, readManifest } from '#scans/dataset/open-dataset';
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
