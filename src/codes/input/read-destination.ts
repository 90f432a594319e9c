import { addUtm, type UtmTags } from '../../base/text/utm.ts';
import type { InputRow } from '../../files/formats/read/input.ts';
import { type CommonChanges, readUtm } from './check-rows.ts';
import type { Columns, InputCell } from './columns.ts';

interface DestinationJob {
  own: string | undefined;
  options: Pick<CommonChanges, 'changes' | 'utm'>;
  isNew: boolean;
}

/**
 * Returns the destination of the row or the flags with the row's tags added; or the tags, if they are to be
 * added to the destination of the code. A destination without room for tags is a fault.
 */
export function readDestination(
  row: InputRow,
  columns: Columns,
  { own, options, isNew }: DestinationJob,
): { destination: string | undefined; utm: UtmTags | undefined } {
  const destination = own ?? options.changes?.destination;
  const utm = readUtm(row, columns, options.utm);
  if (utm === undefined) return { destination, utm };
  if (destination !== undefined)
    return { destination: tagged(columns.cell(row, 'destination'), destination, utm), utm: undefined };
  // Without a column of destinations, one fault covers all rows.
  if (isNew && !columns.noDestination) tagged(columns.cell(row, 'destination'), '', utm);
  return { destination, utm };
}

function tagged(cell: InputCell, destination: string, utm: UtmTags): string {
  try {
    return addUtm(destination, utm);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    cell.fault(error.message);
    return destination;
  }
}
