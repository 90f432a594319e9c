/** Counts of a plan in words, as its headline and its last line say them. */
import { formatCount } from '../../../base/text/quote.ts';
import type { Action } from '../../../codes/engine/plan.ts';
import { endOf, itemOf, type ShownItem } from './plan-records.ts';

const PLANNED: Readonly<Record<Action, string>> = {
  create: 'to create',
  adopt: 'to adopt',
  update: 'to update',
  edited: 'edited by another client',
  unchanged: 'unchanged',
  removed: 'removed from the file',
  gone: 'deleted from the service',
  undecided: 'to decide',
};

/** Returns `2 to create, 1 to update, 996 unchanged, 3 unmanaged`; of a run that ended by outcome. */
export function countItems(items: readonly ShownItem[], unmanaged: number): string {
  const counts = new Map<string, number>();
  const add = (word: string) => counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const shown of items) {
    const { action } = itemOf(shown);
    const end = endOf(shown);
    const isRemoved = action === 'removed' && end?.outcome !== 'failed';
    add(end && !isRemoved ? (end.outcome === 'edited' ? 'kept as edited by another client' : end.outcome) : PLANNED[action]);
  }
  const order = [...Object.values(PLANNED), 'created', 'adopted', 'updated'];
  const sorted = [...counts].sort(([one], [other]) => rank(one, order) - rank(other, order));
  const words = sorted.map(([word, count]) => `${formatCount(count)} ${word}`);
  if (unmanaged > 0) words.push(`${formatCount(unmanaged)} unmanaged`);
  return words.join(', ') || 'nothing to do';
}

/** What was done comes before what remains as it is. */
function rank(word: string, order: readonly string[]): number {
  if (word === 'unchanged') return order.length + 1;
  const at = order.indexOf(word);
  return at < 0 ? order.length : at;
}
