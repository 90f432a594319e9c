/**
 * Runs that are killed while answers get lost and their writes land long after, on a service whose `created_at` and `Date` come from
 * clocks that are apart. Settled a tenth as slowly as people would: `--settle 1s`, and writes that land up to 6 s late.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '#base/time/time';
import { fraction } from '#sandbox/chance';
import type { Exchange } from '#sandbox/exchange';
import { argv } from '../support/argv.ts';
import { startCli, until, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const KILLS = 200;
const SEED = Number(process.env.QRCTL_SEED ?? 11);
/** Of one file, before it may end. */
const KILLS_EACH = 10;
/** Files at once: most of the time is waiting. */
const LANES = 4;
const ROWS = 24;
const LATEST_MS = 6000;
/** Of this, with two seeds of three: these writes land before their rows are sent again. */
const IN_TIME = 0.15;
const MOST_APART_MS = 90_000;
const MOST_RERUNS = 12;
const MOST_FILES = KILLS;

/** A service whose clocks are apart, and whose writes are up to `latestMs` late. `chance` gives the n-th number from 0 to 1 of a kind. */
async function useLateService(chance: (kind: number, n: number) => number, latestMs: number) {
  const state = { posts: 0, requests: 0, landing: 0, apartMs: 0 };
  let stampMs = 0;
  const apply = (exchange: Exchange) => {
    stampMs = state.apartMs; // created_at is of another clock than Date
    try {
      return exchange.apply();
    } finally {
      stampMs = 0;
    }
  };
  const land = async (exchange: Exchange, ms: number) => {
    state.landing += 1;
    await sleep(ms);
    const answer = apply(exchange);
    state.landing -= 1;
    return answer;
  };
  const sandbox = await useSandbox({
    codes: 0,
    scans: 0,
    latencyMs: 20,
    clock: { ...systemClock, now: () => systemClock.now() + stampMs },
    async intercept(exchange) {
      state.requests += 1;
      if (exchange.request.method !== 'POST') return exchange.send(exchange.apply());
      const post = state.posts++;
      const fate = chance(1, post);
      const lateMs = chance(2, post) * latestMs;
      if (fate < 0.08) return void exchange.response.destroy();
      if (fate < 0.3) {
        exchange.response.destroy();
        return void (await land(exchange, lateMs));
      }
      // Slow: the answer is given up, or it comes.
      if (fate < 0.4) return exchange.send(await land(exchange, lateMs / 3));
      return exchange.send(apply(exchange));
    },
  });
  return { sandbox, state };
}

interface Ended {
  kills: number;
  /** Exit codes of the runs that ended by themselves, in order. */
  exits: (number | null)[];
  /** Codes too many that a person was told of. */
  extra: number;
}

/** One file, killed so often, and then run until it is done. Fails where a code is there twice and no user was told. */
async function attack(seed: number, kills: number): Promise<Ended> {
  const chance = (kind: number, n: number) => fraction(seed, kind, n);
  const directory = await useDirectory();
  const file = join(directory, 'codes.csv');
  const names = Array.from({ length: ROWS }, (_, row) => `Poster ${row % (ROWS - 2)}`);
  await writeFile(
    file,
    `name,destination\n${names.map((name) => `${name},https://example.com/p\n`).join('')}`,
  );
  const { sandbox, state } = await useLateService(chance, LATEST_MS * (seed % 3 === 0 ? 1 : IN_TIME));
  const options = { env: sandbox.env, cwd: directory };
  const args = argv`qr create --from ${file} --timeout 1s --concurrency 4 --settle 1s -f ndjson`;
  const ended: Ended = { kills: 0, exits: [], extra: 0 };
  const apart = (n: number) => (2 * chance(3, n) - 1) * MOST_APART_MS;
  state.apartMs = apart(0);

  while (ended.kills < kills && !ended.exits.some((code) => code === 0 || code === 9)) {
    // With every other seed the clocks are set between the runs as well.
    if (seed % 2 === 1) state.apartMs = apart(ended.kills);
    const { posts, requests } = state;
    const running = await startCli(args, options);
    let over = false;
    const done = running.done.finally(() => {
      over = true;
    });
    await until(() => over || state.requests > requests);
    // While it sends, or at any time: while it waits, looks, or looks again.
    const more = chance(5, ended.kills) * 8;
    const killAtMs = systemClock.monotonic() + chance(5, ended.kills) * 5000;
    const isSending = chance(4, ended.kills) < 0.6;
    await until(
      () => over || (isSending && state.posts >= posts + more) || systemClock.monotonic() >= killAtMs,
    );
    await sleep(chance(6, ended.kills) * 20);
    if (over) ended.exits.push((await done).code);
    else ended.kills += 1;
    running.child.kill('SIGKILL');
    await done;
  }

  const remove = (id: string) => {
    ended.extra += 1;
    sandbox.workspace.delete(id);
  };
  let decisions: string[] = [];
  for (let rerun = 0; rerun < MOST_RERUNS; rerun++) {
    // What lands after the settling is reported by the next run.
    if (ended.exits.at(-1) === 0) await until(() => state.landing === 0);
    const { code, stdout, stderr } = await runByDay([...args, ...decisions], options);
    expect(stderr).not.toContain('unexpected');
    ended.exits.push(code);
    if (code === 0 && state.landing === 0) break;
    // A person looks when all has landed, and again when they have been told of it.
    await until(() => state.landing === 0);
    const isTold = ended.exits.at(-2) === 9 && decisions.length === 0;
    decisions = code === 9 && isTold ? decide(stdout, remove) : [];
  }
  expect(ended.exits.at(-1), `seed ${seed}: ${ended.exits}`).toBe(0);
  await until(() => state.landing === 0);
  const made = sandbox.workspace.codes().map(({ name }) => name);
  expect(made.sort(), `seed ${seed}: ${ended.exits}`).toEqual([...names].sort());
  return ended;
}

/** What a person does about rows that need them: each gets a code of those it may have, and what is left over is deleted. */
function decide(stdout: string, remove: (id: string) => unknown): string[] {
  const decisions: string[] = [];
  const taken = new Set<string>();
  const over = new Set<string>();
  for (const [index, line] of stdout.trim().split('\n').entries()) {
    const { id, outcome, error } = JSON.parse(line);
    const at = index + 2; // the line of the file, below its header
    // A code that only resembles the row is another row's, and its own may land yet.
    if (outcome !== 'undecided' || error?.includes('resembles')) continue;
    const candidates: string[] = error?.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
    const own = id ?? candidates.find((candidate) => !taken.has(candidate));
    if (own) taken.add(own);
    for (const candidate of candidates) over.add(candidate);
    decisions.push(...(own ? ['--adopt', `${at}=${own}`] : ['--as-new', `${at}`]));
  }
  for (const id of over) if (!taken.has(id)) remove(id);
  return decisions;
}

it.runIf(SOAK)(
  `qr create --from creates one code per row despite ${KILLS} kills, or reports duplicate codes`,
  async () => {
    const all: Ended[] = [];
    let begun = 0;
    let killed = 0;
    const lane = async () => {
      while (killed < KILLS && begun < MOST_FILES) {
        const ended = await attack(SEED + begun++, Math.min(KILLS_EACH, KILLS - killed));
        killed += ended.kills;
        all.push(ended);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const count = (wanted: (ended: Ended) => boolean) => all.filter(wanted).length;
    const told = count(({ exits }) => exits.includes(9));
    const twice = count(({ extra }) => extra > 0);
    const exits = all.flatMap((ended) => ended.exits).sort();
    process.stdout.write(
      `${killed} kills of ${all.length} files, ${told} asked a person, ${twice} had a code too many; exits ${exits}\n`,
    );
    expect(killed).toBeGreaterThanOrEqual(KILLS);
  },
  1_800_000,
);
