/**
 * The unmodified command, killed or failed by the kernel at each of its calls on the data and state files. Where strace is
 * missing, test/scans/append/faults.test.ts does the same on a disk in memory.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ask } from '../support/api.ts';
import { AMBIENT, BIN, runCli, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const STRACE = 'strace';
const hasStrace = spawnSync(STRACE, ['-V']).status === 0;
const NEW_YEAR = Date.UTC(2025, 0, 1);

/** What may go wrong, and the exit codes that tell so (null: killed). */
const FAULTS = [
  { inject: 'signal=SIGKILL', ends: [null, 137] },
  { inject: 'error=ENOSPC', ends: [1] },
  { inject: 'error=EIO', ends: [1] },
] as const;
const CALLS = ['fsync', 'pwrite64', 'rename', 'ftruncate'];

/** Far more than any run makes: a fault that never stops would otherwise never end. */
const MOST_CALLS = 50;

const SCENARIOS = [
  { name: 'a later run that must cut off a truncated row', flags: [], before: true, calls: CALLS },
  { name: 'a first run', flags: [], before: false, calls: CALLS.slice(0, 3) },
  { name: 'a --restart', flags: ['--restart'], before: true, calls: CALLS.slice(0, 3) },
];

/** How a file is named when it is renamed: by way of its directory, which is held open (files/durable/trusted-file.ts). */
function renamed(names: string[]): string[] {
  const descriptors = Array.from({ length: 40 }, (_, descriptor) => `/proc/self/fd/${descriptor}`);
  return names.flatMap((name) => descriptors.map((held) => `${held}/${name}`));
}

/** Runs the command with a fault at its n-th call of that name on the files; resolves to its exit code. */
async function attack(sandbox: TestSandbox, args: string[], file: string, inject: string) {
  const directory = join(file, '..');
  const hidden = ['.scans.csv.state.json.partial', '.scans.csv.restart'];
  const paths = [file, `${file}.state.json`, ...hidden.map((name) => join(directory, name)), directory];
  // A link is made in an open directory, by a path that nobody knows before; no other file is linked to.
  const followed = inject.startsWith('inject=link')
    ? []
    : [...paths, ...renamed(hidden)].flatMap((path) => ['-P', path]);
  const strace = ['-f', '-qq', '-o', '/dev/null', ...followed, '-e', `trace=${CALLS},link`, '-e', inject];
  // strace counts calls by thread: with one thread for files they are all in one count.
  const own = { UV_THREADPOOL_SIZE: '1', HOME: directory, QRCTL_CONFIG_DIR: directory };
  const env = { ...AMBIENT, ...own, ...sandbox.env };
  const child = spawn(STRACE, [...strace, process.execPath, BIN, ...args], { env, stdio: 'ignore' });
  const [code]: (number | null)[] = await once(child, 'exit');
  return code;
}

interface Attacks {
  sandbox: TestSandbox;
  /** With what each of the runs begins. */
  start: string;
  fault: (typeof FAULTS)[number];
  calls: readonly string[];
  line: (file: string) => string[];
  /** What holds in the directory however the run ended. */
  check: (place: string, label: string, code: number | null | undefined) => Promise<void>;
}

/** Lets a run in a directory of its own end at each of its calls in turn, until one has no further call and ends well. */
async function atEveryCall({ sandbox, start, fault: { inject, ends }, calls, line, check }: Attacks) {
  for (const call of calls) {
    for (let n = 1, code: number | null | undefined; code !== 0; n++) {
      expect(n, 'a run without a fault ends with 0').toBeLessThan(MOST_CALLS);
      const place = join(start, '..', `${call}-${n}`);
      await cp(start, place, { recursive: true });
      const file = join(place, 'scans.csv');
      code = await attack(sandbox, line(file), file, `inject=${call}:${inject}:when=${n}`);
      if (code !== 0) expect(ends, `${call} ${n} ends with ${code}`).toContain(code);
      else expect(n, `${call} is called at all`).toBeGreaterThan(1);
      await check(place, `${call} ${n}`, code);
    }
  }
}

async function useStart(sandbox: TestSandbox, line?: (file: string) => string[]) {
  const start = join(await useDirectory(), 'start');
  await mkdir(start);
  if (line) await expectDone(sandbox, line(join(start, 'scans.csv')));
  return start;
}

async function expectDone({ env }: TestSandbox, args: string[], label = ''): Promise<string> {
  const { code, stderr } = await runCli(args, { env });
  expect(code, `${label}: ${stderr}`).toBe(0);
  return stderr;
}

const append = (sandbox: TestSandbox) => (file: string) => [
  'scans',
  'export',
  sandbox.codeId(),
  '-o',
  file,
  '--append',
];

async function idsIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  if (!text.endsWith('\n')) throw new Error(`torn: ${JSON.stringify(text.slice(-100))}`);
  return [...text.matchAll(/(?:^|,)(\d+),\d{4}-\d\d-\d\dT/gm)].map((found) => found[1] ?? '').sort();
}

const wantedOf = (sandbox: TestSandbox) =>
  sandbox
    .scans(sandbox.codeId())
    .map(({ id }) => String(id))
    .sort();

describe.runIf(hasStrace && SOAK).each(SCENARIOS)('$name', ({ flags, before, calls }) => {
  test.each(FAULTS)(
    'can end at any fsync, write or rename with $inject, and the next run leaves each scan once',
    async (fault) => {
      const sandbox = await useSandbox({ codes: 1, scans: 900, limit: 1_000_000 });
      const line = append(sandbox);
      const start = await useStart(sandbox, before ? line : undefined);
      for (const ms of [5, 4, -600_000]) {
        sandbox.workspace.addScan(sandbox.codeId(), { ts: new Date(NEW_YEAR + ms).toISOString() });
      }
      const file = join(start, 'scans.csv');
      if (before) {
        // The first write of such a run is of the state, the second of rows.
        await attack(sandbox, line(file), file, 'inject=pwrite64:signal=SIGKILL:when=2');
        await appendFile(file, '99,2025-01-01T00:00:00.000Z,DE');
      }
      const check: Attacks['check'] = async (place, label) => {
        await expectDone(sandbox, line(join(place, 'scans.csv')), label);
        expect(await idsIn(join(place, 'scans.csv')), label).toEqual(wantedOf(sandbox));
        expect(await readdir(place), label).toEqual(['scans.csv', 'scans.csv.state.json']);
      };
      const attacked = (path: string) => [...line(path), ...flags];
      await atEveryCall({ sandbox, start, fault, calls, line: attacked, check });
    },
    600_000,
  );
});

describe.runIf(hasStrace && SOAK)('--restart with a file that has scans of a deleted code', () => {
  test.each(FAULTS)(
    'can fail at any fsync, write, rename or link ($inject) without losing a scan',
    async (fault) => {
      const sandbox = await useSandbox({ codes: 2, scans: 300, limit: 1_000_000 });
      const all = (file: string) => ['scans', 'export', '--all', '-o', file, '--append'];
      const start = await useStart(sandbox, all);
      await ask(sandbox, 'DELETE', `/qr/${sandbox.codeId(1)}`);
      const check: Attacks['check'] = async (place, label, code) => {
        const idsOf = async (names: string[]) =>
          (await Promise.all(names.map((name) => idsIn(join(place, name))))).flat();
        const left = (await readdir(place)).filter((name) => /^scans\.csv(\.old)?$/.test(name));
        expect((await idsOf(left)).length, label).toBeGreaterThanOrEqual(600);
        await expectDone(sandbox, all(join(place, 'scans.csv')), label);
        const names = (await readdir(place)).filter((name) => !name.endsWith('.json'));
        expect(['scans.csv', 'scans.csv scans.csv.old']).toContain(names.join(' '));
        expect(new Set(await idsOf(names)).size, label).toBe(600);
        if (code === 0) expect(names).toHaveLength(2);
      };
      const calls = ['fsync', 'pwrite64', 'rename', 'link'];
      await atEveryCall({ sandbox, start, fault, calls, line: (file) => [...all(file), '--restart'], check });
    },
    600_000,
  );
});

describe.runIf(hasStrace && SOAK)('`scans verify --repair` with a file that lacks late scans', () => {
  test.each(FAULTS)(
    'can end at any fsync, write or rename with $inject, and the next run leaves each scan once',
    async (fault) => {
      const sandbox = await useSandbox({ codes: 1, scans: 931, limit: 1_000_000 });
      const start = await useStart(sandbox, append(sandbox));
      const newestMs = Date.parse(sandbox.scans(sandbox.codeId()).at(-1)?.ts ?? '');
      for (const days of [3, 30]) {
        const ts = new Date(newestMs - days * 86_400_000).toISOString();
        sandbox.workspace.addScan(sandbox.codeId(), { ts });
      }
      const repair = (file: string) => ['scans', 'verify', sandbox.codeId(), '--input', file, '--repair'];
      const check: Attacks['check'] = async (place, label) => {
        const file = join(place, 'scans.csv');
        await expectDone(sandbox, repair(file), label);
        expect(await idsIn(file), label).toEqual(wantedOf(sandbox));
        expect(await expectDone(sandbox, append(sandbox)(file), label)).toMatch(/^Exported 0 scans/);
      };
      await atEveryCall({ sandbox, start, fault, calls: CALLS.slice(0, 3), line: repair, check });
    },
    600_000,
  );
});
