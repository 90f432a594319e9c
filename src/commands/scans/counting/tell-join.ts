/** Prints how the codes of a count and the rows of `--join` match. */
import type { Context } from '../../../context.ts';
import type { CodeTable } from '../../../stats/code-table.ts';
import { countOf, shown } from '../../../text/quote.ts';

/** Prints a note per kind of mismatch; nothing if each row is of a counted code, and each code has a row. */
export function tellJoin({ console }: Context, { name, unlisted, unusedRows, namelessRows }: CodeTable): void {
  const { count, first } = unlisted();
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  if (count > 0) console.note(`${countOf(count, 'code')} not found in ${name}: ${first.map(shown).join(', ')}${more}`);
  const unused = unusedRows();
  if (unused > 0) console.note(`${countOf(unused, 'row')} of ${name} ${unused === 1 ? 'matches' : 'match'} no counted code`);
  if (namelessRows > 0) console.note(`${countOf(namelessRows, 'row')} of ${name} skipped: no ID and no slug`);
}
