/** `scans export --append` as cron runs it: killed, started twice, on full disks, on files that others touched. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { SandboxOptions } from '#sandbox/options';
import { ask } from '../support/api.ts';
import { type CliOptions, ends, runCli, startCli, until, useDirectory } from '../support/cli.ts';
import { changedBody, sometimes } from '../support/faults.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const MINUTE = 60_000;
/** The end of the sandbox's made-up scans: new ones come after. */
const NEW_YEAR = Date.UTC(2025, 0, 1);
const FORMATS = ['csv', 'ndjson'] as const;
type Format = (typeof FORMATS)[number];

/** A limit that never pauses: these tests are about files. */
const UNLIMITED: SandboxOptions = { limit: 1_000_000 };

interface Job {
  sandbox: TestSandbox;
  directory: string;
  file: string;
  args: string[];
}

async function useJob(options: SandboxOptions, format: Format = 'csv', flags: string[] = []): Promise<Job> {
  const sandbox = await useSandbox({ ...UNLIMITED, codes: 1, ...options });
  const directory = await useDirectory();
  const file = join(directory, `scans.${format}`);
  return {
    sandbox,
    directory,
    file,
    args: ['scans', 'export', sandbox.codeId(), '-o', file, '--append', ...flags],
  };
}

const runJob = ({ sandbox, args }: Job, more: string[] = [], env: CliOptions['env'] = {}) =>
  runByDay([...args, ...more], { env: { ...sandbox.env, ...env } });

/** Ids in the file, in order. Throws at a torn or foreign line. */
async function idsIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  if (!text.endsWith('\n')) throw new Error(`torn: ${JSON.stringify(text.slice(-100))}`);
  if (file.endsWith('.ndjson'))
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => String(JSON.parse(line).id));
  const { parse } = await import('csv-parse/sync');
  return parse(text, { columns: true }).map((row) => (row as { id: string }).id);
}

function idsOf(sandbox: TestSandbox): string[] {
  return sandbox
    .scans(sandbox.codeId())
    .map(({ id }) => String(id))
    .sort();
}

/** Some scans as they come in during minute `n`, and one that comes up to an hour late. */
function addScans({ sandbox }: Job, n: number): void {
  const add = (ms: number) => sandbox.workspace.addScan(sandbox.codeId(), { ts: new Date(ms).toISOString() });
  for (let i = 0; i < 7; i++) add(NEW_YEAR + (n + i / 7) * MINUTE);
  add(NEW_YEAR + (n - Math.random() * 59) * MINUTE);
}

async function expectEachScanOnce(job: Job): Promise<void> {
  const { code, stderr } = await runJob(job);
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  expect((await idsIn(job.file)).sort()).toEqual(idsOf(job.sandbox));
}

// Both are committed by the same lines of the program.
describe.each(firstRows(1, FORMATS))('an appended %s', (format) => {
  const kills = SOAK ? 200 : 1;
  test('has each scan once after kills at random times, with new and late scans in between', async () => {
    const job = await useJob({ scans: SOAK ? 20_000 : 3000, latencyMs: 3 }, format);
    for (let n = 0; n < kills; n++) {
      const { child, done } = await startCli([...job.args, '--concurrency', '2'], { env: job.sandbox.env });
      // From before the first request until after the end.
      await Promise.race([sleep(60 + Math.random() * 400), done]);
      child.kill('SIGKILL');
      await done;
      addScans(job, n);
      if (n % 10 === 9) await expectEachScanOnce(job);
    }
    await expectEachScanOnce(job);
    expect(await readdir(job.directory)).toEqual([`scans.${format}`, `scans.${format}.state.json`]);
  }, 1_200_000);

  test('has all committed rows after SIGTERM, and the next run continues after these rows', async () => {
    const scans = SOAK ? 8000 : 5000;
    const job = await useJob({ scans, latencyMs: 20 }, format);
    const running = await startCli(job.args, { env: job.sandbox.env });
    await until(() => job.sandbox.requests.length > 8);
    running.child.kill('SIGTERM');
    expect((await running.done).code).toBe(143);
    const committed = await idsIn(job.file);
    expect(committed.length).toBeGreaterThan(500);
    // What the ended run still had under way is answered before this.
    await ask(job.sandbox, 'GET', '/qr');
    const before = job.sandbox.requests.length;
    await expectEachScanOnce(job);
    expect((await idsIn(job.file)).slice(0, committed.length)).toEqual(committed);
    expect(job.sandbox.requests.length - before).toBeLessThanOrEqual((scans - committed.length) / 500 + 3);
  });
});

describe('simultaneous runs that append to the same file', () => {
  test('write one after the other, or exit with 2 and mention the other run', async () => {
    const job = await useJob({ scans: SOAK ? 3000 : 1500, latencyMs: 10 });
    const results = await Promise.all(
      Array.from({ length: SOAK ? 20 : 2 }, () => runCli(job.args, { env: job.sandbox.env })),
    );
    const done = results.filter(({ code }) => code === 0);
    expect(done.length).toBeGreaterThan(0);
    for (const { code, stderr } of results)
      if (code !== 0) expect(`${code} ${stderr}`).toMatch(/^2 .*another qrctl run/s);
    expect((await idsIn(job.file)).sort()).toEqual(idsOf(job.sandbox));
  });
});

test('an NDJSON file and an NDJSON dataset keep their columns if the service adds a field', async () => {
  let isGrown = false;
  const addField = changedBody(({ data }) => {
    if (isGrown) for (const row of data) Object.assign(row, { campaign: 'spring' });
  });
  const intercept = sometimes(({ request }) => request.path.endsWith('/scans') && addField);
  const job = await useJob({ scans: 20, intercept }, 'ndjson');
  const { sandbox, file, directory } = job;
  const lake = join(directory, 'lake');
  const dataset = ['--output-dir', lake, '-f', 'ndjson', '--partition-by', 'month', '--append'];
  const addToDataset = () =>
    runByDay(['scans', 'export', sandbox.codeId(), ...dataset], { env: sandbox.env });
  const keys = async (paths: string[]) => {
    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    const lines = texts.flatMap((text) => text.trimEnd().split('\n'));
    return new Set(lines.map((line) => Object.keys(JSON.parse(line)).join()));
  };
  const parts = async () =>
    (await readdir(lake, { recursive: true })).filter((name) => /^dt=.*ndjson$/.test(name));
  const addScan = (ms: number) =>
    sandbox.workspace.addScan(sandbox.codeId(), { ts: new Date(ms).toISOString() });
  expect(await runJob(job)).toMatchObject({ code: 0 });
  expect(await addToDataset()).toMatchObject({ code: 0 });
  const before = await keys([file]);
  expect(before.size).toBe(1);
  isGrown = true;
  addScan(NEW_YEAR + MINUTE);
  // Too late for the overlap: it is added by the verification.
  addScan(NEW_YEAR - 40 * 24 * 60 * MINUTE);
  expect(await runJob(job, ['--verify'])).toMatchObject({ code: 0 });
  expect(await addToDataset()).toMatchObject({ code: 0 });
  expect(await keys((await parts()).map((name) => join(lake, name)))).toEqual(
    new Set([...before].map((names) => `qr_id,qr_slug,qr_name,${names}`)),
  );
  await rm(`${file}.state.json`);
  addScan(NEW_YEAR + 2 * MINUTE);
  expect(await runJob(job)).toMatchObject(ends(0, 'Rebuilt the state'));
  expect(await keys([file])).toEqual(before);
  expect((await idsIn(file)).sort()).toEqual(idsOf(sandbox));
});
