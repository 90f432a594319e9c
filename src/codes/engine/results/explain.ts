/** Says of a row why it is as the plan or the results show it, and how it is decided. Pure. */
import { shortenPair } from '../../../base/text/differing-parts.ts';
import { joinSome, quote } from '../../../base/text/quote.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { Altered } from '../executor/job.ts';
import type { FieldChange, PlanItem } from '../plan/model.ts';
import { answersOf, type PlanRow, stateOf, type Verb } from './questions.ts';

/** Rows that are alike may have thousands of candidates each. */
const MOST_CANDIDATES = 5;

/** Graphemes of the common part of two values that are shown next to their difference. */
const LONGEST_COMMON = 40;

/** Returns the text of a row's `error` column in results: the reason, and the answers for the column `decision`. */
export function explainRow(row: PlanRow, verb: Verb): string | undefined {
  const reason = reasonOf(row);
  const answers = row.end?.error === undefined ? answersOf(stateOf(row), verb) : undefined;
  if (answers === undefined) return reason;
  return `${reason === undefined ? '' : `${reason}. `}To decide, enter ${answers} in the column decision`;
}

/** Returns why a row is as the plan shows it, or why it ended so; undefined if its action and its values say everything. */
export function reasonOf(row: PlanRow): string | undefined {
  const { item, end } = row;
  if (end?.error !== undefined) return end.error;
  const changes = stateOf(row) === 'removed' ? [] : item.changes;
  const parts = [
    ownReason(row) ?? item.reason,
    ...changes.map(explainChange),
    ...(end?.altered ?? []).map(explainAltered),
  ];
  return parts.filter((part) => part !== undefined).join('; ') || undefined;
}

function ownReason(row: PlanRow): string | undefined {
  const { item, end } = row;
  const candidates = end !== undefined && end.candidates.length > 0 ? end.candidates : item.candidates;
  const code = end?.code ?? item.code;
  switch (stateOf(row)) {
    case 'undecided':
      return `${item.reason ?? 'not matched with certainty'}${candidates.length > 0 ? `: ${nameCodes(candidates)}` : ''}`;
    case 'exists':
      return `same values as ${nameCodes(code ? [code] : candidates)}${item.reason === undefined ? '' : `; ${item.reason}`}`;
    case 'gone':
      return `its code ${nameGone(item)} was deleted from the service`;
    case 'deleted':
      return 'no code has its ID or slug';
    case 'edited':
      return `${isKnown(item) ? 'differs from its code' : 'may be an edit of the code'} ${nameCodes(code ? [code] : candidates)}`;
    case 'removed':
      return reasonOfRemoval(item);
    case 'create':
      return end ? item.reason : reasonOfCreation(item);
    default:
      return undefined;
  }
}

function reasonOfRemoval({ code, pause }: PlanItem): string {
  if (!code) return 'its key was removed from the file, and its code was deleted from the service';
  return `its key was removed from the file${pause === undefined ? '' : ', so its code is paused'}`;
}

function reasonOfCreation({ isWaiting, repeats, replaces }: PlanItem): string | undefined {
  if (isWaiting) return 'an earlier run received no response, so qrctl looks for its code first';
  if (repeats) return 'an earlier request was lost';
  return replaces === undefined ? undefined : `replaces the code ${replaces}`;
}

/** The code is the row's by more than its values. */
function isKnown({ how }: PlanItem): boolean {
  return how !== 'equal' && how !== 'none';
}

function nameCode({ id, slug }: Pick<QrCode, 'id' | 'slug'>): string {
  return `${quote(slug)} (${id})`;
}

function nameCodes(codes: readonly QrCode[]): string {
  return joinSome(codes.map(nameCode), { most: MOST_CANDIDATES });
}

function nameGone({ goneId: id = '', goneSlug: slug }: PlanItem): string {
  if (slug === undefined) return id;
  return id === '' ? quote(slug) : nameCode({ id, slug });
}

/** Undefined for a change that is only sent: the old and the new value say everything. */
function explainChange({ field, old, new: value, base, what }: FieldChange): string | undefined {
  const [service = '', row = ''] = shortenPair(old, value, LONGEST_COMMON).map(showValue);
  const list = base === undefined ? undefined : showValue(shortenPair(base, value, LONGEST_COMMON)[0]);
  switch (what) {
    case 'send':
      return undefined;
    case 'edit':
      return `${field}: the code has ${service}, the row has ${row}`;
    case 'conflict':
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
  const [before, after] = shortenPair(sent, stored, LONGEST_COMMON).map(showValue);
  return `${field}: the service stored ${after} instead of ${before}`;
}

function showValue(value: string): string {
  return value === '' ? '(empty)' : quote(value);
}
