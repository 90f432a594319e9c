/** E8: finds the reasons (brakes) to send nothing without consent. */
import { countOf, quote } from '#base/text/quote';
import type { QrCode } from '#service/shapes';
import { fingerprintOf } from './base.ts';
import type { Brake, FieldChange, LedgerView, PlanInput, PlanItem } from './model.ts';
import { hasChanges, rowValues, tidy } from './values.ts';

const LEAST_ALLOWED = 10;
const ALLOWED_PERCENT = 30;
/** Minimum number of rows with values of other rows. Fewer count as edits. */
const LEAST_SHIFTED = 3;

export function findBrakes(items: readonly PlanItem[], input: PlanInput, absent: readonly QrCode[]): Brake[] {
  const { policy, lock } = input;
  if (policy.verb === 'delete') return [];
  if (policy.isDated && policy.maxChanges === undefined) return [];
  const changed = items.filter(({ row, code, send, isNews }) =>
    row ? code && hasChanges(send) : isNews,
  ).length;
  return [
    policy.force || policy.isDated ? undefined : shiftedColumn(items, absent, input),
    policy.force ? undefined : allRemoved(items, lock?.size ?? 0),
    policy.force || policy.verb === 'update' ? undefined : otherWorkspace(items, input),
    tooMany(changed, items, input),
  ].filter((brake) => brake !== undefined);
}

export function describeBrakes(brakes: readonly Brake[]): { message: string; hint: string } {
  const flags = new Set(brakes.map(({ flag }) => flag));
  const advice = brakes.flatMap(({ advice }) => advice ?? []);
  return {
    message: brakes.map(({ message }) => message).join('; '),
    hint: [...advice, `If the plan is correct, add ${[...flags].join(' ')}.`].join(' '),
  };
}

function tooMany(
  changed: number,
  items: readonly PlanItem[],
  { policy, lock }: PlanInput,
): Brake | undefined {
  const known = items.filter(({ row, code }) => row && code).length;
  const all = Math.max(known, lock?.size ?? 0);
  const max = policy.maxChanges ?? { percent: ALLOWED_PERCENT };
  const allowed = 'count' in max ? max.count : Math.floor((all * max.percent) / 100);
  const bound = policy.maxChanges === undefined ? Math.max(LEAST_ALLOWED, allowed) : allowed;
  if (changed <= bound) return undefined;
  const message = `the plan changes ${countOf(changed, 'code')}, but only ${bound} ${bound === 1 ? 'is' : 'are'} allowed`;
  return { is: 'max-changes', message, flag: `--max-changes ${changed}` };
}

function allRemoved(items: readonly PlanItem[], keys: number): Brake | undefined {
  const removed = items.filter(({ action }) => action === 'removed').length;
  if (keys === 0 || removed < keys) return undefined;
  const message = `the file has none of the ${countOf(keys, 'key')} in the lock file`;
  return {
    is: 'all-removed',
    message,
    advice: 'Check the file and the flag --lock.',
    flag: '--force',
  };
}

/**
 * Detects values that moved to other rows, as after sorting a column. For destinations and names, requires
 * three rows, of which two have a code, or the name of a code without a row.
 */
function shiftedColumn(
  items: readonly PlanItem[],
  absent: readonly QrCode[],
  { ledger }: PlanInput,
): Brake | undefined {
  const names = new Set(absent.map(({ name }) => tidy('name', name)));
  for (const field of ['destination', 'name'] as const) {
    const lost = new Set<string | undefined>(absent.map((code) => tidy(field, code[field] ?? '')));
    const gained: string[] = [];
    const added: string[] = [];
    for (const { row, code, changes } of items) {
      if (!row) continue;
      const { wish, base = {} } = row;
      const saved = base[field];
      if (!code) {
        if (saved !== fingerprintOf(wish[field] ?? '')) lost.add(saved);
        const values = rowValues(row);
        const list = names.has(tidy('name', values.name)) ? gained : added;
        list.push(tidy(field, values[field] ?? ''));
        continue;
      }
      const change = changes.find((one) => one.field === field && isEdit(one));
      if (change) gained.push(tidy(field, change.new));
      if (!change && wish[field] !== undefined) continue;
      lost.add(tidy(field, code[field] ?? ''));
      if (change?.base !== undefined) lost.add(tidy(field, change.base));
      lost.add(saved);
    }
    const isLost = (value: string) => lost.has(value) || lost.has(fingerprintOf(value));
    const among = gained.filter(isLost).length;
    const shifted = among + added.filter(isLost).length;
    if (among < LEAST_SHIFTED - 1 || shifted < LEAST_SHIFTED) continue;
    return shiftedBrake(
      `the column ${quote(field)} may have been sorted by itself: ${shifted} rows have values that other rows had`,
    );
  }
  return sortedStatuses(items, ledger) ?? sortedIds(items) ?? sortedKeys(items, ledger);
}

/**
 * Detects status edits that only exchange statuses and leave the column sorted. An empty cell counts as
 * `active` if qrctl changed the status.
 */
function sortedStatuses(items: readonly PlanItem[], { claims }: LedgerView): Brake | undefined {
  const rows = items.flatMap(({ row, code, changes }) => {
    if (!row || !code) return [];
    const edit = changes.find((one) => one.field === 'status' && isEdit(one));
    const isEmptied = !row.wish.status && claims.get(code.id.toLowerCase())?.changes.status.length;
    const status = isEmptied ? 'active' : code.status;
    return { old: code.status, new: edit?.new ?? status, cell: row.wish.status ?? status };
  });
  const edits = rows.filter((one) => one.old !== one.new);
  const olds = edits.map((edit) => edit.old).sort();
  const news = edits.map((edit) => edit.new).sort();
  if (edits.length < LEAST_SHIFTED || olds.join() !== news.join()) return undefined;
  const blocks = rows.filter(({ cell }, at) => cell !== rows[at - 1]?.cell).length;
  if (blocks > new Set(rows.map(({ cell }) => cell)).size) return undefined;
  return shiftedBrake(
    `the column "status" may have been sorted by itself: ${edits.length} rows have values that other rows had`,
  );
}

function sortedIds(items: readonly PlanItem[]): Brake | undefined {
  const saved = items.flatMap(({ row, code }) =>
    row?.base && code ? [{ name: fingerprintOf(code.name), cell: row.base.name }] : [],
  );
  const names = new Set<string | undefined>(saved.map(({ name }) => name));
  const shifted = saved.filter(({ name, cell }) => cell !== name && names.has(cell)).length;
  if (shifted < LEAST_SHIFTED) return undefined;
  const message = `the IDs may have been sorted by themselves: ${shifted} rows were saved from the code of another row`;
  return shiftedBrake(message);
}

function sortedKeys(items: readonly PlanItem[], { claims }: LedgerView): Brake | undefined {
  const known = items.flatMap(({ row, code, how }) => {
    const key = code && (how === 'id' || how === 'slug') && claims.get(code.id.toLowerCase())?.key;
    return key ? [{ key, cell: row?.key }] : [];
  });
  const keys = new Set<string | undefined>(known.map(({ key }) => key));
  const shifted = known.filter(({ key, cell }) => cell !== key && keys.has(cell)).length;
  if (shifted < LEAST_SHIFTED) return undefined;
  return shiftedBrake(
    `the keys may have been sorted by themselves: ${shifted} rows have the key of another row's code`,
  );
}

function shiftedBrake(message: string): Brake {
  const advice = 'Sort whole rows, or restore the column.';
  return { is: 'shifted', message, advice, flag: '--force' };
}

function isEdit({ what }: FieldChange): boolean {
  return what !== 'keep' && what !== 'drift';
}

function otherWorkspace(
  items: readonly PlanItem[],
  { ledger, lock, listing, earlierIds = NONE }: PlanInput,
): Brake | undefined {
  const known = new Set([...(lock?.values() ?? [])].map(({ id }) => id.toLowerCase()));
  const isForeign = (id: string) => !listing.codes.has(id) && !ledger.claims.has(id) && !known.has(id);
  const named = items.flatMap(({ row }) => row?.id ?? []);
  const isCreating = items.some(({ action }) => action === 'create');
  const ids = named.length > 0 || !isCreating ? named : [...earlierIds];
  const foreign = ids.filter(isForeign).length;
  if (foreign < 2 || foreign * 2 <= ids.length) return undefined;
  const where = named.length > 0 ? 'the file' : 'its earlier results';
  const message = `${foreign} of ${countOf(ids.length, 'ID')} in ${where} do not exist in this workspace`;
  return { is: 'other-workspace', message, advice: 'Check --profile and the API key.', flag: '--force' };
}

const NONE: ReadonlySet<string> = new Set();
