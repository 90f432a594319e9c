/** What a run said about each row, read from its results or its printed plan. */
import type { FieldChange, PlanItem } from '#codes/engine/plan/model';
import { FIELDS } from '#codes/engine/plan/model';
import type { ModelService } from '../codes/engine/plan/world/service.ts';
import { type RowReport, readRow, type Sheet, type SheetRow } from '../codes/engine/plan/world/sheet.ts';
import { fieldOf, isSame, printOf } from '../codes/engine/plan/world/values.ts';
import { itemOf } from './items.ts';
import { type Cells, rowOfResults } from './sheet-file.ts';

export interface Said extends RowReport {
  /** Text of the column `error`. */
  readonly error: string;
  /** Row as the person has it now. */
  readonly after: SheetRow;
}

/** Returns what was said about each row of a sheet. Throws if the lines are not those of the sheet. */
export function reportsOf({ rows }: Sheet, lines: readonly Cells[], service: ModelService): Said[] {
  if (lines.length !== rows.length)
    throw new Error(`the results have ${lines.length} lines instead of ${rows.length}`);
  return rows.map((row, index) => {
    const cells = lines[index] as Cells;
    if (cells.ref !== undefined && cells.ref !== `row-${row.token}` && !cells.ref.startsWith('row-'))
      throw new Error(`the results lost the column of the user: ${cells.ref}`);
    const { error = '', outcome = '' } = cells;
    const code = cells.id && outcome !== 'gone' ? service.codes.get(cells.id)?.code : undefined;
    const item = itemOf({
      row: readRow(row, index),
      code,
      how: howOf(row, outcome, error),
      goneId: outcome === 'gone' ? row.id : undefined,
      changes: changesOf(error),
    });
    const after = rowOfResults(row, cells);
    if (code) noteSeen(after, row, code);
    return { row, item, outcome, code, error, after };
  });
}

/** An edit of a code that nobody knows for sure is a question about the row itself. */
function howOf(row: SheetRow, outcome: string, error: string): PlanItem['how'] {
  if (row.id !== undefined) return 'id';
  return outcome === 'edited' && error.startsWith('may be') ? 'none' : 'equal';
}

/** The person knows a value that the base of a row is made of, where the row says the same or nothing. */
function noteSeen(after: SheetRow, row: SheetRow, code: NonNullable<RowReport['code']>): void {
  for (const field of FIELDS) {
    const current = fieldOf(code, field);
    if (after.base?.[field] !== printOf(current)) continue;
    if (
      row[field] === '' ||
      isSame(field, after[field], current) ||
      current.startsWith(after[field].slice(0, 16).trim())
    )
      after.seen[field] = current;
  }
}

const WORDS = [
  ['keep', /^(name|destination|status): the service has .* which is kept/],
  ['overwrite', /^(name|destination|status): the service has .* the row overwrites it/],
  ['drift', /^(name|destination|status): the service has .*, last applied:/],
  ['edit', /^(name|destination|status): the code has /],
  ['conflict', /^(name|destination|status): the (list had|service has .* since the list)/],
] as const;

/** Returns the differences that a text names. */
function changesOf(error: string): FieldChange[] {
  return error.split('; ').flatMap((part): FieldChange[] => {
    for (const [what, pattern] of WORDS) {
      const field = pattern.exec(part.replace(/^(differs from|may be an edit of).*?\); /, ''))?.[1];
      if (field) return [{ what, field } as FieldChange];
    }
    return [];
  });
}
