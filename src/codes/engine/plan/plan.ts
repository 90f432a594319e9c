/** E9: plans the requests and questions for rows, without side effects. */
import { inQuotes } from '#base/text/quote';
import type { Fault } from '#files/formats/read/input';
import type { CodeChanges, QrCode } from '#service/shapes';
import { fingerprintOf, UNKNOWN_BASE } from './base.ts';
import { findBrakes } from './brakes.ts';
import { compareRow, keptRecord } from './compare.ts';
import { identifyRows } from './identify.ts';
import { absentCodes, itemOf, NOTHING, removedItems, withDuplicates } from './items.ts';
import { judgeItem, warningsOfTags } from './judge.ts';
import type { Identity } from './ladder.ts';
import type { LedgerRecord } from './ledger-lines.ts';
import {
  type Claim,
  FIELDS,
  type FieldChange,
  type How,
  type Plan,
  type PlanAction,
  type PlanInput,
  type PlanItem,
  type Row,
  type Sending,
} from './model.ts';
import { fieldsOf, rowValues, valuesKey } from './values.ts';

/** Plans rows. The caller sends nothing if there are faults (exit 2) or brakes (exit 9). */
export function plan(input: PlanInput): Plan {
  const { rows, policy } = input;
  const identities = identifyRows(input);
  const faults: Fault[] = [...identities.faults];
  const warnings: Fault[] = [];
  const planned = rows.map((row, at) => {
    const identity = identities.rows[at] ?? { is: 'new' as const };
    return planRow(row, identity, input, (fault) => faults.push(fault));
  });
  const asked = new Set(planned.flatMap(({ candidates }) => candidates.map(({ id }) => id.toLowerCase())));
  const isOpen = (id: string) => !identities.taken.has(id) && !asked.has(id);
  const items = [...withDuplicates(planned, identities.taken, input), ...removedItems(input, isOpen)];
  for (const item of items) {
    const judged = judgeItem(item, policy);
    faults.push(...judged.faults);
    warnings.push(...judged.warnings);
  }
  warnings.push(...warningsOfTags(items, policy));
  const { verb } = policy;
  const absent = verb === 'create' ? absentCodes(items, identities.taken, input) : [];
  return {
    items,
    absent,
    unmanaged: verb === 'create' || verb === 'apply' ? countUnmanaged(input, identities.taken) : 0,
    brakes: findBrakes(items, input, absent),
    faults,
    warnings,
  };
}

function countUnmanaged({ listing, lock }: PlanInput, taken: ReadonlySet<string>): number {
  const owned = new Set([...(lock?.values() ?? [])].map(({ id }) => id.toLowerCase()));
  return [...listing.codes.keys()].filter((id) => !taken.has(id) && !owned.has(id)).length;
}

function planRow(row: Row, identity: Identity, input: PlanInput, refuse: (fault: Fault) => void): PlanItem {
  const { verb, adoptExisting } = input.policy;
  const { is: answer } = row.decision ?? {};
  if (answer === 'skip') return itemOf(row, 'unchanged', { reason: 'skipped by your decision' });
  if (verb === 'delete' && (answer === 'theirs' || answer === 'new'))
    return itemOf(row, 'unchanged', { reason: 'kept by your decision' });
  switch (identity.is) {
    case 'gone':
      return itemOf(row, verb === 'delete' ? 'deleted' : 'gone', {
        how: identity.how,
        goneId: identity.id,
        goneSlug: identity.slug,
      });
    case 'undecided':
      return itemOf(row, 'undecided', { candidates: identity.candidates, reason: identity.reason });
    case 'new': {
      if (verb === 'update' || verb === 'delete')
        return itemOf(row, 'unchanged', { reason: 'an earlier run assigned it no code' });
      const { repeats, isDecided = false, replaces, answered = [] } = identity;
      const isWaiting = repeats !== undefined && !input.isSettled;
      const { status } = row.wish;
      const send = status === undefined || status === 'active' ? NOTHING : { status };
      const learned = answered.map((n): LedgerRecord => ({ is: 'decided', n }));
      return itemOf(row, 'create', {
        values: rowValues(row),
        send,
        repeats,
        isWaiting,
        isDecided,
        replaces,
        learned,
      });
    }
    case 'exists': {
      const { code, replaces } = identity;
      if (verb === 'apply' && !adoptExisting) {
        const key = input.ledger.claims.get(code.id.toLowerCase())?.key;
        const reason =
          key === undefined
            ? undefined
            : `an earlier run used this code for the key ${inQuotes(key)}, maybe from another file`;
        return itemOf(row, 'exists', { how: 'equal', code, candidates: [code], reason });
      }
      const item = planKnown(row, { is: 'code', how: 'equal', code, replaces }, input, refuse);
      if (item.action !== 'unchanged') return item;
      return { ...item, action: verb === 'apply' ? 'adopt' : 'exists' };
    }
    case 'code':
      return planKnown(row, identity, input, refuse);
  }
}

function planKnown(
  row: Row,
  identity: Identity & { is: 'code' },
  input: PlanInput,
  refuse: (fault: Fault) => void,
): PlanItem {
  const { ledger, lock } = input;
  const { how, code, sending } = identity;
  if (input.policy.verb === 'delete') return planDeletion(row, code, how, input);
  const { isForeign = false } = identity;
  const policy = isForeign ? { ...input.policy, applyEdits: false } : input.policy;
  const id = code.id.toLowerCase();
  const entry = row.key === undefined ? undefined : lock?.get(row.key);
  const claim = ledger.claims.get(id);
  const pair = {
    row,
    code,
    claim,
    entry: entry?.id.toLowerCase() === id ? entry : undefined,
    policy,
    ledger,
    unsent: sending?.status ?? claim?.unsent,
  };
  const changes = changesOf(pair, refuse);
  const isAdopted = policy.verb === 'apply' && pair.entry === undefined && claim?.key !== row.key;
  const action = actionOf(changes, isAdopted);
  const send: CodeChanges = {};
  if (!isAskedAbout(action))
    for (const { field, new: value, what } of changes)
      if (what === 'send' || what === 'overwrite') send[field] = value;
  const isGuessed = how === 'guess' && action === 'update';
  const item = itemOf(row, action, {
    how,
    code,
    changes,
    send,
    reason: isGuessed ? 'recognized only by its name or destination' : undefined,
    isForeign,
  });
  const kept = keptRecord(item, claim, input.run);
  return { ...item, learned: kept ? [kept] : learnedOf(row, action, identity, input) };
}

/** Plans a deletion. Requires a decision if the code differs from the row's base. */
function planDeletion(row: Row, code: QrCode, how: How, { ledger }: PlanInput): PlanItem {
  const { paused } = ledger.claims.get(code.id.toLowerCase()) ?? {};
  // Compares the status before a pause, because a killed run may have left the code paused.
  const status = code.status === 'paused' ? (paused?.status ?? code.status) : code.status;
  const current = fieldsOf({ ...code, status });
  const changes = FIELDS.flatMap((field): FieldChange[] => {
    const [saved, old] = [row.base?.[field], current[field]];
    if (saved === undefined || saved === UNKNOWN_BASE[field] || saved === fingerprintOf(old)) return [];
    return [{ field, old, new: String(row.values.get(field) ?? ''), what: 'conflict' }];
  });
  if (changes.length === 0 || row.decision?.is === 'mine') return itemOf(row, 'delete', { how, code });
  const nextStep = 'To delete a changed code, enter mine in the column decision, or save a new list.';
  return itemOf(row, 'conflict', { how, code, changes, nextStep });
}

function changesOf(pair: Parameters<typeof compareRow>[0], refuse: (fault: Fault) => void): FieldChange[] {
  try {
    return compareRow(pair);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    refuse({ line: pair.row.line, column: 'destination', message: error.message });
    return [];
  }
}

function actionOf(changes: readonly FieldChange[], isAdopted: boolean): PlanAction {
  const has = (wanted: FieldChange['what']) => changes.some(({ what }) => what === wanted);
  if (has('conflict')) return 'conflict';
  if (has('edit')) return 'edited';
  if (has('send') || has('overwrite')) return 'update';
  return isAdopted ? 'adopt' : 'unchanged';
}

function isAskedAbout(action: PlanAction): boolean {
  return action === 'conflict' || action === 'edited';
}

function learnedOf(
  row: Row,
  action: PlanAction,
  { how, code, sending, isAsked, replaces }: Identity & { is: 'code' },
  { run, rows, ledger, policy }: PlanInput,
): LedgerRecord[] {
  if (policy.verb === 'update') return [];
  const id = code.id.toLowerCase();
  const isOpen = isAskedAbout(action);
  if (sending) {
    // The request stays unclear until the user decides, so that the next run recognizes the row.
    if (isOpen) return [];
    const decided = isAsked || undefined;
    return [{ is: 'made', n: sending.n, id, slug: code.slug, stored: fieldsOf(code), decided }];
  }
  const isDecided = how === 'decision';
  const isOfOther = (one: Sending) =>
    rows.some((other) => other !== row && other.decision?.is !== 'code' && isSendingOf(other, one));
  const answered = isDecided ? ledger.unclear.filter((one) => isSendingOf(row, one) && !isOfOther(one)) : [];
  const records = answered.map(({ n }): LedgerRecord => ({ is: 'decided', n }));
  const claim = ledger.claims.get(id);
  const values = rowValues(row);
  // Compares the values, because a run that only changed the code may not have recorded them.
  const hasValues = (rows: Claim['rows']) => rows.some((one) => valuesKey(one) === valuesKey(values));
  const isKnown = claim !== undefined && claim.key === row.key && (how !== 'equal' || hasValues(claim.rows));
  if (isOpen || isKnown || (row.key === undefined && how !== 'equal' && !isDecided)) return records;
  const { key } = row;
  const found: LedgerRecord = {
    is: 'found',
    run,
    id,
    row: values,
    stored: fieldsOf(code),
    key,
    replaces,
  };
  return [...records, found];
}

function isSendingOf(row: Row, { key, values }: Sending): boolean {
  return key === undefined ? valuesKey(values) === valuesKey(rowValues(row)) : key === row.key;
}
