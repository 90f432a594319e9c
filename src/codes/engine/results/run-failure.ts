/** E25: builds the error at the end of a run over rows, for every verb. Pure. */
import {
  messageOf,
  NotFoundError,
  PartialError,
  RejectedError,
  UnavailableError,
  UnexpectedAnswerError,
  UnprovenError,
} from '../../../base/errors.ts';
import { countOf, formatCount, inShellOr, joinSome } from '../../../base/text/quote.ts';
import type { Source } from '../../../files/formats/read/input.ts';
import type { RowEnd } from '../executor/job.ts';
import { reasonOf } from './explain.ts';
import {
  countQuestions,
  groupQuestions,
  nameItem,
  needsDecision,
  type QuestionGroup,
  type Verb,
  waysToDecide,
} from './questions.ts';

/** Facts of a run besides its rows. */
export interface RunFacts {
  readonly verb: Verb;
  readonly file: Source;
  /** Why rows were left; undefined if none were. */
  readonly stop: unknown;
  /** File of the results; undefined if they are only printed. */
  readonly resultsPath: string | undefined;
  /** A code was not deleted because its backup could not be verified as complete. */
  readonly isUnproven?: boolean;
}

/** Errors that concern one row only. */
const OF_ONE_ROW = [NotFoundError, RejectedError, UnexpectedAnswerError, UnprovenError];

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
  if (stop !== undefined && !isOfRow(stop, failed)) return sayingToResume(run);
  if (groups.length === 0 && failed.length === 0) return undefined;
  const counts = groups.map(({ question, rows }) => countQuestions(question, rows.length));
  if (failed.length > 0) counts.push(tellFailed(failed, ends.length));
  const message = [counts.join(', '), ...groups.flatMap((group) => tellGroup(group, run))].join('\n');
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
export function tellExisting(count: number): string | undefined {
  if (count === 0) return undefined;
  const it = count === 1 ? 'it' : 'them';
  return `${countQuestions('exists', count)}; no code was created for ${it} (to create ${it} again: --as-new all)`;
}

/** Rows with the same reason are one line. */
function tellGroup({ rows }: QuestionGroup, { file, resultsPath }: RunFacts): string[] {
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
function tellFailed(failed: readonly RowEnd[], all: number): string {
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
function sayingToResume({ stop, resultsPath }: RunFacts): unknown {
  if (stop instanceof UnavailableError && resultsPath !== undefined) {
    const before = stop.hint === undefined ? '' : `\n${stop.hint}`;
    stop.hint = `When the service is available again, run the same command to finish.${before}`;
  }
  return stop;
}
