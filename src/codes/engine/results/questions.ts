/** Rows that a run leaves alone because the user decides about them: which ones, and how they are decided. */
import { countOf, inQuotes, inShellOr, quote } from '../../../base/text/quote.ts';
import { placeOf, type Source } from '../../../files/formats/read/input.ts';
import type { RowEnd } from '../executor/job.ts';
import type { PlanAction, PlanItem, Policy } from '../plan/model.ts';

export type Verb = Policy['verb'];

/** Row of a plan, with its end after a run. */
export interface PlanRow {
  readonly item: PlanItem;
  readonly end?: RowEnd | undefined;
}

/** Action of a plan, or the outcome of a row that came out otherwise. */
export type RowState = PlanAction | 'not-attempted';

/** Kinds of rows for which nothing is sent, the most urgent first. */
const QUESTIONS = ['undecided', 'gone', 'conflict', 'exists', 'edited'] as const;
export type Question = (typeof QUESTIONS)[number];

const SENT_NOTHING: ReadonlySet<string> = new Set([...QUESTIONS, 'failed', 'not-attempted']);

/** Returns what a row is in the plan, or has become in the run. */
export function stateOf({ item, end }: PlanRow): RowState {
  return end !== undefined && isUnsent(end.outcome) ? end.outcome : item.action;
}

function isUnsent(outcome: RowEnd['outcome']): outcome is Question | 'failed' | 'not-attempted' {
  return SENT_NOTHING.has(outcome);
}

/** Returns whether a run with such a row exits with 9. */
export function needsDecision(state: RowState, verb: Verb): boolean {
  if (state === 'gone') return mayCreate(verb);
  if (state === 'exists') return verb === 'apply';
  return state === 'undecided' || state === 'conflict';
}

/** Returns whether rows of the verb may be new codes. */
function mayCreate(verb: Verb): boolean {
  return verb === 'create' || verb === 'apply';
}

/** Rows of one kind. */
export interface QuestionGroup {
  readonly question: Question;
  readonly rows: readonly PlanRow[];
}

/** Returns the rows of each kind, the most urgent kind first. */
export function groupQuestions(rows: readonly PlanRow[]): QuestionGroup[] {
  const groups = QUESTIONS.map((question) => ({
    question,
    rows: rows.filter((row) => stateOf(row) === question),
  }));
  return groups.filter((group) => group.rows.length > 0);
}

/** Names a row in a sentence: `line 12`, or `key "menu"`. */
export function nameItem({ row, key, candidates: [code] }: PlanItem, file: Source): string {
  if (key !== undefined) return `key ${inQuotes(key)}`;
  return row ? placeOf(file, row.line) : `code ${quote(code?.slug ?? '')}`;
}

/** Returns ROW of a flag. */
function flagRow({ row, key }: PlanItem): string {
  return key === undefined ? String(row?.line ?? 'ROW') : inShellOr('KEY', key);
}

/** Words the number of rows of a kind as a sentence, without its period. */
export function countQuestions(question: Question, count: number): string {
  const rows = countOf(count, 'row');
  const isOne = count === 1;
  switch (question) {
    case 'undecided':
      return `${rows} could not be matched to a code with certainty`;
    case 'gone':
      return `the ${isOne ? 'code' : 'codes'} of ${rows} ${isOne ? 'was' : 'were'} deleted from the service`;
    case 'conflict':
      return `${rows} ${isOne ? 'conflicts' : 'conflict'} with changes on the service`;
    case 'exists':
      return `${rows} ${isOne ? 'exists' : 'exist'} already on the service`;
    case 'edited':
      return `${rows} ${isOne ? 'differs from its code' : 'differ from their codes'}`;
  }
}

/** Returns how rows of a kind are decided on the command line, as sentences. */
export function waysToDecide(question: Question, rows: readonly PlanRow[], verb: Verb): string {
  const [first] = rows;
  const row = first === undefined || rows.length > 1 ? 'ROW' : flagRow(first.item);
  const asNew = `To create a new code, add --as-new ${row}.`;
  const codes = rows.length === 1 ? 'the existing code' : 'the existing codes';
  switch (question) {
    case 'undecided':
      return `To assign a code, add --adopt ${row}=CODE.${mayCreate(verb) ? ` ${asNew}` : ''}`;
    case 'gone':
      return `${mayCreate(verb) ? `${asNew} Otherwise, remove` : 'Remove'} the row from the file.`;
    case 'conflict':
      return 'To send the values of the file, add --conflicts file. To keep the values of the service, add --conflicts service.';
    case 'exists':
      return verb === 'apply' ? `To assign ${codes}, add --adopt-existing. ${asNew}` : asNew;
    case 'edited':
      return `To change ${codes}, add --apply-edits. ${asNew}`;
  }
}

const ANSWERS: Readonly<Record<Question, string>> = {
  undecided: 'the ID of a code, new or skip',
  gone: 'new or skip',
  conflict: 'mine, theirs or skip',
  exists: 'its ID, new or skip',
  edited: 'mine, theirs or new',
};

/** Returns the answers of a row in the column `decision`; undefined if it has none. */
export function answersOf(state: RowState, verb: Verb): string | undefined {
  if (state === 'edited' ? verb !== 'create' : !needsDecision(state, verb)) return undefined;
  const question = QUESTIONS.find((one) => one === state);
  if (question === undefined) return undefined;
  return question === 'undecided' && !mayCreate(verb) ? 'the ID of a code or skip' : ANSWERS[question];
}
