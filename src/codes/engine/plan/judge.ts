/** Finds the faults of rows that depend on their codes: a value that is not sent is valid, whatever it is. */
import { inQuotes, quote } from '../../../base/text/quote.ts';
import type { Fault } from '../../../files/formats/read/input.ts';
import { findDestinationProblem, isDead } from '../../destinations/destination.ts';
import type { PlanItem, Policy, Row } from './model.ts';

export interface Judged {
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

/** Returns the faults and warnings of an item. A row for which nothing may be sent has none. */
export function judgeItem({ row, action, code, changes }: PlanItem, policy: Policy): Judged {
  if (!row) return { faults: [], warnings: [] };
  if (action === 'create') {
    const judged = judgeNew(row, policy.force);
    // What is odd about a row that specifies no code was found when the file was read.
    const isTold = policy.verb === 'create' && row.id === undefined && row.slug === undefined;
    return isTold ? { ...judged, warnings: [] } : judged;
  }
  if (!code || policy.verb === 'delete') return { faults: [], warnings: [] };
  const changed = new Set<string>(
    changes.filter(({ what }) => what !== 'keep' && what !== 'drift').map(({ field }) => field),
  );
  const doubts = row.doubts.filter(
    ({ field }) => changed.has(field) && (field !== 'destination' || code.type === 'url'),
  );
  const { faults, warnings } = sortOut(doubts);
  const ofType = faultsOfType(row, code.type);
  if (policy.verb === 'update') return { faults, warnings: [...warnings, ...ofType] };
  return { faults: [...ofType, ...faults], warnings };
}

/** Returns the faults and warnings of a row as that of a new code. */
export function judgeNew(row: Row, force: boolean): Judged {
  const { line, wish, type, typeFault, doubts, noDestination } = row;
  const { faults, warnings } = sortOut(doubts.filter(({ field }) => field !== 'destination'));
  if (typeFault) return { faults: [typeFault, ...faults], warnings };
  if (wish.name === undefined)
    faults.push({ line, column: 'name', message: 'is empty: a new code needs a name' });
  const problem = findDestinationProblem(wish.destination, type);
  if (!problem) return { faults, warnings };
  if (noDestination) return { faults: [...faults, noDestination], warnings };
  const fault: Fault = { line, column: 'destination', message: problem.words };
  if (isDead(problem) && !force) faults.push({ ...fault, mayForce: true });
  else warnings.push(fault);
  return { faults, warnings };
}

function sortOut(doubts: Row['doubts']): { faults: Fault[]; warnings: Fault[] } {
  return {
    faults: doubts.filter(({ isOdd }) => !isOdd).map(({ fault }) => fault),
    warnings: doubts.filter(({ isOdd }) => isOdd).map(({ fault }) => fault),
  };
}

function faultsOfType({ line, type, key }: Row, known: string): Fault[] {
  if (type === undefined || type.toLowerCase() === known.toLowerCase()) return [];
  const what = key === undefined ? 'it' : inQuotes(key);
  return [
    {
      line,
      column: 'type',
      message: `the type of a code can't be changed: ${what} is ${quote(known)}, not ${quote(type)}`,
    },
  ];
}
