/** E25: builds the error at the end of a run over rows, for every verb. Pure. */
import {
  messageOf,
  NotFoundError,
  PartialError,
  RejectedError,
  UnavailableError,
  UnexpectedResponseError,
  UnprovenError,
} from '../../../base/errors.ts';
import { countOf, formatCount, inShellOr, joinSome } from '../../../base/text/quote.ts';
import type { Source } from '../../../files/formats/read/input.ts';
import type { RowEnd } from '../executor/job.ts';
import type { Plan, PlanAction, PlanItem } from '../plan/model.ts';
import {
  countQuestions,
  groupQuestions,
  nameItem,
  needsDecision,
  type QuestionGroup,
  reasonOf,
  type Verb,
  waysToDecide,
} from './explain.ts';

export interface RunFacts {
  readonly verb: Verb;
  readonly file: Source;
  readonly stop: unknown;
  /** File of the results; undefined if they are only printed. */
  readonly resultsPath: string | undefined;
  /** A code was not deleted because its backup could not be verified as complete. */
  readonly isUnproven?: boolean;
}

const OF_ONE_ROW = [NotFoundError, RejectedError, UnexpectedResponseError, UnprovenError];

/** Number of reasons that are listed of each kind. */
const MOST_REASONS = 5;

/** Number of rows that are named with the same reason. */
const MOST_ROWS = 3;

/**
 * Returns what to throw at the end of a run, or undefined if every row is done: the error that stopped it; UnprovenError (9) if a row needs
 * a decision; NotFoundError (4) if the codes of all rows are gone; PartialError (8) if rows failed, were edited or are gone.
 */
export function failureOfRun(ends: readonly RowEnd[], run: RunFacts): unknown {
  const { stop, verb, isUnproven = false } = run;
  const groups = groupQuestions(ends.map((end) => ({ item: end.item, end }))).filter(
    ({ question }) => question !== 'exists' || verb === 'apply',
  );
  const failed = ends.filter(({ outcome }) => outcome === 'failed' || outcome === 'not-attempted');
  if (stop !== undefined && !isOfRow(stop, failed)) return withResumeHint(run);
  if (groups.length === 0 && failed.length === 0) return undefined;
  const counts = groups.map(({ question, rows }) => countQuestions(question, rows.length));
  if (failed.length > 0) counts.push(describeFailures(failed, ends.length));
  const message = [counts.join(', '), ...groups.flatMap((group) => describeGroup(group, run))].join('\n');
  const details = { hint: hintOf(groups, failed.length, run), cause: stop };
  if (isUnproven || groups.some(({ question }) => needsDecision(question, verb)))
    return new UnprovenError(message, details);
  const isNothingLeft = groups.some(
    ({ question, rows }) => question === 'gone' && rows.length === ends.length,
  );
  return isNothingLeft ? new NotFoundError(message, details) : new PartialError(message, details);
}

/** With `--fail-fast`, an error of a row stops the run: that row failed like others. */
function isOfRow(stop: unknown, failed: readonly RowEnd[]): boolean {
  return (
    OF_ONE_ROW.some((kind) => stop instanceof kind) && failed.some(({ error }) => error === messageOf(stop))
  );
}

/** Returns the note about rows of `qr create` whose codes exist already; undefined if there are none. */
export function describeExisting(count: number): string | undefined {
  if (count === 0) return undefined;
  const it = count === 1 ? 'it' : 'them';
  return `${countQuestions('exists', count)}; no code was created for ${it} (to create ${it} again: --as-new all)`;
}

function describeGroup({ rows }: QuestionGroup, { file, resultsPath }: RunFacts): string[] {
  const names = new Map<string, string[]>();
  for (const row of rows) {
    const reason = reasonOf(row) ?? '';
    const named = names.get(reason);
    if (named) named.push(nameItem(row.item, file));
    else names.set(reason, [nameItem(row.item, file)]);
  }
  const told = [...names].slice(0, MOST_REASONS);
  const lines = told.map(
    ([reason, of]) => `  ${joinSome(of, { most: MOST_ROWS, separator: ', ' })}: ${reason}`,
  );
  const left = rows.length - told.reduce((count, [, of]) => count + of.length, 0);
  return left > 0 ? [...lines, `  and ${formatCount(left)} more; see ${resultsPath ?? 'the output'}`] : lines;
}

/** Adds the reason if it is the same for all failed rows, so that it need not be looked up. */
function describeFailures(failed: readonly RowEnd[], all: number): string {
  const reasons = new Set(failed.map(({ error }) => error));
  const [reason] = reasons;
  const share = all === 1 ? '' : `${formatCount(failed.length)} of `;
  return `${share}${countOf(all, 'row')} failed${reasons.size === 1 && reason !== undefined ? `: ${reason}` : ''}`;
}

function hintOf(groups: readonly QuestionGroup[], failed: number, { verb, resultsPath }: RunFacts): string {
  const isAsked = groups.some(({ question }) => question !== 'gone' || needsDecision(question, verb));
  const ways = groups.map(({ question, rows }) => waysToDecide(question, rows, verb));
  if (isAsked && resultsPath !== undefined)
    ways.unshift(
      `Enter your decisions in the column decision of ${resultsPath}, and run the command with --from ${inShellOr('FILE', resultsPath)}.`,
    );
  if (failed > 0)
    ways.push(
      `To retry the failed rows, run the same command again. See ${resultsPath ?? 'the output'} for the reasons.`,
    );
  return ways.join(' ');
}

/** Adds to the hint of an outage that the same command resumes the run, if its rows are from a file. */
function withResumeHint({ stop, resultsPath }: RunFacts): unknown {
  if (stop instanceof UnavailableError && resultsPath !== undefined) {
    const before = stop.hint === undefined ? '' : `\n${stop.hint}`;
    stop.hint = `When the service is available again, run the same command to finish.${before}`;
  }
  return stop;
}

export interface PlanReason {
  readonly exit: 0 | 8 | 9;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Actions that send a request, or change the lock file. */
const ACTING: ReadonlySet<PlanAction> = new Set<PlanAction>([
  'create',
  'update',
  'delete',
  'adopt',
  'removed',
]);

const FAILING: ReadonlySet<PlanAction> = new Set<PlanAction>(['edited', 'gone', 'failed']);

/** Returns the exit code of a dry run: 9 if a decision is needed or a brake stops the plan, 8 if a run would change something, 0 if not. */
export function exitOfPlan(plan: Plan, verb: Verb): PlanReason['exit'] {
  return reasonOfPlan(plan, verb).exit;
}

/** Returns the exit code of a dry run and the reason, as the plan itself states it. */
export function reasonOfPlan({ items, brakes }: Plan, verb: Verb): PlanReason {
  const [brake] = brakes;
  if (brake) return { exit: 9, message: brakes.map(({ message }) => message).join('; '), hint: brake.hint };
  const asked = items.filter(({ action }) => needsDecision(action, verb));
  if (asked.length > 0) return { exit: 9, ...describeItems(asked, verb) };
  const failing = items.filter(({ action }) => FAILING.has(action));
  if (failing.length > 0) return { exit: 8, ...describeItems(failing, verb) };
  const changed = new Set(items.filter(changesAnything).map((item) => item.code?.id ?? item)).size;
  if (changed === 0) return { exit: 0, message: 'a run would change nothing', hint: undefined };
  return { exit: 8, message: `a run would change ${countOf(changed, 'code')}`, hint: undefined };
}

/** Returns what a dry run with `--exit-code` throws; undefined for 0. */
export function failureOfPlan(plan: Plan, verb: Verb): UnprovenError | PartialError | undefined {
  const { exit, message, hint } = reasonOfPlan(plan, verb);
  if (exit === 0) return undefined;
  const Kind = exit === 9 ? UnprovenError : PartialError;
  return new Kind(message, { hint: hint ?? 'See the plan for the changes.' });
}

/** Returns the number of requests that a plan sends besides those of the listing. */
export function countRequests({ items }: Pick<Plan, 'items'>): number {
  let count = 0;
  for (const { action, send } of items) {
    if (action === 'create' || action === 'delete') count += 1;
    if (ACTING.has(action) && Object.keys(send).length > 0) count += 1;
  }
  return count;
}

function changesAnything({ action, send, isNews }: PlanItem): boolean {
  return ACTING.has(action) && (action !== 'removed' || isNews || Object.keys(send).length > 0);
}

function describeItems(items: readonly PlanItem[], verb: Verb): Pick<PlanReason, 'message' | 'hint'> {
  const groups = groupQuestions(items.map((item) => ({ item })));
  const failed = items.filter(({ action }) => action === 'failed').length;
  const counts = groups.map(({ question, rows }) => countQuestions(question, rows.length));
  if (failed > 0) counts.push(`${countOf(failed, 'row')} would fail`);
  const ways = groups.map(({ question, rows }) => waysToDecide(question, rows, verb));
  return { message: counts.join(', '), hint: ways.join(' ') || undefined };
}
