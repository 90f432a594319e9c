/** Plays the history of a seed: a week of three people, their sheets, machines, and one service. */
import type { LockEntry } from '#codes/engine/lock/lock-file';
import type { Plan, PlanInput, Policy } from '#codes/engine/plan/model';
import { isFine, judgeEnd } from './fine.ts';
import { createJudge } from './judge.ts';
import { updateLock } from './lock.ts';
import { createMemory, type Memory } from './memory.ts';
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
} from './people.ts';
import { judgeQuestions } from './questions.ts';
import { createRandom } from './random.ts';
import { type Job, type Report, runJob } from './run.ts';
import { createService } from './service.ts';
import {
  copyRow,
  isMixedUp,
  noteAgreement,
  type RowReport,
  resultsRow,
  type Sheet,
  type SheetRow,
} from './sheet.ts';
import { FOUND, STEPS, somePolicy } from './steps.ts';
import { count, createTruth, type Tally } from './truth.ts';
import { isEqual } from './values.ts';

export interface Options {
  readonly planOf: (input: PlanInput) => Plan;
  /** Is told of each step. */
  readonly onStep?: (text: string) => void;
}

interface Person {
  readonly machine: number;
  sheet: Sheet;
  /** Of the last run. */
  last: { readonly report: Report; readonly results: SheetRow[] } | undefined;
}

/** Plays the history of a seed and returns what came of it. Throws what the rules throw. */
export function playHistory(seed: number, { planOf, onStep = () => undefined }: Options): Tally {
  const random = createRandom(seed);
  const faults = random.pick([0, 0.02, 0.1, 0.3]);
  const late = random.pick([0, 0, 0.1, 0.4]);
  const service = createService(random, {
    normalizes: random.chance(0.6),
    shortens: random.chance(0.2),
    faults,
    late,
  });
  const truth = createTruth(service);
  const { tally } = truth;
  const judge = createJudge(truth);
  const isKeyed = random.chance(0.5);
  const isAlone = random.chance(0.4);
  const memories: Memory[] = [createMemory(), createMemory(), createMemory()];
  let copies = 0;
  let runs = 0;
  const newSheet = (rows: readonly SheetRow[], lock: ReadonlyMap<string, LockEntry>): Sheet => {
    copies += 1;
    return { copy: copies, lock: new Map(lock), rows: rows.map(copyRow), sorted: undefined };
  };
  const first = Array.from({ length: 1 + random.below(5) }, () => newRow(random, truth, isKeyed));
  const people: Person[] = [0, 1, 2].map((number) => ({
    machine: isAlone ? 0 : number,
    sheet: newSheet(first, new Map()),
    last: undefined,
  }));
  const allRows = () => people.flatMap(({ sheet }) => sheet.rows);

  const play = (person: Person, sheet: Sheet, policy: Policy, killAfter: number): Report => {
    const memory = memories[person.machine];
    const lock = policy.verb === 'apply' ? sheet.lock : undefined;
    if (!memory) throw new Error('A person has no machine.');
    const isNarrow = (policy.verb === 'update' || policy.verb === 'delete') && random.chance(0.5);
    const job: Job = { sheet, policy, memory, lock, killAfter, isNarrow };
    runs += 1;
    const report = runJob(job, { service, judge, planOf, run: `r${runs}` });
    count(tally, `run: ${policy.verb}, ${report.end}`);
    if (report.end === 'through') {
      for (const { outcome } of report.reports) count(tally, `row: ${outcome}`);
      judgeEnd(truth, report, policy.verb);
      judgeQuestions(truth, report, job);
    }
    if (report.end !== 'killed') learn(report, sheet, policy, lock);
    onStep(
      `${policy.verb} of sheet ${sheet.copy}${Number.isFinite(killAfter) ? ` killed after ${killAfter}` : ''}: ${tell(report)}`,
    );
    return report;
  };
  const learn = (
    report: Report,
    sheet: Sheet,
    { verb }: Policy,
    lock: Map<string, LockEntry> | undefined,
  ) => {
    if (report.end !== 'through' || isMixedUp(sheet)) return;
    for (const one of report.reports) {
      noteAgreement(one);
      if (one.code && FOUND.has(one.outcome) && !(sheet.sorted && one.item.how !== 'id'))
        service.codes.get(one.code.id)?.tokens.add(one.row.token);
    }
    if (lock && verb === 'apply') updateLock(lock, report);
  };
  const run = (person: Person, sheet: Sheet, policy: Policy) => {
    const isAsNew = policy.decisions.asNewAll;
    for (const { token, decision } of sheet.rows)
      if (decision === undefined) truth.permits.set(token, isAsNew ? 1 : 0);
    let report = play(
      person,
      sheet,
      policy,
      random.chance(0.15) ? random.below(16) : Number.POSITIVE_INFINITY,
    );
    while (report.end === 'killed' && random.chance(0.7)) {
      noteExcluded(truth, memories, allRows());
      report = play(person, sheet, policy, random.chance(0.3) ? random.below(16) : Number.POSITIVE_INFINITY);
    }
    if (report.end === 'through' && !report.isTroubled && random.chance(0.3))
      playAgain(person, sheet, policy, report);
    noteExcluded(truth, memories, allRows());
    if (report.end === 'through' && !isMixedUp(sheet))
      person.last = { report, results: report.reports.map(resultsRow) };
    unsortColumn(sheet);
  };
  /** The same run once more sends nothing, unless it sees a code that the first one did not. */
  const playAgain = (person: Person, sheet: Sheet, policy: Policy, before: Report) => {
    service.now += 20;
    service.isCalm = true;
    const again = play(person, sheet, policy, Number.POSITIVE_INFINITY);
    service.isCalm = false;
    const made = before.reports.map(({ code }) => code?.id);
    const isLater = [...again.listed].some((id) => !before.listed.has(id) && !made.includes(id));
    // The first run learns how the service shortens a name, so the second one counts the codes of equal rows.
    const sent = again.reports.filter(({ outcome }) => outcome === 'created' || outcome === 'updated');
    const equal = ({ row }: RowReport) => sheet.rows.filter((other) => isEqual(other, row)).length > 1;
    if (again.sent > 0 && isLater) count(tally, 'limit: the same run again sees a late code');
    else if (again.sent > 0 && service.traits.shortens && sent.every(equal))
      count(tally, 'limit: the same run again knows how names are shortened');
    else if (again.sent > 0)
      tally.problems.push(`the same run again sends ${again.sent}: ${tell(again)} after ${tell(before)}`);
    if (isFine(before, policy.verb) && !isFine(again, policy.verb))
      count(tally, `fine, and not fine again: ${tell(again)} after ${tell(before)}`);
  };
  const policyOf = (sheet: Sheet) => somePolicy(random, sheet, true);
  const decide = (person: Person) => {
    if (!person.last) return;
    const { report, results } = person.last;
    person.sheet = newSheet(results, person.sheet.lock);
    for (const [index, row] of person.sheet.rows.entries()) {
      const one = report.reports[index];
      if (one) row.decision = answer(random, truth, one);
    }
    run(person, person.sheet, { ...policyOf(person.sheet), applyEdits: false });
    for (const row of person.sheet.rows) row.decision = undefined;
  };
  const removeCodes = (person: Person) => {
    const rows = person.sheet.rows.filter(({ id }) => id !== undefined);
    if (rows.length === 0) return;
    const sheet = newSheet([random.pick(rows)], person.sheet.lock);
    run(person, sheet, { ...policyOf(sheet), verb: 'delete', applyEdits: false, adoptExisting: false });
  };
  const copySheet = (person: Person) => {
    const { sheet } = random.pick(people);
    person.sheet = newSheet(sheet.rows, sheet.lock);
    person.last = undefined;
  };
  const spoilMemory = (person: Person) => {
    const { machine } = person;
    const records = memories[machine]?.records ?? [];
    const what = random.below(3);
    if (what === 0) memories[machine] = createMemory();
    else if (what === 1) memories[machine] = createMemory(records.slice(0, random.below(records.length + 1)));
    else memories[machine] = createMemory(random.pick(memories).records);
    if (random.chance(0.3)) person.sheet.lock.clear();
    if (isKeyed && random.chance(0.3))
      person.sheet = newSheet([newRow(random, truth, true), newRow(random, truth, true)], new Map());
  };
  const steps: Record<string, (person: Person) => unknown> = {
    run: (person) => run(person, person.sheet, policyOf(person.sheet)),
    decide,
    edit: (person) => editSheet(random, truth, person.sheet, isKeyed),
    service: () => editService(random, truth, allRows()),
    list: (person) => {
      person.sheet = newSheet(saveList(truth, random), person.sheet.lock);
      person.last = undefined;
    },
    results: (person) => {
      if (person.last) person.sheet = newSheet(person.last.results, person.sheet.lock);
    },
    merge: (person) => person.last && mergeResults(person.sheet, person.last.results),
    'copy sheet': copySheet,
    'delete codes': removeCodes,
    'spoil memory': spoilMemory,
    /** Another file of the workspace; its keys may be those of the first one. */
    'other file': (person) => {
      const rows = otherRows(random, truth, isKeyed);
      person.sheet = newSheet(rows, new Map());
      person.last = undefined;
    },
  };
  run(people[0] as Person, (people[0] as Person).sheet, policyOf((people[0] as Person).sheet));
  for (let left = 3 + random.below(9); left > 0 && tally.problems.length === 0; left--) {
    const person = random.pick(people);
    const step = random.pick(STEPS);
    onStep(`${step} by person ${people.indexOf(person)}`);
    const result = steps[step]?.(person);
    if (typeof result === 'string') onStep(`  ${result}`);
    noteExcluded(truth, memories, allRows());
    if (!random.chance(0.3)) service.now += 20;
  }
  return tally;
}

function tell({ end, sent, reports, plan }: Report): string {
  const rows = reports.map(
    ({ outcome, item, code }) => `${outcome}/${item.how}${code ? `/${code.slug}` : ''}`,
  );
  const why =
    plan && end === 'refused'
      ? [...plan.brakes.map(({ is }) => is), ...plan.faults.map(({ message }) => message)]
      : [];
  return `${end}, ${sent} sent: ${[...rows, ...why].join(' ')}`;
}
