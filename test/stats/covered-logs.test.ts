/** First and last scans of logs, from those of their files. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { coveredLogs } from '../../src/stats/covered-logs.ts';

const SPANS = new Map([
  ['a', { firstMs: 20, lastMs: 30 }],
  ['b', { firstMs: 10, lastMs: 15 }],
  ['c', { firstMs: 25, lastMs: 40 }],
]);
const NOT_KEPT = { beginsMs: undefined, isKept: false };

it('are those of each file if no export appends to it: scans may be missing between them (F12)', async () => {
  const logs = [
    { paths: ['a', 'b'], keptBy: undefined },
    { paths: ['empty'], keptBy: undefined },
  ];
  expect(await coveredLogs(logs, SPANS)).toEqual([
    { firstMs: 20, lastMs: 30, ...NOT_KEPT },
    { firstMs: 10, lastMs: 15, ...NOT_KEPT },
    { firstMs: undefined, lastMs: undefined, ...NOT_KEPT },
  ]);
});

it('are so for a file without a state next to it, too', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'scans.csv');
  await writeFile(file, 'id,ts\n');
  expect(await coveredLogs([{ paths: ['a', 'c'], keptBy: { file } }], SPANS)).toHaveLength(2);
});

it('are the earliest and the latest of a dataset, whose parts are one log', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const [log, ...others] = await coveredLogs([{ paths: ['a', 'b', 'c'], keptBy: { directory } }], SPANS);
  expect([log, others]).toEqual([{ firstMs: 10, lastMs: 40, beginsMs: undefined, isKept: true }, []]);
});
