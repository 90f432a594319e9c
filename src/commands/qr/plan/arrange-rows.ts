import { countBy, groupBy } from '#base/collections';
import { countOf, formatCount, joinSome } from '#base/text/quote';
import { type PlanRow, type RowState, stateOf, type Verb } from '#codes/engine/results/explain';

const WORDS: Readonly<Record<RowState, string>> = {
  undecided: 'to decide',
  gone: 'missing on the service',
  conflict: 'in conflict',
  edited: 'edited',
  exists: 'existing',
  failed: 'failed',
  removed: 'removed from the file',
  delete: 'to delete',
  update: 'to update',
  adopt: 'to adopt',
  create: 'to create',
  'not-attempted': 'not attempted',
  deleted: 'already deleted',
  later: 'not due yet',
  unchanged: 'unchanged',
};

const ACTING = new Set<RowState>(['delete', 'update', 'adopt', 'create']);

const ORDER = Object.keys(WORDS) as RowState[];

/**
 * Divides rows into `first` (sorted by state), `creations`, and `quiet` rows, which tables and Markdown omit.
 */
export function arrangeRows(rows: readonly PlanRow[], verb: Verb) {
  const groups = new Map<RowState, PlanRow[]>(ORDER.map((state) => [state, []]));
  const creations: PlanRow[] = [];
  const quiet: PlanRow[] = [];
  for (const row of rows) {
    if (isQuiet(row, verb)) quiet.push(row);
    else if (isCreation(row)) creations.push(row);
    else groups.get(stateOf(row))?.push(row);
  }
  return { first: [...groups.values()].flat(), creations, quiet };
}

function isCreation(row: PlanRow): boolean {
  const state = stateOf(row);
  return state === 'create' || (state === 'not-attempted' && row.item.action === 'create');
}

function isQuiet(row: PlanRow, verb: Verb): boolean {
  const state = stateOf(row);
  const { changes, isNews } = row.item;
  if (state === 'unchanged' || (state === 'removed' && !isNews))
    return changes.length === 0 && row.error === undefined;
  return state === 'deleted' || (state === 'exists' && verb !== 'apply');
}

function countStates(rows: readonly PlanRow[]) {
  const rowsOfState = groupBy(rows, stateOf);
  return ORDER.flatMap((state) => {
    const wordOf = ({ outcome }: PlanRow) => (outcome && ACTING.has(state) ? outcome : WORDS[state]);
    const counts = countBy(rowsOfState.get(state) ?? [], wordOf);
    return [...counts].map(([word, count]) => ({ state, count, word }));
  });
}

const NOTHING = 'nothing to do';

/** Formats `2 to decide, 996 unchanged, 3 unmanaged`; after a run, `created` instead of `to create`. */
export function countRows(rows: readonly PlanRow[], unmanaged: number): string {
  const told = countStates(rows).map(({ count, word }) => `${formatCount(count)} ${word}`);
  if (unmanaged > 0) told.push(`${formatCount(unmanaged)} unmanaged`);
  return told.join(', ') || NOTHING;
}

export function describeAbsent(slugs: readonly string[], most: number): string {
  return `The file has no rows of these codes of an earlier run: ${joinSome(slugs, { most, separator: ', ' })}`;
}

const OF_ROWS = new Set<RowState>(['undecided', 'conflict', 'edited', 'failed']);

/** Formats `300 codes to create, 996 unchanged`. */
export function describeRows(rows: readonly PlanRow[]): string {
  const told = countStates(rows).map(({ state, count, word }, at) => {
    if (at > 0) return `${formatCount(count)} ${word}`;
    if (state === 'exists') return countOf(count, `${word} code`);
    return `${countOf(count, OF_ROWS.has(state) ? 'row' : 'code')} ${word}`;
  });
  return told.join(', ') || NOTHING;
}
