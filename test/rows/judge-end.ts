/** Judges a run at its end: what it said of each row, its exit code, and the files that it left. */
import { FIELDS } from '#codes/engine/plan/model';
import type { CodeChanges } from '#service/shapes';
import { judgeEnd } from '../codes/engine/plan/world/fine.ts';
import type { Memory } from '../codes/engine/plan/world/memory.ts';
import { judgeQuestions } from '../codes/engine/plan/world/questions.ts';
import type { Job } from '../codes/engine/plan/world/run.ts';
import type { ModelService } from '../codes/engine/plan/world/service.ts';
import { isMixedUp, type Sheet } from '../codes/engine/plan/world/sheet.ts';
import { count } from '../codes/engine/plan/world/truth.ts';
import { fieldOf, isEqual } from '../codes/engine/plan/world/values.ts';
import type { RunJudge } from './judge-run.ts';
import { readEntries, readView } from './memory-file.ts';
import type { Said } from './reports.ts';
import type { RunOrder, World } from './run.ts';
import { lockPath, type SheetFile } from './sheet-file.ts';

export interface After {
  readonly world: World;
  readonly order: RunOrder;
  readonly job: Job;
  readonly judging: RunJudge;
  readonly code: number;
  readonly said: readonly Said[];
}

/** Judges what a run that was not killed left. */
export async function judgeAfter({ world, order, job, judging, code: exit, said }: After): Promise<void> {
  const { truth, tally, service } = world;
  const { policy, sheet, state, file } = order;
  const problem = (what: string) => tally.problems.push(what);
  const ids = said.flatMap(({ code, outcome }) => (code && CLAIMING.has(outcome) ? code.id : []));
  if (new Set(ids).size < ids.length) problem(`one code for two rows in the results: ${ids}`);
  if (sheet.sorted && !policy.force) judgeShift(judging, sheet, problem);
  for (const one of judging.overwritten) judgeSaid(one, said, problem);
  const after = await readView(state);
  if (exit === 0) {
    const bad = said.filter(
      ({ outcome }) => !FINE.has(outcome) || (outcome === 'exists' && policy.verb === 'apply'),
    );
    if (bad.length > 0) problem(`exit 0, but a row is ${bad[0]?.outcome}`);
    judgeEnd(truth, { reports: said, plan: undefined, end: 'through' }, policy.verb);
    const open = after.unclear.find((sending) =>
      sheet.rows.some((row) =>
        sending.key === undefined
          ? row.key === undefined && isEqual(sending.values, row)
          : sending.key === row.key,
      ),
    );
    if (open && policy.verb !== 'delete' && policy.verb !== 'update')
      count(tally, 'limit: exit 0 with an unclear sending of equal values');
    for (const { outcome, code } of said)
      if (outcome === 'created' && code && !after.claims.has(code.id))
        problem(`exit 0, but the ledger lacks ${code.id}`);
    if (policy.verb === 'apply') await judgeLock(file, said, service, problem);
  }
  judgeQuestions(
    truth,
    { reports: said, plan: undefined, end: 'through' },
    { ...job, memory: { view: () => after } as Memory },
  );
}

/** After exit 0, the lock file has the code of each row. */
async function judgeLock(
  file: SheetFile,
  said: readonly Said[],
  service: ModelService,
  problem: (what: string) => unknown,
): Promise<void> {
  const entries = await readEntries(lockPath(file));
  for (const { row, code, outcome, item } of said) {
    if (row.decision?.is === 'skip') continue;
    const entry = entries?.get(row.key ?? '');
    if (!entry || entry.id !== code?.id)
      problem(
        `exit 0, but the lock file has ${entry?.slug} for ${row.key}, and the run says ${outcome} ${code?.slug}`,
      );
    const now = service.codes.get(code?.id ?? '')?.code;
    for (const field of FIELDS) {
      const isOpen = item.changes.some((change) => change.field === field);
      if (entry && now && !isOpen && (entry[field] ?? '') !== fieldOf(now, field))
        problem(
          `exit 0, but the lock file has the ${field} "${entry[field]}", and the service "${now[field]}"`,
        );
    }
  }
}

/** Three rows or more took over the values of others, or the ids or keys. */
function judgeShift({ patched }: RunJudge, sheet: Sheet, problem: (what: string) => unknown): void {
  const { sorted, rows } = sheet;
  if (!sorted) return;
  const fields = FIELDS.filter((field) => isMixedUp(sheet) || field === sorted.column);
  const olds = new Set(patched.flatMap(({ before }) => fields.map((field) => fieldOf(before, field))));
  const isShifted = (set: CodeChanges) =>
    fields.some((field) => set[field] !== undefined && olds.has(set[field] ?? ''));
  // A lost PATCH is sent again.
  const shifted = new Set(patched.flatMap(({ row, set }) => (row.base && isShifted(set) ? row : [])));
  if (shifted.size >= 3)
    problem(`the column ${sorted.column} of ${rows.length} rows was sorted by itself, and sent`);
}

/** What a run overwrote of others, it says. */
function judgeSaid(one: string, said: readonly Said[], problem: (what: string) => unknown): void {
  const [id, field] = one.split(' ');
  const about = said.find(({ code }) => code?.id === id);
  const isNoted = about?.item.changes.some((change) => change.what === 'overwrite' && change.field === field);
  if (!isNoted) problem(`overwrote ${field} of ${id} without a word: ${about?.outcome} ${about?.error}`);
}

const CLAIMING: ReadonlySet<string> = new Set(['created', 'updated', 'adopted', 'unchanged', 'exists']);

const FINE: ReadonlySet<string> = new Set([...CLAIMING, 'deleted']);
