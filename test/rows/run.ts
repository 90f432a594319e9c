/** One run of the built command over a file, judged while it runs and at its end. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Policy } from '#codes/engine/plan/model';
import type { Memory } from '../codes/engine/plan/world/memory.ts';
import type { Random } from '../codes/engine/plan/world/random.ts';
import type { Job, Judge } from '../codes/engine/plan/world/run.ts';
import type { ModelService } from '../codes/engine/plan/world/service.ts';
import type { Sheet } from '../codes/engine/plan/world/sheet.ts';
import { count, type Tally, type Truth } from '../codes/engine/plan/world/truth.ts';
import type { Command, Ended, Kill } from './command.ts';
import { judgeAfter } from './judge-end.ts';
import { judgeRun } from './judge-run.ts';
import { findPosts, readEntries, readView } from './memory-file.ts';
import { reportsOf, type Said } from './reports.ts';
import { API_KEY, type Server } from './server.ts';
import { lockPath, pathOf, resultsPath, type SheetFile, writeSheet } from './sheet-file.ts';
import { appliedPath, identityOf, readSaid } from './written.ts';

export interface World {
  /** Home of all runs: what the command compiled is kept there. */
  readonly home: string;
  readonly server: Server;
  readonly command: Command;
  readonly random: Random;
  readonly service: ModelService;
  readonly truth: Truth;
  readonly judge: Judge;
  readonly tally: Tally;
  readonly onStep: (text: string) => void;
  readonly pageSize: number;
  readonly isNewestFirst: boolean;
  readonly concurrency: number;
}

export interface RunOrder {
  readonly sheet: Sheet;
  readonly file: SheetFile;
  /** State directory of the machine. */
  readonly state: string;
  readonly policy: Policy;
  readonly isKeyed: boolean;
  readonly kill: Kill | undefined;
}

export interface Report {
  /** `refused`: the run wrote no results and sent nothing. */
  readonly end: 'through' | 'killed' | 'refused';
  readonly code: number | undefined;
  readonly said: readonly Said[];
  readonly hasResults: boolean;
  readonly writes: number;
  readonly requests: readonly string[];
  /** A response was an error, or lost. */
  readonly isTroubled: boolean;
}

/** Returns the command line of a run. */
function argumentsOf({ file, policy }: Pick<RunOrder, 'file' | 'policy'>, concurrency: number): string[] {
  const { verb, conflicts, applyEdits, adoptExisting, removed, decisions } = policy;
  return [
    ...['qr', verb, '--from', pathOf(file), '--concurrency', `${concurrency}`],
    ...(verb === 'delete' ? ['--yes'] : ['--conflicts', conflicts]),
    ...(verb === 'create' && applyEdits ? ['--apply-edits'] : []),
    ...(verb === 'create' && decisions.asNewAll ? ['--as-new', 'all'] : []),
    ...(verb === 'apply' ? ['--removed', removed, '--output', appliedPath(file)] : []),
    ...(adoptExisting ? ['--adopt-existing'] : []),
  ];
}

/** Runs it. */
export async function playRun(world: World, order: RunOrder): Promise<Report> {
  const { server, command, service, truth, tally, judge, onStep, random, concurrency } = world;
  const { sheet, file, state, policy, isKeyed, kill } = order;
  await writeSheet(file, sheet.rows, isKeyed);
  const lock = policy.verb === 'apply' ? ((await readEntries(lockPath(file))) ?? new Map()) : undefined;
  const view = await readView(state);
  const job: Job = {
    sheet,
    policy,
    memory: { view: () => view } as Memory,
    lock,
    killAfter: 0,
    isNarrow: false,
  };
  const judging = judgeRun({
    truth,
    judge,
    job,
    state,
    earlierNs: new Set((await findPosts(state)).map(({ n }) => n)),
  });
  const dead = createDeath(kill);
  const args = argumentsOf(order, concurrency);
  const earlier = await identityOf(resultsPath(file));
  await rm(appliedPath(file), { force: true });
  const home = { HOME: world.home, XDG_CACHE_HOME: world.home, QRCTL_CONFIG_DIR: join(world.home, 'config') };
  const env = { PATH: process.env.PATH ?? '', ...home, QRCTL_STATE_DIR: state };
  const service_ = { QRCTL_BASE_URL: server.baseUrl, QRCTL_API_KEY: API_KEY };
  server.seen = [];
  server.stage = {
    service,
    random,
    pageSize: world.pageSize,
    isNewestFirst: world.isNewestFirst,
    ...judging,
    copy: sheet.copy,
    isKilled: dead.isKilled,
  };
  const ended = await start();
  server.stage = undefined;
  if (server.failure !== undefined) throw server.failure;
  const { seen } = server;
  const writes = seen.filter(({ method }) => method !== 'GET').length;
  const requests = seen.map(({ method, path }) => `${method} ${path}`);
  const isTroubled = seen.some(({ answer }) => !/^2\d\d/.test(answer));
  tell();
  const base = { code: ended.code, writes, requests, isTroubled, hasResults: policy.verb !== 'apply' };
  if (ended.code === undefined) return { ...base, end: 'killed', said: [] };
  for (const kind of crashes(ended)) tally.problems.push(kind);
  const lines = await readSaid(order, earlier);
  if (!lines) {
    if (writes > 0)
      tally.problems.push(
        `exit ${ended.code} without results, but ${writes} changes were sent: ${ended.stderr}`,
      );
    if (ended.code === 0) tally.problems.push('exit 0 without results');
    count(tally, `refused: exit ${ended.code}, ${kindOf(ended.stderr)}`);
    return { ...base, end: 'refused', said: [] };
  }
  const said = reportsOf(sheet, lines, service);
  for (const { outcome } of said) count(tally, `row: ${outcome}`);
  await judgeAfter({ world, order, job, judging, code: ended.code, said });
  return { ...base, end: 'through', said };

  function start(): Promise<Ended> {
    // In this process the code is compiled already.
    if (!kill)
      return command.run(args, { ...env, ...service_, XDG_CACHE_HOME: '/proc/none', HOME: '/proc/none' });
    const { child, ended: end } = command.start(args, { ...env, ...service_ }, kill);
    dead.aim(() => child.kill('SIGKILL'));
    return end;
  }

  function tell(): void {
    onStep(
      `$ qrctl ${args.slice(0, 2).join(' ')} --from ${file.directory.split('/').at(-1)}/${file.name} ${args.slice(4).join(' ')} (machine ${state.at(-1)}${kill ? `, ${JSON.stringify(kill)}` : ''})`,
    );
    for (const row of sheet.rows)
      onStep(
        `    | ${[row.key, row.name, row.destination, row.status, row.slug, row.base && 'base', row.decision?.is].map((cell) => cell ?? '').join(' | ')} |`,
      );
    for (const { code } of service.live())
      onStep(`    ${code.slug}: ${code.name} | ${code.destination} | ${code.status}`);
    for (const { method, path, body, answer } of seen) onStep(`    ${method} ${path} ${body} → ${answer}`);
    onStep(`    exit ${ended.code}: ${ended.stderr.trim().replaceAll('\n', '\n      ')}`);
  }
}

function* crashes({ code, stderr }: Ended): Generator<string> {
  if (/\n\s+at |TypeError|unexpected failure|This is a bug/i.test(stderr)) yield `a crash: ${stderr}`;
  if (code !== undefined && ![0, 1, 2, 4, 7, 8, 9].includes(code)) yield `exit ${code}: ${stderr}`;
}

/** First words of an error, for counting. */
function kindOf(stderr: string): string {
  const line = stderr.split('\n').find((text) => text.startsWith('qrctl: ')) ?? '';
  return line
    .replace(/\/\S+/g, 'FILE')
    .replace(/"[^"]*"|[0-9a-f]{8}-\S+|\d+/g, '…')
    .slice(0, 90);
}

/** Kills the process of a run at its n-th request, before or after it was applied. */
function createDeath(kill: Kill | undefined) {
  let shoot = () => false;
  let requests = 0;
  let isDead = false;
  return {
    aim(target: () => boolean) {
      shoot = target;
    },
    isKilled(when: 'before' | 'after'): boolean {
      if (kill?.at !== 'request') return false;
      if (when === 'before') requests += 1;
      const isNow =
        requests > kill.n + 1 || (requests === kill.n + 1 && (when === 'after') === (kill.n % 2 === 0));
      if (isNow) isDead = shoot() || isDead;
      return isDead;
    },
  };
}
