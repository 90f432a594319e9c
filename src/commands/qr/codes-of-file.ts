/** The codes that a file or standard input names: rows with an id or slug, or a list of them, one a line. */
import { checkDelete, type TargetRow } from '../../bulk/check-rows.ts';
import { describeMissing } from '../../bulk/find-codes.ts';
import { type ReadOptions, refuseFaults } from '../../bulk/input.ts';
import type { Context } from '../../context.ts';
import type { QrCode } from '../../service/shapes.ts';
import { readInput } from './bulk-input.ts';
import { lookUp } from './bulk-progress.ts';

/** Reads the rows of `--from` and looks their codes up: one for each row, in their order. Throws UsageError with every row that names none. */
export async function readCodesOfFile(context: Context, from: string, options: ReadOptions = {}): Promise<QrCode[]> {
  const input = await readInput(context, from, { ...options, bareNames: true });
  const { rows } = checkDelete(input);
  const lookup = await lookUp(context, rows, from);
  const isMissing = (row: TargetRow) => lookup(row) === undefined;
  refuseFaults(
    input.name,
    rows.filter(isMissing).map((row) => ({ line: row.line, message: describeMissing(row) })),
  );
  return rows.flatMap((row) => lookup(row) ?? []);
}
