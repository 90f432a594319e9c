import { groupBy } from '#base/collections';
import { shortenPair } from '#base/text/differing-parts';
import { countOf, inQuotes, inShellOr, joinSome, quote } from '#base/text/quote';
import type { Altered, RowEnd } from '#codes/engine/executor/job';
import type { FieldChange, PlanAction, PlanItem, Policy, Row } from '#codes/engine/plan/model';
import { placeOf, type Source } from '#files/formats/read/input';
import type { QrCode } from '#service/shapes';

export type Verb = Policy['verb'];

export type PlanRow = Pick<RowEnd, 'item'> & Partial<RowEnd>;

export type RowState = PlanAction | 'not-attempted';

const QUESTIONS = ['undecided', 'gone', 'conflict', 'exists', 'edited'] as const;
type Question = (typeof QUESTIONS)[number];

const SENT_NOTHING: ReadonlySet<unknown> = new Set([...QUESTIONS, 'failed', 'not-attempted']);

export function stateOf({ item, outcome }: PlanRow): RowState {
  return isUnsent(outcome) ? outcome : item.action;
}

function isUnsent(outcome?: RowEnd['outcome']): outcome is Question | 'failed' | 'not-attempted' {
  return SENT_NOTHING.has(outcome);
}

export function needsDecision(state: RowState, verb: Verb): boolean {
  if (state === 'gone') return mayCreate(verb);
  if (state === 'exists') return verb === 'apply';
  return state === 'undecided' || state === 'conflict';
}

function mayCreate(verb: Verb): boolean {
  return verb === 'create' || verb === 'apply';
}

export interface QuestionGroup {
  question: Question;
  rows: readonly PlanRow[];
}

export function groupQuestions(rows: readonly PlanRow[]): QuestionGroup[] {
  const groups = QUESTIONS.map((question) => ({
    question,
    rows: rows.filter((row) => stateOf(row) === question),
  }));
  return groups.filter((group) => group.rows.length > 0);
}

export function nameItem({ row, key, candidates: [code] }: PlanItem, file: Source): string {
  if (key !== undefined) return `key ${inQuotes(key)}`;
  return row ? placeOf(file, row.line) : `code ${quote(code?.slug ?? '')}`;
}

const LOOKS_LIKE_LINES = /^(?:\d+(?:-\d+)?$|all$|key:|line:)/;

function flagRow({ row, key }: PlanItem): string {
  if (key === undefined) return String(row?.line ?? 'ROW');
  return inShellOr('KEY', LOOKS_LIKE_LINES.test(key) ? `key:${key}` : key);
}

export function countQuestions(question: Question, count: number): string {
  const rows = countOf(count, 'row');
  const isOne = count === 1;
  switch (question) {
    case 'undecided':
      return `${rows} could not be matched to a code with certainty`;
    case 'gone':
      return `the ${isOne ? 'code' : 'codes'} of ${rows} ${isOne ? 'does' : 'do'} not exist`;
    case 'conflict':
      return `${rows} ${isOne ? 'conflicts' : 'conflict'} with changes on the service`;
    case 'exists':
      return `${rows} ${isOne ? 'exists' : 'exist'} already on the service`;
    case 'edited':
      return `${rows} ${isOne ? 'differs from its code' : 'differ from their codes'}`;
  }
}

export function waysOf(groups: readonly QuestionGroup[], verb: Verb): string[] {
  // Guesses in a file with IDs are answered like uncertain rows.
  const asked = groups.flatMap(({ question, rows }) =>
    rows.map(({ item }) => ({ item, kind: item.isForeign ? 'undecided' : question })),
  );
  return [...groupBy(asked, ({ kind }) => kind)].map(([kind, of]) =>
    wayToDecide(
      kind,
      of.map(({ item }) => item),
      verb,
    ),
  );
}

function wayToDecide(question: Question, items: readonly PlanItem[], verb: Verb): string {
  const [nextStep] = items.flatMap((item) => item.nextStep ?? []);
  if (nextStep !== undefined) return nextStep;
  const [row = 'ROW'] = items.length > 1 ? [] : items.map(flagRow);
  const asNew = `To create a new code, add --as-new ${row}.`;
  const codes = items.length === 1 ? 'the existing code' : 'the existing codes';
  switch (question) {
    case 'undecided':
      return `To assign a code, add --adopt ${row}=CODE.${mayCreate(verb) ? ` ${asNew}` : ''}`;
    case 'gone':
      return `${mayCreate(verb) ? `${asNew} Otherwise, remove` : 'Remove'} the row from the file.`;
    case 'conflict':
      return `To send the values of the file, add ${verb === 'create' ? '--apply-edits and ' : ''}--conflicts file. To keep the values of the service, add --conflicts service.`;
    case 'exists':
      return `To assign ${codes}, add --adopt-existing. ${asNew}`;
    case 'edited':
      return `To change ${codes}, add --apply-edits. ${asNew}`;
  }
}

export const DECIDE_ROW = 'For one row, enter mine or theirs in the column decision.';

export function describeAnswers(questions: readonly Question[], verb: Verb): string {
  const isCompared = questions.some((one) => one === 'conflict' || one === 'edited');
  const words = [
    isCompared && 'mine changes the code, theirs keeps it',
    mayCreate(verb) && questions.some((one) => one !== 'conflict') && 'new creates another',
    questions.some((one) => one !== 'conflict' && one !== 'gone') && 'an ID or slug assigns a code',
    'skip sends nothing',
  ];
  return words.filter(Boolean).join(', ');
}

const ANSWERS: Readonly<Partial<Record<RowState, string>>> = {
  undecided: 'the ID of a code, new or skip',
  gone: 'new or skip',
  conflict: 'mine, theirs or skip',
  exists: 'its ID, new or skip',
  edited: 'mine, theirs or new',
};

function answersOf(state: RowState, verb: Verb): string | undefined {
  if (state === 'edited' ? verb !== 'create' : !needsDecision(state, verb)) return undefined;
  return state === 'undecided' && !mayCreate(verb) ? 'the ID of a code or skip' : ANSWERS[state];
}

const MOST_CANDIDATES = 5;

const LONGEST_COMMON = 40;

export function explainRow(row: PlanRow, verb: Verb): string | undefined {
  const reason = reasonOf(row);
  const state = stateOf(row);
  const answers = row.error === undefined ? answersOf(state, verb) : undefined;
  if (answers === undefined) return reason;
  const { is: given } = row.item.row?.decision ?? {};
  const isUseless = (given === 'mine' || given === 'theirs') && state !== 'conflict' && state !== 'edited';
  const refusal = isUseless && `The decision ${given} does not apply`;
  const advice = `To decide, enter ${answers} in the column decision`;
  return [reason, refusal, advice].filter(Boolean).join('. ');
}

/** Returns the reason for a row's state, or undefined if its action and values show it. */
export function reasonOf(row: PlanRow): string | undefined {
  const { item, error, altered = [] } = row;
  if (error !== undefined) return error;
  const parts = [
    ownReason(row) ?? item.reason,
    ...item.changes.map((change) => explainChange(change, item.row)),
    ...altered.map(explainAltered),
  ];
  return parts.filter((part) => part !== undefined).join('; ') || undefined;
}

function ownReason(row: PlanRow): string | undefined {
  const { item, outcome, code = item.code } = row;
  const candidates = candidatesOf(row);
  switch (stateOf(row)) {
    case 'undecided':
      return `${item.reason ?? 'not matched with certainty'}${candidates.length > 0 ? `: ${nameCodes(candidates)}` : ''}`;
    case 'exists':
      return `same values as ${nameCodes(code ? [code] : candidates)}${item.reason === undefined ? '' : `; ${item.reason}`}`;
    case 'gone':
      // For `gone`, only `qr undo` sets a next step, and its codes existed.
      return (item.how === 'id' || item.how === 'slug') && item.nextStep === undefined
        ? `${describeGone(item)} does not exist (deleted, or never a code of this workspace)`
        : `its code ${describeGone(item)} was deleted from the service`;
    case 'deleted':
      return 'no code has its ID or slug';
    case 'unchanged':
      return wasGone(item) ? 'an earlier run found that its code does not exist' : undefined;
    case 'edited':
      return `${item.how === 'guess' ? 'may be an edit of the code' : 'differs from its code'} ${nameCodes(code ? [code] : candidates)}`;
    case 'removed':
      return reasonOfRemoval(item);
    case 'create':
      return outcome === undefined ? reasonOfCreation(item) : undefined;
    default:
      return undefined;
  }
}

export function candidatesOf({ item, candidates = [] }: PlanRow): readonly QrCode[] {
  return candidates.length > 0 ? candidates : item.candidates;
}

function wasGone({ row, code }: PlanItem): boolean {
  return code === undefined && row?.decision === undefined && row?.values.get('outcome') === 'gone';
}

function reasonOfRemoval({ code, pause, reason }: PlanItem): string {
  if (!code) return 'its key was removed from the file, and its code was deleted from the service';
  const more = pause === undefined ? reason && `; ${reason}` : ', so its code is paused';
  return `its key was removed from the file${more ?? ''}`;
}

function reasonOfCreation({ isWaiting, repeats, replaces }: PlanItem): string | undefined {
  if (isWaiting) return 'an earlier run received no response, so qrctl looks for its code first';
  if (repeats) return 'an earlier request was lost';
  return replaces === undefined ? undefined : `replaces the code ${replaces}, with a new slug`;
}

function nameCode({ id, slug }: Pick<QrCode, 'id' | 'slug'>): string {
  return `${quote(slug)} (${id})`;
}

export function nameCodes(codes: readonly QrCode[]): string {
  return joinSome(codes.map(nameCode), { most: MOST_CANDIDATES });
}

function describeGone({ goneId: id = '', goneSlug: slug }: PlanItem): string {
  if (slug === undefined) return id;
  return id === '' ? quote(slug) : nameCode({ id, slug });
}

function explainChange(
  { field, old, new: value, base, what }: FieldChange,
  saved: Pick<Row, 'updatedAtMs'> | undefined,
): string | undefined {
  const [service, row] = showPair(old, value);
  const [list] = base === undefined || base === old ? [] : showPair(base, value);
  switch (what) {
    case 'send':
      return undefined;
    case 'edit':
      return `${field}: the code has ${service}, the row has ${row}`;
    case 'conflict':
      if (list === undefined && saved?.updatedAtMs === Number.NEGATIVE_INFINITY)
        return `${field}: the service has ${service}, the row has ${row}, and the column updated_at does not show which is newer`;
      if (list === undefined)
        return `${field}: the service has ${service} since the list was saved, the row has ${row}`;
      return `${field}: the list had ${list}, the service has ${service}, the row has ${row}`;
    case 'keep':
      return `${field}: the service has ${service}, which is kept (the row has ${row})`;
    case 'overwrite':
      return `${field}: the service has ${service}${list === undefined ? '' : ` instead of ${list}`}, and the row overwrites it with ${row}`;
    case 'drift':
      return `${field}: the service has ${service}, last applied: ${row}`;
  }
}

function explainAltered({ field, sent, stored }: Altered): string {
  const [before, after] = showPair(sent, stored);
  return `${field}: the service stored ${after} instead of ${before}`;
}

function showPair(one: string, other: string): readonly [string, string] {
  const [short, otherShort] = shortenPair(one, other, LONGEST_COMMON);
  return [showValue(short), showValue(otherShort)];
}

function showValue(value: string): string {
  return value === '' ? '(empty)' : quote(value);
}
