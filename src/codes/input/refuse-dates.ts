import { UsageError } from '../../base/errors.ts';
import { countOf, quote } from '../../base/text/quote.ts';
import { fold, type Input, type InputRow } from '../../files/formats/read/input.ts';

/** Throws UsageError for a plan of dated changes: otherwise the last change of each code would apply now. */
export function refuseDates({ name, columns, rows }: Input): void {
  const at = columns.find((column) => fold(column) === 'at');
  const isDated = ({ values }: InputRow) => at !== undefined && String(values.get(at) ?? '').trim() !== '';
  const count = rows.filter(isDated).length;
  if (count === 0) return;
  throw new UsageError(
    `${name} has dates in column ${quote(at ?? '')} (${countOf(count, 'row')}), but without --due all rows would be applied now`,
    {
      hint: 'Add --due to apply only rows that are due, or --ignore-dates to apply all rows.',
    },
  );
}
