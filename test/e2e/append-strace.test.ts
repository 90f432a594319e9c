/**
 * The unmodified command, killed or failed by the kernel at each of its calls on the data and state files. Where strace is
 * missing, test/export/append-faults.test.ts does the same on a disk in memory.
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
  { name: 'a later run, with a torn row to cut off', flags: [], before: true, calls: CALLS },
  { name: 'a first run', flags: [], before: false, calls: CALLS.slice(0, 3) },
  { name: 'a --restart', flags: ['--restart'], before: true, calls: CALLS.slice(0, 3) },
];

/** How a file is named when it is renamed: by way of its directory, which is held open (files/durable/trusted-file.ts). */
function renamed(names: string[]): string[] {
  const descriptors = Array.from({ length: 40 }, (_, descriptor) => `/proc/self/fd/${descriptor}`);
  return names.flatMap((name) => descriptors.map((held) => `${held}/${name}`));
}

/** Runs the command with a fault at its n-th call of that name on the files; resolves to its exit code. */
async function attack(
  sandbox: TestSandbox,
  args: string[],
  file: string,
  flags: string[],
  inject: string,
): Promise<number | null> {
  const directory = join(file, '..');
  const paths = [
    file,
    `${file}.state.json`,
    join(directory, '.scans.csv.state.json.partial'),
    join(directory, '.scans.csv.restart'),
    directory,
    ...renamed(['.scans.csv.state.json.partial', '.scans.csv.restart']),
  ];
  // A link is made in an open directory, by a path that nobody knows before; no other file is linked to.
  const followed = inject.startsWith('inject=link') ? [] : paths.flatMap((path) => ['-P', path]);
  const strace = ['-f', '-qq', '-o', '/dev/null', ...followed, '-e', `trace=${CALLS},link`, '-e', inject];
  const command = [process.execPath, BIN, ...args, ...flags];
  // strace counts calls by thread: with one thread for files they are all in one count.
  const env = {
    ...AMBIENT,
    UV_THREADPOOL_SIZE: '1',
    HOME: directory,
    QRCTL_CONFIG_DIR: directory,
    ...sandbox.env,
  };
  const child = spawn(STRACE, [...strace, ...command], { env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code;
}

function argsOf(sandbox: TestSandbox, file: string): string[] {
  return ['scans', 'export', sandbox.codeId(), '-o', file, '--append'];
}

async function idsIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  if (!text.endsWith('\n')) throw new Error(`torn: ${JSON.stringify(text.slice(-100))}`);
  return [...text.matchAll(/(?:^|,)(\d+),\d{4}-\d\d-\d\dT/gm)].map((found) => found[1] ?? '').sort();
}

describe.runIf(hasStrace && SOAK).each(SCENARIOS)('$name', ({ flags, before, calls }) => {
  test.each(FAULTS)(
    'ends at every fsync, write, rename and truncate with $inject, and the next run leaves each scan once',
    async ({ inject, ends }) => {
      const sandbox = await useSandbox({ codes: 1, scans: 900, limit: 1_000_000 });
      const directory = await useDirectory();
      const start = join(directory, 'start');
      await mkdir(start);
      if (before) {
        expect(await runCli(argsOf(sandbox, join(start, 'scans.csv')), { env: sandbox.env })).toMatchObject({
          code: 0,
        });
      }
      for (const ms of [5, 4, -600_000]) {
        sandbox.workspace.addScan(sandbox.codeId(), { ts: new Date(NEW_YEAR + ms).toISOString() });
      }
      if (before) {
        // The first write of such a run is of the state, the second of rows.
        await attack(
          sandbox,
          argsOf(sandbox, join(start, 'scans.csv')),
          join(start, 'scans.csv'),
          [],
          'inject=pwrite64:signal=SIGKILL:when=2',
        );
        await appendFile(join(start, 'scans.csv'), '99,2025-01-01T00:00:00.000Z,DE');
      }
      const wanted = sandbox
        .scans(sandbox.codeId())
        .map(({ id }) => String(id))
        .sort();

      for (const call of calls) {
        for (let n = 1; n < MOST_CALLS; n++) {
          const place = join(directory, `${call}-${n}`);
          const file = join(place, 'scans.csv');
          await cp(start, place, { recursive: true });
          const code = await attack(
            sandbox,
            argsOf(sandbox, file),
            file,
            flags,
            `inject=${call}:${inject}:when=${n}`,
          );
          expect(n, 'a run without a fault ends with 0').toBeLessThan(MOST_CALLS - 1);
          if (code === 0) {
            expect(n, `${call} is called at all`).toBeGreaterThan(1);
            break;
          }
          expect(ends, `${call} ${n} ends with ${code}`).toContain(code);
          const next = await runCli(argsOf(sandbox, file), { env: sandbox.env });
          expect(`${call} ${n}: ${next.code} ${next.stderr}`).toMatch(/^\w+ \d+: 0 /);
          expect(await idsIn(file), `${call} ${n}`).toEqual(wanted);
          expect(await readdir(place), `${call} ${n}`).toEqual(['scans.csv', 'scans.csv.state.json']);
        }
      }
    },
    600_000,
  );
});

describe.runIf(hasStrace && SOAK)('a --restart of a file that has scans of a deleted code', () => {
  test.each(FAULTS)(
    'may end at any fsync, write, rename and link with $inject without losing a scan',
    async ({ inject, ends }) => {
      const sandbox = await useSandbox({ codes: 2, scans: 300, limit: 1_000_000 });
      const directory = await useDirectory();
      const start = join(directory, 'start');
      await mkdir(start);
      const all = (file: string) => ['scans', 'export', '--all', '-o', file, '--append'];
      expect(await runCli(all(join(start, 'scans.csv')), { env: sandbox.env })).toMatchObject({ code: 0 });
      await ask(sandbox, 'DELETE', `/qr/${sandbox.codeId(1)}`);
      for (const call of ['fsync', 'pwrite64', 'rename', 'link']) {
        for (let n = 1; n < MOST_CALLS; n++) {
          const place = join(directory, `${call}-${n}`);
          const file = join(place, 'scans.csv');
          await cp(start, place, { recursive: true });
          const code = await attack(
            sandbox,
            all(file),
            file,
            ['--restart'],
            `inject=${call}:${inject}:when=${n}`,
          );
          expect(n, 'a run without a fault ends with 0').toBeLessThan(MOST_CALLS - 1);
          if (code !== 0) expect(ends, `${call} ${n} ends with ${code}`).toContain(code);
          const before = await readdir(place);
          const left = before.filter((name) => /^scans\.csv(\.old)?$/.test(name));
          expect(
            (await Promise.all(left.map((name) => idsIn(join(place, name))))).flat().length,
          ).toBeGreaterThanOrEqual(600);
          const next = await runCli(all(file), { env: sandbox.env });
          expect(`${call} ${n}: ${next.code} ${next.stderr}`).toMatch(/^\w+ \d+: 0 /);
          const names = (await readdir(place)).filter((name) => !name.endsWith('.json'));
          expect(['scans.csv', 'scans.csv scans.csv.old']).toContain(names.join(' '));
          const ids = await Promise.all(names.map((name) => idsIn(join(place, name))));
          expect(new Set(ids.flat()).size, `${call} ${n}`).toBe(600);
          if (code !== 0) continue;
          expect(n, `${call} is called at all`).toBeGreaterThan(1);
          expect(names).toHaveLength(2);
          break;
        }
      }
    },
    600_000,
  );
});

describe.runIf(hasStrace && SOAK)('`scans verify --repair` of a file that lacks late scans', () => {
  test.each(FAULTS)(
    'ends at every fsync, write, rename and truncate with $inject, and the next run leaves each scan once',
    async ({ inject, ends }) => {
      const sandbox = await useSandbox({ codes: 1, scans: 931, limit: 1_000_000 });
      const directory = await useDirectory();
      const start = join(directory, 'start');
      await mkdir(start);
      expect(await runCli(argsOf(sandbox, join(start, 'scans.csv')), { env: sandbox.env })).toMatchObject({
        code: 0,
      });
      const newestMs = Date.parse(sandbox.scans(sandbox.codeId()).at(-1)?.ts ?? '');
      for (const days of [3, 30]) {
        sandbox.workspace.addScan(sandbox.codeId(), {
          ts: new Date(newestMs - days * 86_400_000).toISOString(),
        });
      }
      const wanted = sandbox
        .scans(sandbox.codeId())
        .map(({ id }) => String(id))
        .sort();
      const repair = (file: string) => ['scans', 'verify', sandbox.codeId(), '--input', file, '--repair'];
      for (const call of CALLS.slice(0, 3)) {
        for (let n = 1; n < MOST_CALLS; n++) {
          const place = join(directory, `${call}-${n}`);
          const file = join(place, 'scans.csv');
          await cp(start, place, { recursive: true });
          const code = await attack(sandbox, repair(file), file, [], `inject=${call}:${inject}:when=${n}`);
          expect(n, 'a run without a fault ends with 0').toBeLessThan(MOST_CALLS - 1);
          if (code === 0) {
            expect(n, `${call} is called at all`).toBeGreaterThan(1);
            break;
          }
          expect(ends, `${call} ${n} ends with ${code}`).toContain(code);
          const next = await runCli(repair(file), { env: sandbox.env });
          expect(`${call} ${n}: ${next.code} ${next.stderr}`).toMatch(/^\w+ \d+: 0 /);
          expect(await idsIn(file), `${call} ${n}`).toEqual(wanted);
          const append = await runCli(argsOf(sandbox, file), { env: sandbox.env });
          expect(`${append.code} ${append.stderr}`).toMatch(/^0 Exported 0 scans/);
        }
      }
    },
    600_000,
  );
});
