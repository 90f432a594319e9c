import { groupBy } from '#base/collections';
import { UsageError } from '#base/errors';
import { checkChosen, type TargetRow } from '#codes/input/check-rows';
import {
  describeMissing,
  faultsOfTwoNames,
  findCodes,
  type Lookup,
  missingCode,
} from '#codes/listing/find-codes';
import type { Context } from '#context';
import { type Input, problemOf, refuseChecked, refuseFaults, type Source } from '#files/formats/read/input';
import type { CodeLabel } from '#scans/export/export-codes';
import type { QrCode } from '#service/shapes';
import { readInput } from './bulk-input.ts';
import { type FileChoice, partOf } from './code-choice.ts';
import { noteWarnings } from './qr/rows/notes.ts';
import { shortUrlParser } from './short-urls.ts';

type FileOfCodes = FileChoice & { from: string };

/**
 * Returns the rows in the `--from` file with their codes. Calls `check` before the first request. If codes do
 * not exist, throws a UsageError that lists their rows.
 */
export async function readRowsOfFile(
  context: Context,
  choice: FileOfCodes,
  check: (file: Input) => void = () => undefined,
): Promise<{ code: QrCode; row: TargetRow }[]> {
  const { file, rows } = await readTargets(context, choice);
  check(file);
  const lookup = await lookUp(context, rows, file);
  refuseMissing(
    file,
    rows.filter((row) => lookup(row) === undefined),
  );
  const found = rows.flatMap((row) => {
    const code = lookup(row);
    return code ? [{ code, row }] : [];
  });
  const rowsOfCodes = groupBy(found, ({ code }) => code.id);
  context.facts.problemsOfCode = (id, message) =>
    (rowsOfCodes.get(id) ?? []).map(({ row: { line } }) => problemOf(file, { line, message }));
  return found;
}

/**
 * Returns the codes in the `--from` file. If slugs and names aren't wanted and each row has an ID, returns
 * only the IDs, without a request.
 */
export async function readLabelsOfFile(
  context: Context,
  choice: FileOfCodes,
  isWanted: boolean,
): Promise<CodeLabel[]> {
  const { file, rows } = await readTargets(context, choice, true);
  const ids = rows.flatMap(({ id }) => id ?? []);
  if (!isWanted && ids.length === rows.length) return ids.map((id) => ({ id }));
  const lookup = await lookUp(context, rows, file);
  refuseMissing(
    file,
    rows.filter((row) => row.id === undefined && lookup(row) === undefined),
  );
  return rows.map((row) => lookup(row) ?? missingCode(row));
}

export async function readNamesOfFile(context: Context, choice: FileOfCodes): Promise<readonly TargetRow[]> {
  return (await readTargets(context, choice, true)).rows;
}

async function lookUp(context: Context, rows: readonly TargetRow[], file: Source): Promise<Lookup> {
  const service = await context.service();
  const lookup = await findCodes(rows, service);
  refuseFaults(file, faultsOfTwoNames(rows, lookup));
  return lookup;
}

async function readTargets(context: Context, choice: FileOfCodes, needsRows = false) {
  const { from } = choice;
  const file = await readInput(context, from, { ...partOf(from, choice), bareNames: true });
  const checked = await checkChosen(file, await shortUrlParser(context), context.signal);
  refuseChecked(file, checked);
  noteWarnings(context, file, checked.warnings);
  if (checked.rows.length === 0 && (needsRows || file.rows.length > 0))
    throw new UsageError(`${file.name} contains no codes`, { hint: 'Add a line with an ID or slug.' });
  return { file, rows: checked.rows };
}

function refuseMissing(file: Source, rows: readonly TargetRow[]): void {
  refuseFaults(
    file,
    rows.map((row) => ({ line: row.line, message: describeMissing(row) })),
  );
}
