import type { Fault, InputRow } from '../../files/formats/read/input.ts';
import { CODE_STATUSES, type CodeChanges } from '../../service/shapes.ts';
import { findDestinationProblem, isDead } from '../destinations/destination.ts';
import {
  BLANK_NAME,
  type Columns,
  findWord,
  type InputCell,
  readText,
  type Words,
  wrongWord,
} from './columns.ts';

const STATUSES: Words = { what: 'a valid status', all: CODE_STATUSES };

/** Change that is invalid or questionable, unless the code already has this value. */
export interface Doubt {
  readonly field: keyof CodeChanges;
  readonly fault: Fault;
  /** Odd, but not a fault. */
  readonly isOdd?: boolean;
}

/**
 * Returns the changes of a row, and doubts about them and the flags. `isNew`: no code can have the values
 * already, so a text that no file can hold is a fault, and an empty destination is no destination.
 */
export function readChanges(
  row: InputRow,
  { cell }: Columns,
  common: { readonly changes?: CodeChanges; readonly force?: boolean | undefined; readonly isNew?: boolean },
  isJson: boolean,
): { changes: CodeChanges; doubts: Doubt[] | undefined } {
  const doubts: Doubt[] = [];
  const nameCell = cell(row, 'name');
  const { isNew = false } = common;
  const name = readText(nameCell, !isNew);
  if (name?.trim() === '') doubts.push({ field: 'name', fault: nameCell.faultOf(BLANK_NAME) });
  const address = cell(row, 'destination');
  // JSON can set a field to empty; in a CSV an empty cell means no change.
  const own = address.value === '' && isJson && !isNew ? '' : readText(address, !isNew);
  for (const doubt of doubtsOf(address, own ?? common.changes?.destination, common.force)) doubts.push(doubt);
  const statusCell = cell(row, 'status');
  const typed = readText(statusCell);
  const status = typed === undefined ? undefined : (findWord(typed, STATUSES) ?? typed.trim());
  if (typed !== undefined && status && !findWord(typed, STATUSES)) {
    const { message, explanation } = wrongWord(typed, STATUSES);
    doubts.push({ field: 'status', fault: { ...statusCell.faultOf(message), explanation } });
  }
  const changes: CodeChanges = {};
  if (name !== undefined) changes.name = name;
  if (own !== undefined) changes.destination = own;
  if (status) changes.status = status;
  return { changes, doubts: doubts.length > 0 ? doubts : undefined };
}

/** An explicit empty destination is a warning at most. */
function doubtsOf({ faultOf }: InputCell, destination: string | undefined, force = false): Doubt[] {
  const problem = destination === undefined ? undefined : findDestinationProblem(destination);
  if (problem === undefined) return [];
  const isOdd = force || problem.kind === 'empty' || !isDead(problem);
  const fault: Fault = faultOf(problem.words);
  return [{ field: 'destination', isOdd, fault: isOdd ? fault : { ...fault, mayForce: true } }];
}
