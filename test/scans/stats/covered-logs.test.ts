/** First and last scans of logs, from those of their files. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { coveredLogs } from '#scans/stats/coverage';
import { CODE, createMemoryDisk, FILE, HOUR, rowsAt, run, START, STATE } from '../append/runs.ts';
import { LAKE, MANIFEST, runLake } from '../dataset/runs.ts';

const SPANS = new Map([
  ['a', { firstMs: 20, lastMs: 30 }],
  ['b', { firstMs: 10, lastMs: 15 }],
  ['c', { firstMs: 25, lastMs: 40 }],
]);
const NOT_KEPT = { beginsMs: undefined, isKept: false };

it('files without --append have separate covered ranges, because scans may be missing between them (F12)', async () => {
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

it('the covered range of an appended file includes its rotated files, and begins at the --since of its first run (F12)', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const memory = createMemoryDisk();
  await run(memory, { [CODE]: rowsAt(START) }, { sinceMs: START - HOUR });
  const file = join(directory, 'scans.csv');
  await writeFile(file, memory.read(FILE) ?? '');
  await writeFile(`${file}.state.json`, memory.read(STATE) ?? '');
  expect(await coveredLogs([{ paths: ['a', 'c'], keptBy: { file } }], SPANS)).toMatchObject([
    { firstMs: 20, lastMs: 40, beginsMs: START - HOUR, isKept: true },
  ]);
});

it('the covered range of a dataset begins at the --since of its first run only if all parts were read (F12)', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const memory = createMemoryDisk();
  await runLake(memory, { [CODE]: rowsAt(START) }, { sinceMs: START - HOUR });
  await writeFile(join(directory, '_qrctl.json'), memory.read(MANIFEST) ?? '');
  const parts = memory.names().filter((name) => name.startsWith(`${LAKE}/dt=`));
  const paths = parts.map((name) => join(directory, name.slice(LAKE.length)));
  const beginsIn = async (read: readonly string[]) =>
    (await coveredLogs([{ paths: [...read], keptBy: { directory } }], new Map())).map(
      ({ beginsMs }) => beginsMs,
    );
  const expected = [true, [START - HOUR], [undefined]];
  expect([parts.length > 0, await beginsIn(paths), await beginsIn([])]).toEqual(expected);
});

it('the covered range of a dataset extends from the earliest to the latest scan in all parts', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const [log, ...others] = await coveredLogs([{ paths: ['a', 'b', 'c'], keptBy: { directory } }], SPANS);
  expect([log, others]).toEqual([{ firstMs: 10, lastMs: 40, beginsMs: undefined, isKept: true }, []]);
});
