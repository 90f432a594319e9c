import { addUtm, type UtmTags } from '#base/text/utm';
import { findDestinationProblem, isDead } from '#codes/destinations/destination';
import type { Fault, InputRow } from '#files/formats/read/input';
import { CODE_STATUSES, type CodeChanges } from '#service/shapes';
import { type CommonChanges, readUtm } from './check-rows.ts';
import { type Columns, findWord, type InputCell, readText, type Words, wrongWord } from './columns.ts';

const STATUSES: Words = { what: 'a valid status', all: CODE_STATUSES };

/** Invalid or questionable value, which is accepted if the code already has it. */
export interface Doubt {
  field: keyof CodeChanges;
  fault: Fault;
  isOdd?: boolean;
}

/**
 * Reads a row's changes. For a new code, an empty destination means no value, and a name or destination with
 * a lone surrogate is a fault.
 */
export function readChanges(
  row: InputRow,
  { cell }: Columns,
  common: { changes?: CodeChanges; force?: boolean; isNew?: boolean },
  isJson: boolean,
) {
  const doubts: Doubt[] = [];
  const nameCell = cell(row, 'name');
  const { isNew = false } = common;
  const name = readText(nameCell, !isNew);
  if (name?.trim() === '') doubts.push({ field: 'name', fault: nameCell.faultOf('contains only spaces') });
  const address = cell(row, 'destination');
  // For an existing code, an empty JSON value removes the destination. A blank cell in a table changes
  // nothing.
  const text = address.value === '' && isJson && !isNew ? '' : readText(address, !isNew);
  const own = isJson || text?.trim() !== '' ? text : undefined;
  for (const doubt of doubtsOf(address, own ?? common.changes?.destination, common.force)) doubts.push(doubt);
  const statusCell = cell(row, 'status');
  const typed = readText(statusCell);
  const known = typed === undefined ? undefined : findWord(typed, STATUSES);
  const status = known ?? typed?.trim();
  if (status && known === undefined)
    doubts.push({ field: 'status', fault: { ...statusCell.faultOf(''), ...wrongWord(status, STATUSES) } });
  const changes: CodeChanges = {};
  if (name !== undefined) changes.name = name;
  if (own !== undefined) changes.destination = own;
  if (status) changes.status = status;
  return { changes, doubts: doubts.length > 0 ? doubts : undefined };
}

function doubtsOf({ faultOf }: InputCell, destination: string | undefined, force = false): Doubt[] {
  const problem = destination === undefined ? undefined : findDestinationProblem(destination);
  if (problem === undefined) return [];
  const isOdd = force || !isDead(problem);
  const fault: Fault = faultOf(problem.words);
  return [{ field: 'destination', isOdd, fault: isOdd ? fault : { ...fault, mayForce: true } }];
}

interface DestinationJob {
  own?: string;
  options: Pick<CommonChanges, 'changes' | 'utm'>;
  isNew: boolean;
}

export function readDestination(
  row: InputRow,
  columns: Columns,
  { own, options, isNew }: DestinationJob,
): { destination: string | undefined; utm?: UtmTags; mayLackUtm?: boolean } {
  const destination = own ?? options.changes?.destination;
  const tags = readUtm(row, columns);
  const utm = tags ? { ...options.utm, ...tags } : options.utm;
  if (utm === undefined) return { destination };
  const mayLackUtm = tags === undefined;
  const hasCode = destination === undefined && !isNew;
  if (hasCode || (destination === undefined && columns.noDestination))
    return { destination, utm, mayLackUtm };
  return { destination: tagged(columns.cell(row, 'destination'), destination, utm, mayLackUtm) };
}

function tagged(
  cell: InputCell,
  destination: string | undefined,
  utm: UtmTags,
  mayLackUtm: boolean,
): string | undefined {
  try {
    return addUtm(destination ?? '', utm);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (mayLackUtm) cell.warn('is not a web address, so it gets no UTM tags');
    else cell.fault(error.message);
    return destination;
  }
}
