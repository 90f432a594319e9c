/** Several codes named on the command line: as rows of a bulk run, and what became of each. */
import type { ChangeEnd } from '../../bulk/change-rows.ts';
import type { TargetRow } from '../../bulk/check-rows.ts';
import type { Input } from '../../bulk/input.ts';
import { isDone, type RowResult } from '../../bulk/outcomes.ts';
import { changeFailure, RESULT_COLUMNS, tabulate } from '../../bulk/results.ts';
import type { Context } from '../../context.ts';
import type { Column } from '../../rows/columns.ts';
import type { OutputFlags } from '../../rows/plan-output.ts';
import { isUuid } from '../../service/checks.ts';
import { printRecords } from '../output-options.ts';
import { outranked } from './bulk-progress.ts';
import { ERROR, OUTCOME } from './code-columns.ts';

/** What is printed of each code: the name it was given, then as in a file of results. */
export const NAMED_COLUMNS = ['code', ...RESULT_COLUMNS].map(
  (name): Column => [OUTCOME, ERROR].find((column) => column.name === name) ?? placed(name),
);

/** Half an id is of no use, and a slug says the same in less room: on a narrow screen the ids go first. */
function placed(name: string): Column {
  if (name === 'id') return { name, keepWhole: true };
  if (name === 'code') return { name, keepWhole: true, importance: 1 };
  return { name, importance: 2, keepWhole: name === 'slug' };
}

/** A row for each id or slug, each once. */
export function rowsOf(names: readonly string[]): TargetRow[] {
  return [...new Set(names)].map((name, index) => {
    const target = isUuid(name) ? { id: name.toLowerCase(), slug: undefined } : { id: undefined, slug: name };
    return { row: index + 1, line: index + 1, values: new Map([['code', name]]), ...target };
  });
}

/** Prints what became of each code. Throws PartialError where some failed, and where all did what the first met. */
export async function printNamed(
  context: Context,
  rows: readonly TargetRow[],
  { end, results }: { end: ChangeEnd; results: readonly RowResult[] },
  flags: OutputFlags,
): Promise<void> {
  const input: Input = { name: 'arguments', columns: ['code'], headerLine: undefined, rows };
  const failure = results.some(isDone) ? changeFailure(end, results) : (end.stop ?? end.firstError);
  const { row } = tabulate(input);
  const records = rows.map((_, place) => row(place, results[place]));
  await printRecords(context, records, NAMED_COLUMNS, flags, { thing: 'code' }).catch((error) => {
    throw outranked(error, failure);
  });
  if (failure !== undefined) throw failure;
}
