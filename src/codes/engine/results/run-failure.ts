/** E25: builds the error at the end of a run or dry run. */

import { groupBy } from '#base/collections';
import {
  isOfOneCode,
  messageOf,
  NotFoundError,
  PartialError,
  UnavailableError,
  UnprovenError,
} from '#base/errors';
import { countAmong, countOf, formatCount, inShellOr, joinSome } from '#base/text/quote';
import type { RowEnd } from '#codes/engine/executor/job';
import { describeBrakes } from '#codes/engine/plan/brakes';
import type { Plan, PlanAction, PlanItem } from '#codes/engine/plan/model';
import { hasChanges } from '#codes/engine/plan/values';
import type { Source } from '#files/formats/read/input';
import {
  countQuestions,
  DECIDE_ROW,
  describeAnswers,
  groupQuestions,
  nameItem,
  needsDecision,
  type QuestionGroup,
  reasonOf,
  type Verb,
  waysOf,
} from './explain.ts';

export interface RunFacts {
  verb: Verb;
  file: Source;
  stop: unknown;
  resultsPath?: string;
  isUnproven?: boolean;
}

const MOST_REASONS = 5;

const MOST_ROWS = 3;

/**
 * Returns the error that stopped the run, unless it is that of a failed row. Otherwise, returns UnprovenError
 * (9) for decisions or if `isUnproven`, NotFoundError (4) if all codes are gone, PartialError (8) for other
 * failures, or undefined.
 */
export function failureOfRun(ends: readonly RowEnd[], run: RunFacts): unknown {
  const { stop, verb, isUnproven = false } = run;
  const groups = groupQuestions(ends).filter(({ question }) => question !== 'exists' || verb === 'apply');
  const failed = ends.filter(({ outcome }) => outcome === 'failed' || outcome === 'not-attempted');
  if (stop !== undefined && !isOfRow(stop, failed)) return withResumeHint(run);
  if (groups.length === 0 && failed.length === 0) return undefined;
  const counts = groups.map(({ question, rows }) => countQuestions(question, rows.length));
  if (failed.length > 0) counts.push(describeFailures(failed, ends.length));
  const message = [counts.join(', '), ...groups.flatMap((group) => describeGroup(group, run))].join('\n');
  const isNothingLeft = groups.some(
    ({ question, rows }) => question === 'gone' && rows.length === ends.length,
  );
  const isElsewhere = isNothingLeft && ends.length > 1;
  const details = { hint: hintOf(groups, { failed: failed.length, isElsewhere }, run), cause: stop };
  if (isUnproven || groups.some(({ question }) => needsDecision(question, verb)))
    return new UnprovenError(message, details);
  return isNothingLeft ? new NotFoundError(message, details) : new PartialError(message, details);
}

/** Returns whether one failed row stopped the run, as with `--fail-fast`. */
function isOfRow(stop: unknown, failed: readonly RowEnd[]): boolean {
  return (
    (isOfOneCode(stop) || stop instanceof UnprovenError) &&
    failed.some(({ error }) => error === messageOf(stop))
  );
}

export function describeExisting(count: number): string | undefined {
  if (count === 0) return undefined;
  const it = count === 1 ? 'it' : 'them';
  return `${countQuestions('exists', count)}; no code was created for ${it} (to create ${it} again: --as-new all)`;
}

function describeGroup({ rows }: QuestionGroup, { file, resultsPath }: RunFacts): string[] {
  const told = [...groupBy(rows, (row) => reasonOf(row) ?? '')].slice(0, MOST_REASONS);
  const lines = told.map(([reason, of]) => {
    const names = of.map(({ item }) => nameItem(item, file));
    return `  ${joinSome(names, { most: MOST_ROWS, separator: ', ' })}: ${reason}`;
  });
  const left = rows.length - told.reduce((count, [, of]) => count + of.length, 0);
  return left > 0 ? [...lines, `  and ${formatCount(left)} more; see ${resultsPath ?? 'the output'}`] : lines;
}

function describeFailures(failed: readonly RowEnd[], all: number): string {
  const reasons = new Set(failed.map(({ error }) => error));
  const [reason] = reasons;
  return `${countAmong(failed.length, all, 'row')} failed${reasons.size === 1 && reason !== undefined ? `: ${reason}` : ''}`;
}

function hintOf(
  groups: readonly QuestionGroup[],
  { failed, isElsewhere }: { failed: number; isElsewhere: boolean },
  { verb, resultsPath }: RunFacts,
): string {
  const asked = groups.filter(({ question }) => question !== 'gone' || needsDecision(question, verb));
  const hasFlags = asked.some(({ rows }) => rows.some(({ item }) => item.nextStep === undefined));
  const ways = waysOf(groups, verb);
  const questions = groups.map(({ question }) => question);
  const answers = describeAnswers(questions, verb);
  if (asked.length > 0 && resultsPath !== undefined)
    ways.unshift(
      `Enter your decisions in the column decision of ${resultsPath} (${answers}), and run the command with --from ${inShellOr('FILE', resultsPath)}.`,
      ...(hasFlags ? ['Or add flags to this command.'] : []),
    );
  else if (groups.some(({ question }) => question === 'conflict')) ways.push(DECIDE_ROW);
  if (isElsewhere) ways.unshift('Check --profile and the API key.');
  if (failed > 0)
    ways.push(
      `To retry the failed rows, run the same command again. See ${resultsPath ?? 'the output'} for the reasons.`,
    );
  return ways.join(' ');
}

function withResumeHint({ stop, resultsPath }: RunFacts): unknown {
  if (stop instanceof UnavailableError && resultsPath !== undefined) {
    const before = stop.hint === undefined ? '' : `\n${stop.hint}`;
    stop.hint = `When the service is available again, run the same command to finish.${before}`;
  }
  return stop;
}

interface PlanReason {
  exit: 0 | 8 | 9;
  message: string;
  hint?: string;
}

const ACTING: readonly PlanAction[] = ['create', 'update', 'delete', 'adopt', 'removed'];

const FAILING: readonly PlanAction[] = ['edited', 'gone', 'failed'];

export function reasonOfPlan({ items, brakes }: Plan, verb: Verb): PlanReason {
  if (brakes.length > 0) return { exit: 9, ...describeBrakes(brakes) };
  const asked = items.filter(({ action }) => needsDecision(action, verb));
  if (asked.length > 0) return { exit: 9, ...describeItems(asked, verb) };
  const failing = items.filter(({ action }) => FAILING.includes(action));
  if (failing.length > 0) return { exit: 8, ...describeItems(failing, verb) };
  const changed = new Set(items.filter(changesAnything).map((item) => item.code?.id ?? item)).size;
  if (changed === 0) return { exit: 0, message: 'a run would change nothing' };
  return { exit: 8, message: `a run would change ${countOf(changed, 'code')}` };
}

export function failureOfPlan(plan: Plan, verb: Verb): UnprovenError | PartialError | undefined {
  const { exit, message, hint } = reasonOfPlan(plan, verb);
  if (exit === 0) return undefined;
  const Kind = exit === 9 ? UnprovenError : PartialError;
  return new Kind(message, { hint: hint ?? 'See the plan for the changes.' });
}

export function countRequests({ items }: Pick<Plan, 'items'>): number {
  const posts = items.filter(({ action }) => action === 'create' || action === 'delete');
  return posts.length + items.filter(isPatched).length;
}

function changesAnything(item: PlanItem): boolean {
  return ACTING.includes(item.action) && (item.action !== 'removed' || item.isNews || isPatched(item));
}

function isPatched({ action, send }: PlanItem): boolean {
  return ACTING.includes(action) && hasChanges(send);
}

function describeItems(items: readonly PlanItem[], verb: Verb): Pick<PlanReason, 'message' | 'hint'> {
  const groups = groupQuestions(items.map((item) => ({ item })));
  const failed = items.filter(({ action }) => action === 'failed').length;
  const counts = groups.map(({ question, rows }) => countQuestions(question, rows.length));
  if (failed > 0) counts.push(`${countOf(failed, 'row')} would fail`);
  const ways = waysOf(groups, verb);
  if (items.some(({ action, nextStep }) => action === 'conflict' && nextStep === undefined))
    ways.push(DECIDE_ROW);
  return { message: counts.join(', '), hint: ways.join(' ') || undefined };
}
