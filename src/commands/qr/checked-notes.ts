/** Prints the notes and warnings about a checked file of rows. */
import { Failure } from '../../base/errors.ts';
import { countOf, inQuotes } from '../../base/text/quote.ts';
import type { Context } from '../../context.ts';
import {
  type Checked,
  describeFaults,
  type Fault,
  type Input,
  type Source,
} from '../../files/formats/read/input.ts';

/** Notes how columns were understood, and which are only copied. */
export function noteColumns(
  { console }: Context,
  { notes, unread }: Pick<Checked<unknown>, 'notes' | 'unread'>,
): void {
  for (const note of notes) console.note(note);
  if (unread.length > 0)
    console.note(`Columns copied to the results but not used: ${unread.map(shownColumn).join(', ')}`);
}

/** Text of the file, if it is a plain word. */
function shownColumn(column: string): string {
  return /^[\p{L}\p{N} ._-]{1,60}$/u.test(column) ? column : inQuotes(column);
}

/** One line per warning, up to a screenful. */
export function noteWarnings({ console }: Context, file: Source, warnings: readonly Fault[]): void {
  for (const line of describeFaults(file, warnings)) console.warn(line);
}

/** Ends `--offline`: the file has no faults that can be found without the service. */
export function noteOffline(context: Context, input: Input, { warnings, doubts }: Checked<unknown>): void {
  noteWarnings(context, input, [...warnings, ...doubts]);
  const odd = [
    warnings.length > 0 && countOf(warnings.length, 'warning'),
    doubts.length > 0 && `${countOf(doubts.length, 'cell')} to check against the service`,
  ];
  const counts = [countOf(input.rows.length, 'row'), 'no faults', ...odd].filter(Boolean);
  context.console.note(`${input.name}: ${counts.join(', ')} (no request was sent)`);
}

/** Waits for the service of a dry run. A missing key is not a fault of the file, which can be checked without one: the hint states how. */
export async function requireServiceFor({ service }: Context, { name }: Source): Promise<void> {
  await service().catch((error: unknown) => {
    if (error instanceof Failure) {
      const offline = `add --offline to check the file without the service; ${name} has no faults`;
      error.hint = error.hint === undefined ? offline : `${error.hint}\n${offline}`;
    }
    throw error;
  });
}
