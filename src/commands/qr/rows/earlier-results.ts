import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { MOST_BYTES } from '#base/bounds';
import { groupBy } from '#base/collections';
import { systemCode, UsageError } from '#base/errors';
import { addFile } from '#base/run/run-summary';
import { capitalize, countOf, inShellOr } from '#base/text/quote';
import { parseBase } from '#codes/engine/plan/base';
import { FIELDS, type Field } from '#codes/engine/plan/model';
import { isCellOfPrint } from '#codes/engine/plan/values';
import type { RowEnd } from '#codes/engine/results/tabulate';
import { throughOf } from '#codes/input/check-rows';
import { findColumn } from '#codes/input/columns';
import { fieldOf } from '#codes/input/header-words';
import { readWritten } from '#commands/bulk-input';
import type { Context } from '#context';
import { nodeDisk } from '#files/durable/node-disk';
import { readBack } from '#files/durable/trusted-file';
import { ORDINARY_FILES } from '#files/formats/kept-file';
import type { Input } from '#files/formats/read/input';
import {
  checkWholeFile,
  isWrittenDirectly,
  type OutputPlace,
  writeWholeFile,
} from '#files/formats/whole-file';

export const RESULTS_PLACE: OutputPlace = {
  elsewhere: 'specify a different file with --results',
  replaces: [...ORDINARY_FILES, 'results', 'check', 'watch', 'plan'],
};

/**
 * Reads earlier results, if any. Throws UsageError if `path` is not a regular file or, unless `overwrite`,
 * not a results file.
 */
export async function readEarlier(path: string, overwrite: boolean): Promise<Input | undefined> {
  if (await isWrittenDirectly(path)) {
    throw new UsageError(`cannot write results to ${path}: it is not a regular file`, {
      hint: 'Specify a regular file with --results.',
    });
  }
  await checkWholeFile(path, RESULTS_PLACE);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile() || found.size === 0) return undefined;
  const before = await readTable(path);
  if (before && isResults(before)) return before;
  if (overwrite) return undefined;
  throw new UsageError(`cannot write ${path}: it is not a results file`, {
    hint: 'Specify a different file with --results, or add --overwrite to replace this file.',
  });
}

function isResults({ columns }: Input): boolean {
  return findColumn(columns, 'outcome') !== undefined;
}

async function readTable(path: string): Promise<Input | undefined> {
  try {
    return await readWritten(path);
  } catch (error) {
    // A file that can't be read as a table contains no earlier results.
    if (error instanceof UsageError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

export async function readEarlierIds(path: string | undefined): Promise<ReadonlySet<string>> {
  const before = path === undefined ? undefined : await readTable(path);
  return before && isResults(before) ? idsOf(before) : new Set();
}

export function idsOf({ columns, rows }: Input): Set<string> {
  const column = findColumn(columns, 'id') ?? '';
  return new Set(rows.flatMap(({ values }) => String(values.get(column) ?? '').toLowerCase() || []));
}

/**
 * Copies earlier results to `FILE.old` if the new ones lack a code or an edit, or replace the input workbook.
 * Replaces an older copy only if nothing is lost and the new results have all codes of the copy. Otherwise
 * uses `FILE.old.1` and so on.
 */
export async function keepEarlier(
  context: Context,
  { path, before, isInput }: { path: string; before: Input; isInput: boolean },
  ends: readonly RowEnd[],
): Promise<void> {
  const ids = new Set(ends.flatMap(({ code, row }) => code?.id.toLowerCase() ?? row.id ?? []));
  const lost = [...idsOf(before)].filter((id) => !ids.has(id)).length;
  const isWorkbook = isInput && before.form?.is === 'xlsx';
  const isEdited = !isInput && hasOtherEdits(before, ends);
  if (lost === 0 && !isWorkbook && !isEdited) return;
  const isLost = lost > 0 || isEdited;
  let kept = `${path}.old`;
  const mayReplace = async () => {
    const older = isLost ? undefined : await readTable(kept);
    return older !== undefined && isResults(older) && [...idsOf(older)].every((id) => ids.has(id));
  };
  for (let number = 1; (await stat(kept).catch(() => undefined)) && !(await mayReplace()); number++)
    kept = `${path}.old.${number}`;
  await writeWholeFile(kept, await readBack(nodeDisk, path, MOST_BYTES.rowsFile), {
    processes: context.processes,
    ...RESULTS_PLACE,
  });
  addFile(context.facts, kept);
  const what = `kept the earlier ${isInput ? 'version' : 'results'} in ${kept}`;
  const lacked = [...(lost > 0 ? [countOf(lost, 'code')] : []), ...(isEdited ? ['edits'] : [])];
  const next = isEdited ? `; to use the edits, run the command with --from ${inShellOr('FILE', kept)}` : '';
  if (isLost)
    context.console.warn(
      `${what}: ${isInput ? 'it has' : 'they have'} ${lacked.join(' and ')} that the new results lack${next}`,
    );
  else context.console.note(capitalize(what));
}

const EDITABLE = new Set([...FIELDS, 'decision']);

/**
 * Returns whether earlier results have a decision or edited cell that the input lacks. Matches rows by ID, or
 * else by position.
 */
function hasOtherEdits(before: Input, ends: readonly RowEnd[]): boolean {
  const editable = before.columns.flatMap((column): [string, string][] => {
    const field = fieldOf(before, column);
    return EDITABLE.has(field) ? [[column, field]] : [];
  });
  const columnOf = (name: string) => findColumn(before.columns, name) ?? '';
  const [idColumn, baseColumn] = [columnOf('id'), columnOf('base')];
  const byId = groupBy(ends, ({ code, row }) => code?.id.toLowerCase() ?? row.id);
  const byPosition = groupBy(ends, ({ row }) => row.row);
  const through = throughOf(before);
  return before.rows.some(({ row, values }) => {
    const id = String(values.get(idColumn) ?? '').toLowerCase();
    const inputs = byId.get(id) ?? byPosition.get(row) ?? [];
    const base = parseBase(String(values.get(baseColumn) ?? ''));
    return editable.some(([column, field]) => {
      const cell = values.get(column);
      if (typeof cell !== 'string' || cell === '') return false;
      if (inputs.some((end) => cell === end.row.values.get(column))) return false;
      const print = base?.[field as Field];
      return field === 'decision' || (print !== undefined && !isCellOfPrint(cell, print, through));
    });
  });
}

export function noteOldJournal({ console }: Context, path: string | undefined): void {
  const journal = `${path}.journal`;
  if (path === undefined || !existsSync(journal)) return;
  console.note(
    `${journal} is the journal of an earlier version of qrctl and is not read. You can remove it.`,
  );
}
