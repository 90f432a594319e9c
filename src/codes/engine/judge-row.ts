/** Finds faults of a row that depend on its code: a type that would change, and values that would be created or sent. Pure. */
import { inQuotes, quote } from '../../base/text/quote.ts';
import type { Fault } from '../../files/formats/read/input.ts';
import { findDestinationProblem, isDead } from '../destinations/destination.ts';
import type { Doubt } from '../input/read-changes.ts';
import type { KeyedRow } from './keyed-rows.ts';
import type { LockEntry } from './lock-file.ts';

interface Judged {
  faults: readonly Fault[];
  warnings: readonly Fault[];
}

/** Part of a plan's item that decides which faults count. */
interface PlannedRow {
  action: string;
  code: { type: LockEntry['type'] } | undefined;
  changes: readonly { field: string }[];
}

/** Y2: judges a row by its planned item: what is not changed is valid, whatever it is. */
export function judgeRow(row: KeyedRow, { action, code, changes }: PlannedRow, force: boolean): Judged {
  if (action === 'create') return judgeNew(row, force);
  if (!code) return { faults: [], warnings: [] };
  const changed = new Set(changes.map(({ field }) => field));
  const isUrl = code.type === 'url';
  const doubts = row.doubts.filter(({ field }) => changed.has(field) && (field !== 'destination' || isUrl));
  const { faults, warnings } = sortOut(doubts);
  return { faults: [...faultsOfType(row, code.type), ...faults], warnings };
}

/** Judges a row as that of a new code. */
export function judgeNew(row: KeyedRow, force: boolean): Judged {
  const { line, changes, type, typeFault, doubts, noDestination } = row;
  const { faults, warnings } = sortOut(doubts.filter(({ field }) => field !== 'destination'));
  if (typeFault) return { faults: [typeFault, ...faults], warnings };
  if (changes.name === undefined) faults.push(namelessFault(line));
  const problem = findDestinationProblem(changes.destination, type);
  if (!problem) return { faults, warnings };
  if (noDestination) return { faults: [...faults, noDestination], warnings };
  const fault: Fault = { line, column: 'destination', message: problem.words };
  if (isDead(problem) && !force) faults.push({ ...fault, mayForce: true });
  else warnings.push(fault);
  return { faults, warnings };
}

/** Returns the fault of a new code without a name. */
export function namelessFault(line: number): Fault {
  return { line, column: 'name', message: 'is empty: a new code needs a name' };
}

function sortOut(doubts: readonly Doubt[]): { faults: Fault[]; warnings: Fault[] } {
  return {
    faults: doubts.filter(({ isOdd }) => !isOdd).map(({ fault }) => fault),
    warnings: doubts.filter(({ isOdd }) => isOdd).map(({ fault }) => fault),
  };
}

/** Returns the fault of a row whose type is not that of its code, as known from the lock file or the service. */
export function faultsOfType({ line, type, key }: KeyedRow, known: LockEntry['type']): Fault[] {
  if (type === undefined || type.toLowerCase() === known.toLowerCase()) return [];
  const message = `the type of a code can't be changed: ${inQuotes(key)} is ${quote(known)}, not ${quote(type)}`;
  return [{ line, column: 'type', message }];
}
