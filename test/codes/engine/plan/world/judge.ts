/** What must never happen, decided by the hidden identity of each row. */
import type { PlanItem } from '#codes/engine/plan/model';
import { FIELDS } from '#codes/engine/plan/model';
import { findClue } from './clues.ts';
import { judgeOverwriting } from './overwriting.ts';
import type { Judge, Moment } from './run.ts';
import type { ModelCode } from './service.ts';
import { isMixedUp, type SheetRow } from './sheet.ts';
import { count, createTell, type Tell, type Truth } from './truth.ts';
import { fieldOf, isEqual, isSame, sharesDestination, sharesName } from './values.ts';

/** Returns the judge of all runs. */
export function createJudge(truth: Truth): Judge {
  const { service, tally, permits } = truth;
  const problem = createTell(tally);
  return {
    plan(moment) {
      judgePlan(truth, moment, problem);
    },
    post(item, row, moment) {
      if (item.row && !isWished(item, row)) problem('POST of other values than those of the row', row, item);
      const isAnswered = hasDecided(row, item, moment) || item.repeats !== undefined;
      if ((row.id !== undefined || row.slug !== undefined) && !isAnswered)
        problem('POST for a row with an id', row, item);
      const own = codesOf(truth, row, item, moment);
      if (own.length === 0 || isMixedUp(moment.job.sheet)) return;
      if (hasDecided(row, item, moment)) {
        if (permitOf(truth, row, moment) === undefined) problem('a decision was used twice', row, item);
        return;
      }
      const excuse = excuseOf(truth, row, own, item, moment);
      if (excuse === undefined) problem(`second code (${findClue(row, own, item, moment)})`, row, item);
      else count(tally, `excluded: ${excuse}`);
      const token = truth.newToken();
      truth.before.set(token, row.token);
      row.token = token;
    },
    sent({ isDecided }, row, moment) {
      const token = isDecided ? permitOf(truth, row, moment) : undefined;
      if (token !== undefined) permits.set(token, (permits.get(token) ?? 0) - 1);
    },
    patch(item, row, moment) {
      const { code } = item;
      if (!code || !row) return;
      judgeIdentity(truth, row, item, moment, problem);
      const now = service.codes.get(code.id);
      if (!now || item.action === 'create') return;
      for (const field of FIELDS)
        if (item.send[field] !== undefined && !isSame(field, item.send[field], fieldOf(now.code, field)))
          judgeOverwriting(truth, { row, item, field, now, moment }, problem);
    },
    delete(item, row, moment) {
      if (moment.job.policy.verb !== 'delete' || !row) problem('DELETE without a wish', row, item);
      else judgeIdentity(truth, row, item, moment, problem);
    },
  };
}

function judgePlan(truth: Truth, moment: Moment, problem: Tell): void {
  const { service } = truth;
  const { plan, rowOf, job } = moment;
  if (plan.faults.length > 0) return;
  const owners = new Map<string, PlanItem>();
  for (const item of plan.items) {
    const { code, row } = item;
    if (!row || !code) continue;
    if (owners.has(code.id)) problem('one code for two rows', rowOf.get(row), item);
    owners.set(code.id, item);
    noteTaken(truth, rowOf.get(row), item, moment);
    if (item.action === 'gone' && service.get(code.id))
      problem('a code that is there counts as gone', rowOf.get(row), item);
  }
  if (plan.brakes.length === 0 && !job.policy.force) judgeShift(moment, problem);
}

/** Three rows or more that get values of others, against a base that is known. */
function judgeShift({ plan, rowOf, job, view }: Moment, problem: Tell): void {
  const { sorted } = job.sheet;
  if (!sorted) return;
  const fields = FIELDS.filter((field) => isMixedUp(job.sheet) || field === sorted.column);
  const olds = new Set(
    plan.items.flatMap(({ code }) => (code ? fields.map((field) => fieldOf(code, field)) : [])),
  );
  const shifted = plan.items.filter(({ row, key, send, action, code }) => {
    if (
      !row ||
      !code ||
      action === 'create' ||
      !fields.some((field) => send[field] !== undefined && olds.has(send[field]))
    )
      return false;
    return rowOf.get(row)?.base || view.claims.has(code.id) || (key !== undefined && job.lock?.has(key));
  });
  const [first] = shifted;
  if (first?.row && shifted.length >= 3)
    problem(`the column ${sorted.column} was sorted by itself`, rowOf.get(first.row), first);
}

/** Ways to recognize a row that may be an edit. Rows of two files may have the same key. */
const GUESSES: ReadonlySet<string> = new Set(['guess', 'equal', 'lost', 'key']);

/** The run says that it takes a code, or with `--apply-edits` the user agrees to a guess: it is the row's, even if the run is killed. */
function noteTaken(
  { service, tally }: Truth,
  row: SheetRow | undefined,
  item: PlanItem,
  { job, view }: Moment,
): void {
  const { action, how, code } = item;
  if (!row || !code) return;
  const model = service.codes.get(code.id);
  if (!model || model.tokens.has(row.token) || isMixedUp(job.sheet)) return;
  if (action === 'adopt') model.tokens.add(row.token);
  const isAgreed = job.policy.applyEdits || (how === 'guess' && row.decision?.is === 'mine');
  if (action !== 'update' || !isAgreed || !GUESSES.has(how)) return;
  const known = [code, ...(view.claims.get(code.id)?.rows ?? [])];
  if (!known.some((values) => sharesName(values, row) || sharesDestination(values, row))) return;
  model.tokens.add(row.token);
  count(tally, 'limit: --apply-edits carries out a guess');
}

function isWished({ values, row }: PlanItem, { name, destination, type }: SheetRow): boolean {
  return values !== undefined && row !== undefined && isEqual(values, { name, type, destination });
}

function hasDecided(row: SheetRow, { isDecided }: PlanItem, { job }: Moment): boolean {
  const { asNewAll, asNew } = job.policy.decisions;
  return isDecided && (row.decision?.is === 'new' || asNewAll || asNew.size > 0);
}

/** Codes of the row that no other row of the plan has, and that the user did not replace. */
function codesOf({ service }: Truth, row: SheetRow, item: PlanItem, { plan, view }: Moment): ModelCode[] {
  const taken = new Set(
    plan.items.flatMap((other) => (other !== item && other.row && other.code ? other.code.id : [])),
  );
  // A repetition may leave out what was there before the first attempt: the row was decided about then.
  const before = item.repeats?.firstIds ?? new Set();
  // So does a repetition for a code that the first listing lacked, and that the user asked to replace.
  const isReplaced = (id: string) =>
    (item.repeats !== undefined && id === item.replaces) ||
    view.replaced.has(id) ||
    view.unclear.some(({ replaces }) => replaces === id);
  return service
    .live()
    .filter(({ tokens, code: { id } }) => tokens.has(row.token) && !taken.has(id) && !before.has(id))
    .filter(({ code: { id } }) => !isReplaced(id));
}

/** Returns the row, or one with equal values, for which the user asked for one more code; undefined if there is none. */
function permitOf({ permits }: Truth, row: SheetRow, { job }: Moment): number | undefined {
  const equal = [row, ...job.sheet.rows.filter((other) => isEqual(other, row))];
  return equal.find(({ token }) => (permits.get(token) ?? 0) > 0)?.token;
}

/** Returns why these codes need not be recognized; undefined if they must be. */
function excuseOf(
  { excluded }: Truth,
  row: SheetRow,
  own: readonly ModelCode[],
  item: PlanItem,
  moment: Moment,
): string | undefined {
  const why = excluded.get(row.token);
  if (why !== undefined) return why;
  const { listing, view } = moment;
  const hidden = own.filter(({ code }) => !listing.has(code.id));
  const remembers =
    view.unclear.some(({ values }) => isEqual(values, row)) ||
    own.some(({ code }) => view.claims.has(code.id));
  if (hidden.length === own.length && !remembers) return 'made elsewhere at the same moment';
  return findClue(row, own, item, moment) === undefined ? 'nothing shows whose code it is' : undefined;
}

function judgeIdentity(
  truth: Truth,
  row: SheetRow,
  item: PlanItem,
  { view, job }: Moment,
  problem: Tell,
): void {
  const { service, tally } = truth;
  const { code } = item;
  const model = code && service.codes.get(code.id);
  if (!model || item.action === 'create') return;
  const isNamed =
    row.id === code.id || row.slug === code.slug || row.key === code.id || row.key === code.slug;
  const isDecided =
    row.decision?.is === 'code' || job.policy.adoptExisting || job.policy.decisions.adopt.size > 0;
  if (isNamed || isDecided || isOf(truth, model, row.token) || isMixedUp(job.sheet)) return;
  const claim = view.claims.get(code.id);
  const hasValues = claim?.rows.some((known) => isEqual(known, row)) ?? false;
  // Rows whose requests were equal, and lost, are told apart by nothing.
  if (item.how === 'lost' && isEqual(model.sent, row)) return;
  if (hasValues && (row.key === undefined || claim?.key === undefined || claim.key === row.key))
    count(tally, 'limit: a row with the values of another row');
  else problem(`change to the code of another row (by ${item.how})`, row, item);
}

/** Tests whether a row has, or had, the code. */
function isOf({ before }: Truth, { tokens }: ModelCode, token: number): boolean {
  const firstOf = (one: number): number => {
    const earlier = before.get(one);
    return earlier === undefined ? one : firstOf(earlier);
  };
  return tokens.has(token) || [...tokens].some((one) => firstOf(one) === firstOf(token));
}
