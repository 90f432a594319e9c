/** Nobody's edit is undone in silence. */
import type { Field, PlanItem } from '#codes/engine/plan/model';
import type { Moment } from './run.ts';
import type { ModelCode } from './service.ts';
import type { SheetRow } from './sheet.ts';
import { count, type Tell, type Truth } from './truth.ts';
import { fieldOf, isSame, printOf } from './values.ts';

export interface Overwriting {
  readonly row: SheetRow;
  readonly item: PlanItem;
  readonly field: Field;
  readonly now: ModelCode;
  readonly moment: Moment;
}

/** Judges a field that is about to be sent, by what this copy of the row has seen, and who set the value that is there. */
export function judgeOverwriting(
  { tally }: Truth,
  { row, item, field, now, moment }: Overwriting,
  problem: Tell,
): void {
  const what = item.changes.find((change) => change.field === field)?.what;
  if (what === 'overwrite') count(tally, 'overwritten, and said');
  if (row.decision?.is === 'mine' || what === 'overwrite') return;
  if (now.setBy[field] === moment.job.sheet.copy) return;
  const current = fieldOf(now.code, field);
  const seen = row.seen[field];
  if (seen !== undefined && isSame(field, seen, current)) return;
  const claim = moment.view.claims.get(now.code.id);
  const entry = row.key === undefined ? undefined : moment.job.lock?.get(row.key);
  const isApplied = entry?.id === now.code.id && (entry[field] ?? '') === current;
  const chain =
    isApplied ||
    claim?.changes[field].some(({ stored }) => stored === current) ||
    claim?.stored[field] === current;
  if (chain) {
    const isOld = row.base && row.base[field] !== printOf(current);
    const isUnedited = row.base?.[field] === printOf(row[field]);
    count(tally, `limit: ${isOld && isUnedited ? 'an old copy undid' : 'overwrote'} what this machine set`);
    return;
  }
  const isLater = row.updatedAtMs !== undefined && row.updatedAtMs < Date.parse(now.code.updated_at);
  if (row.base) problem(`undone: ${field} "${current}" of another client`, row, item);
  else if (claim?.stored[field] !== undefined)
    problem(`undone after our change: ${field} "${current}"`, row, item);
  else if (isLater) problem(`undone after updated_at: ${field} "${current}"`, row, item);
  else count(tally, 'limit: overwrote without a base');
}
