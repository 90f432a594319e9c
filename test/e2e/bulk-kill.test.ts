import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fraction } from '#sandbox/chance';
import { argv } from '../support/argv.ts';
import { runCli, startCli, useDirectory } from '../support/cli.ts';
import {
  applyThenDrop,
  dropBefore,
  type Fault,
  fails,
  gateway,
  half,
  hang,
  landLate,
  refuses,
  sometimes,
} from '../support/faults.ts';
import { SOAK } from '../support/property-runs.ts';
import { useSandbox } from '../support/sandbox.ts';

const ROWS = SOAK ? 200 : 60;
const KILLS = SOAK ? 100 : 1;
/** The name of a code that was there before. */
const OLD = `Poster ${ROWS / 2}`;
const SEED = Number(process.env.QRCTL_SEED ?? 7);

/** Seconds for `--settle`; writes that are late are visible before that. */
const SETTLE_S = SOAK ? 5 : 1;

const FAULTS: readonly Fault[] = [
  dropBefore,
  applyThenDrop,
  fails(500),
  fails(500, { applied: true }),
  gateway(502, { applied: true }),
  refuses('1'),
  hang,
  half(true),
  landLate(SETTLE_S * 800),
];

describe('qr create --from, killed repeatedly while the service fails a fifth of the POST requests,', () => {
  it(`creates exactly one code for each of ${ROWS} rows`, async () => {
    const directory = await useDirectory();
    const file = join(directory, 'codes.csv');
    // Some rows have a twin.
    const names = Array.from({ length: ROWS }, (_, row) => `Poster ${row % (ROWS - 10)}`);
    await writeFile(
      file,
      `name,destination,sku\n${names.map((name, row) => `${name},https://example.com/p,${row}`).join('\n')}\n`,
    );

    let posts = 0;
    let onPost: (() => void) | undefined;
    const sandbox = await useSandbox({
      codes: 0,
      scans: 0,
      latencyMs: 10,
      intercept: sometimes(({ request, number }) => {
        if (request.method !== 'POST') return;
        posts += 1;
        onPost?.();
        const chance = fraction(SEED, 1, number);
        return chance < 0.2 && FAULTS[Math.floor((chance / 0.2) * FAULTS.length)];
      }),
    });
    // A code that was there before has the values of a row: it is that row's.
    const old = sandbox.workspace.create({ name: OLD, destination: 'https://example.com/p' });
    const args = argv`
      qr create --from ${file} --timeout 1s --concurrency 8 --settle ${SETTLE_S}s --format ndjson
    `;

    for (let kill = 0; kill < KILLS; kill++) {
      const running = await startCli(args, { env: sandbox.env, cwd: directory });
      const enough = posts + Math.floor(fraction(SEED, 2, kill) * 40);
      const reached = new Promise<void>((resolve) => {
        onPost = () => posts >= enough && resolve();
      });
      await Promise.race([reached, running.done, new Promise((resolve) => setTimeout(resolve, 1500))]);
      await new Promise((resolve) => setTimeout(resolve, fraction(SEED, 3, kill) * 20));
      running.child.kill('SIGKILL');
      await running.done;
    }

    const ended = () => runCli(args, { env: sandbox.env, cwd: directory, timeoutMs: 170_000 });
    let last = await ended();
    for (let again = 0; last.code === 8 && again < 3; again++) last = await ended();
    expect(last.stderr).not.toContain('unexpected');
    expect(last.code, last.stderr).toBe(0);

    const results = last.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results.map(({ sku }) => sku)).toEqual(names.map((_, row) => `${row}`));
    const ids = results.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ROWS);
    expect(results.find(({ name }) => name === OLD)?.id).toBe(old.id);
    const made = sandbox.workspace.codes();
    expect(made.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(results.every(({ id, name }) => sandbox.workspace.code(id)?.name === name)).toBe(true);
  }, 900_000);
});
