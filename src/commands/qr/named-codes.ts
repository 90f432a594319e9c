/** Several codes on the command line: as rows of a bulk run, and their outcomes. */
import type { ChangeEnd } from '../../codes/engine/change-rows.ts';
import { changeFailure, RESULT_COLUMNS, tabulate } from '../../codes/engine/results.ts';
import type { TargetRow } from '../../codes/input/check-rows.ts';
import { isDone, type RowResult } from '../../codes/input/outcomes.ts';
import type { Context } from '../../context.ts';
import type { Column } from '../../files/formats/columns.ts';
import type { OutputFlags } from '../../files/formats/plan-output.ts';
import type { Input } from '../../files/formats/read/input.ts';
import { isUuid } from '../../service/checks.ts';
import type { OutputColumns } from '../define.ts';
import { printRecords } from '../output-options.ts';
import { outranked } from './bulk-progress.ts';
import { ERROR, OUTCOME } from './code-columns.ts';

/** Columns of each code: the argument, then those of a results file. */
export const NAMED_COLUMNS = ['code', ...RESULT_COLUMNS].map(
  (name): Column => [OUTCOME, ERROR].find((column) => column.name === name) ?? placed(name),
);

/** Output of bulk runs: what became of each row. */
export const BULK_OUTPUT: OutputColumns = {
  when: '--from',
  columns: RESULT_COLUMNS.map((name) => ({ name })),
  optional: ['short_url'],
  afterInput: true,
};

/** A truncated ID is useless, and a slug takes less room: on a narrow screen the IDs are omitted first. */
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

/** Prints the outcome of each code. Throws PartialError if some failed, and the first failure if all did. */
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
