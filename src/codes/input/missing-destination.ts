import { inQuotes } from '../../base/text/quote.ts';
import { type Fault, type Input, isAddress } from '../../files/formats/read/input.ts';

const SAMPLE = 200;

/**
 * Returns advice to rename the columns whose cells are addresses, in whatever language their names are;
 * undefined if there are none.
 */
export function renameAdvice({ rows }: Input, unread: readonly string[]): string | undefined {
  const sample = rows.slice(0, SAMPLE);
  const likely = unread.filter((column) => {
    const cells = sample
      .map(({ values }) => String(values.get(column) ?? ''))
      .filter((cell) => cell.trim() !== '');
    return cells.filter(isAddress).length > cells.length / 2;
  });
  if (likely.length === 0) return undefined;
  const [names, which] = likely.length === 1 ? ['column', 'it'] : ['columns', 'the correct one'];
  const verb = likely.length === 1 ? 'contains' : 'contain';
  return `${names} ${likely.map(inQuotes).join(' and ')} ${verb} addresses, so rename ${which} to destination`;
}

/**
 * Returns the fault of a file without destinations. Undefined for JSON, whose items may each lack one, unless
 * another column is meant.
 */
export function missingDestination(input: Input, unread: readonly string[]): Fault | undefined {
  const { headerLine: line } = input;
  const advice = renameAdvice(input, unread);
  if (advice === undefined && line === undefined) return undefined;
  return {
    line,
    column: 'destination',
    message: `is missing; ${advice ?? `every code of type url needs one${instead(unread)}`}`,
  };
}

const MOST_NAMED = 5;

/** Names the columns that the file has instead. */
export function instead(unread: readonly string[]): string {
  if (unread.length === 0) return '';
  const more = unread.length > MOST_NAMED ? ` and ${unread.length - MOST_NAMED} more` : '';
  return ` (the file has ${unread.slice(0, MOST_NAMED).map(inQuotes).join(', ')}${more})`;
}
