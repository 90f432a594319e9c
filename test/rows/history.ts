/** Plays the history of a seed with the built command: a week of three people, their sheets, machines, and one service. */
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LockEntry } from '#codes/engine/lock/lock-file';
import type { Policy } from '#codes/engine/plan/model';
import { createJudge } from '../codes/engine/plan/world/judge.ts';
import type { Memory } from '../codes/engine/plan/world/memory.ts';
import {
  answer,
  editService,
  editSheet,
  mergeResults,
  newRow,
  noteExcluded,
  otherRows,
  saveList,
  unsortColumn,
} from '../codes/engine/plan/world/people.ts';
import { createRandom } from '../codes/engine/plan/world/random.ts';
import { createService } from '../codes/engine/plan/world/service.ts';
import {
  copyRow,
  isMixedUp,
  noteAgreement,
  type Sheet,
  type SheetRow,
} from '../codes/engine/plan/world/sheet.ts';
import { FOUND, STEPS, somePolicy } from '../codes/engine/plan/world/steps.ts';
import { count, createTruth, type Tally } from '../codes/engine/plan/world/truth.ts';
import { someKill, spoilMemory } from './chances.ts';
import type { Command, Kill } from './command.ts';
import { readView } from './memory-file.ts';
import type { Said } from './reports.ts';
import { playRun, type Report, type World } from './run.ts';
import type { Server } from './server.ts';
import { lockPath, type SheetFile } from './sheet-file.ts';

export interface HistoryOptions {
  readonly server: Server;
  readonly command: Command;
  /** Home of all runs. */
  readonly home: string;
  /** Directory of this history; removed at its end. */
  readonly place: string;
  /** How runs are killed. */
  readonly kill: 'none' | 'request' | 'call';
  /** Is told of each step. */
  readonly onStep: (text: string) => void;
  /** Is told of each wait of the command, in milliseconds. */
  readonly sleeps: { listener: (ms: number) => void };
}

interface OwnSheet extends Sheet {
  file: SheetFile;
}

interface Person {
  readonly machine: number;
  sheet: OwnSheet;
  /** Of the last run. */
  last: { readonly said: readonly Said[]; readonly rows: SheetRow[] } | undefined;
}

/** Plays the history of a seed and returns what came of it. */
export async function playHistory(
  seed: number,
  { home, server, command, place, kill, onStep, sleeps }: HistoryOptions,
): Promise<Tally> {
  const random = createRandom(seed);
  const service = createService(random, {
    normalizes: random.chance(0.6),
    shortens: random.chance(0.2),
    faults: random.pick([0, 0.01, 0.05, 0.1, 0.3]),
    late: random.pick([0, 0, 0.1, 0.4]),
  });
  const truth = createTruth(service);
  const { tally } = truth;
  const world: World = {
    home,
    server,
    command,
    random,
    service,
    truth,
    judge: createJudge(truth),
    onStep,
    tally,
    pageSize: random.pick([100, 100, 3]),
    isNewestFirst: random.chance(0.5),
    concurrency: random.pick([1, 1, 1, 4]),
  };
  sleeps.listener = (ms) => {
    service.now += ms / 1000;
  };
  const isKeyed = random.chance(0.5);
  const isAlone = random.chance(0.4);
  let copies = 0;
  const stateOf = (machine: number) => join(place, `machine-${machine}`);
  const memories = async (): Promise<Memory[]> =>
    Promise.all(
      [0, 1, 2].map(async (machine) => {
        const view = await readView(stateOf(machine));
        return { view: () => view } as Memory;
      }),
    );
  const newSheet = async (
    rows: readonly SheetRow[],
    from?: OwnSheet,
    name = 'codes.csv',
  ): Promise<OwnSheet> => {
    copies += 1;
    const file = { directory: join(place, `sheet-${copies}`), name };
    await mkdir(file.directory, { recursive: true });
    if (from) await cp(lockPath(from.file), lockPath(file)).catch(() => undefined);
    return {
      copy: copies,
      lock: new Map<string, LockEntry>(),
      rows: rows.map(copyRow),
      sorted: undefined,
      file,
    };
  };
  const first = Array.from({ length: 1 + random.below(5) }, () => newRow(random, truth, isKeyed));
  const people: Person[] = [];
  for (const number of [0, 1, 2])
    people.push({ machine: isAlone ? 0 : number, sheet: await newSheet(first), last: undefined });
  const allRows = () => people.flatMap(({ sheet }) => sheet.rows);
  const noteLimits = async () => noteExcluded(truth, await memories(), allRows());

  const play = async (person: Person, sheet: OwnSheet, policy: Policy, killed?: Kill): Promise<Report> => {
    const report = await playRun(world, {
      sheet,
      file: sheet.file,
      state: stateOf(person.machine),
      policy,
      isKeyed,
      kill: killed,
    });
    count(
      tally,
      `run: ${policy.verb}, ${report.end}${report.end === 'through' ? `, exit ${report.code}` : ''}`,
    );
    if (report.end === 'through') for (const one of report.said) learn(one, sheet);
    return report;
  };
  const learn = (one: Said, sheet: OwnSheet) => {
    if (isMixedUp(sheet)) return;
    noteAgreement(one);
    if (one.code && FOUND.has(one.outcome) && !(sheet.sorted && one.item.how !== 'id'))
      service.codes.get(one.code.id)?.tokens.add(one.row.token);
  };
  const run = async (person: Person, sheet: OwnSheet, policy: Policy) => {
    const isAsNew = policy.decisions.asNewAll;
    for (const { token, decision } of sheet.rows)
      if (decision === undefined) truth.permits.set(token, isAsNew ? 1 : 0);
    let report = await play(person, sheet, policy, someKill(random, kill));
    while (report.end === 'killed' && random.chance(0.7)) {
      await noteLimits();
      report = await play(person, sheet, policy, random.chance(0.3) ? someKill(random, kill) : undefined);
    }
    if (report.end === 'through' && !report.isTroubled && random.chance(0.3))
      await playAgain(person, sheet, policy, report);
    await noteLimits();
    if (report.end === 'through' && report.hasResults && !isMixedUp(sheet))
      person.last = { said: report.said, rows: report.said.map(({ after }) => after) };
    unsortColumn(sheet);
  };
  /** The same run once more sends nothing but what reads the listing. */
  const playAgain = async (person: Person, sheet: OwnSheet, policy: Policy, before: Report) => {
    service.now += 20;
    service.isCalm = true;
    const again = await play(person, sheet, policy);
    service.isCalm = false;
    // A row that failed is tried again.
    const failed = before.said.filter(({ outcome }) => outcome === 'failed').length;
    if (again.writes > failed) tally.problems.push(`the same run again sends ${again.writes} changes`);
    const isNamed = policy.verb === 'update' || policy.verb === 'delete';
    const extra = again.requests.filter((request) => !request.startsWith('GET /qr?'));
    if (before.code === 0 && extra.length > 0 && !isNamed)
      tally.problems.push(`the same run again asks more than the listing: ${extra}`);
    count(tally, extra.length === 0 ? 'again: the listing and nothing else' : 'again: named codes too');
    if (before.code === 0 && again.code !== 0) count(tally, `fine, and not fine again: exit ${again.code}`);
  };
  const decide = async (person: Person) => {
    if (!person.last) return;
    const { said, rows } = person.last;
    person.sheet = await newSheet(rows, person.sheet, 'codes.results.csv');
    for (const [index, row] of person.sheet.rows.entries()) {
      const one = said[index];
      if (one) row.decision = answer(random, truth, one);
    }
    onStep(
      `  answers: ${person.sheet.rows.map(({ decision }) => (decision?.is === 'code' ? decision.name : (decision?.is ?? '-'))).join(' ')}`,
    );
    await run(person, person.sheet, { ...somePolicy(random, person.sheet), applyEdits: false });
    for (const row of person.sheet.rows) row.decision = undefined;
  };
  const removeCodes = async (person: Person) => {
    const rows = person.sheet.rows.filter(({ id }) => id !== undefined);
    if (rows.length === 0) return;
    const sheet = await newSheet([random.pick(rows)], person.sheet);
    await run(person, sheet, {
      ...somePolicy(random, sheet),
      verb: 'delete',
      applyEdits: false,
      adoptExisting: false,
    });
  };
  const steps: Record<string, (person: Person) => Promise<unknown> | unknown> = {
    run: (person) => run(person, person.sheet, somePolicy(random, person.sheet)),
    decide,
    edit: (person) => editSheet(random, truth, person.sheet, isKeyed),
    service: () => editService(random, truth, allRows()),
    async list(person) {
      person.sheet = await newSheet(saveList(truth, random), person.sheet);
      person.last = undefined;
    },
    async results(person) {
      if (person.last) person.sheet = await newSheet(person.last.rows, person.sheet, 'codes.results.csv');
    },
    merge: (person) => person.last && mergeResults(person.sheet, person.last.rows),
    async 'copy sheet'(person) {
      const { sheet } = random.pick(people);
      person.sheet = await newSheet(sheet.rows, sheet);
      person.last = undefined;
    },
    'delete codes': removeCodes,
    /** A half of the sheet is lost, as when a download is cut. */
    cut: ({ sheet }) => void sheet.rows.splice(Math.ceil(sheet.rows.length / 2)),
    async 'spoil memory'(person) {
      const what = await spoilMemory(random, stateOf(person.machine), stateOf(random.below(3)));
      if (random.chance(0.3)) await rm(lockPath(person.sheet.file), { force: true });
      if (isKeyed && random.chance(0.3))
        person.sheet = await newSheet([newRow(random, truth, true), newRow(random, truth, true)]);
      return what;
    },
    /** Another file of the workspace; its keys may be those of the first one. */
    async 'other file'(person) {
      const rows = otherRows(random, truth, isKeyed);
      person.sheet = await newSheet(rows);
      person.last = undefined;
    },
  };
  const [somebody] = people as [Person];
  onStep(
    `sheet: ${first.map(({ key, name, destination, status }) => [key, name, destination, status].join('|')).join('  ')}`,
  );
  await run(somebody, somebody.sheet, somePolicy(random, somebody.sheet));
  for (let left = 3 + random.below(7); left > 0 && tally.problems.length === 0; left--) {
    const person = random.pick(people);
    const step = random.pick([...STEPS, 'cut']);
    onStep(`# ${step}, person ${people.indexOf(person)}`);
    const result = await steps[step]?.(person);
    if (typeof result === 'string') onStep(`  ${result}`);
    await noteLimits();
    if (!random.chance(0.3)) service.now += 20;
  }
  return tally;
}
