import { UsageError } from '#base/errors';
import { countOf, inQuotes, quote } from '#base/text/quote';
import { normalizeUtm, UTM_NAMES, type UtmTags } from '#base/text/utm';
import {
  type Checked,
  type Fault,
  type Input,
  type InputRow,
  mapRows,
  UTM_COLUMNS,
} from '#files/formats/read/input';
import { isUuid } from '#service/checks';
import { CODE_TYPES, type CodeChanges } from '#service/shapes';
import { type Columns, type InputCell, instead, matchColumns, readText, type Words } from './columns.ts';
import { fieldOf } from './header-words.ts';
import { omitUnfinished } from './outcomes.ts';

export const UNNAMED = 'has neither an ID nor a slug';

export const TYPES: Words = { what: 'a valid type', all: CODE_TYPES };

export function throughOf({ form }: Input): 'csv' | 'xlsx' | undefined {
  return form?.is === 'csv' || form?.is === 'xlsx' ? form.is : undefined;
}

export interface TargetRow extends InputRow {
  id?: string;
  slug?: string;
}

export interface CommonChanges {
  changes?: CodeChanges;
  utm?: UtmTags;
  keepUtm?: boolean;
  force?: boolean;
  ignoreDates?: boolean;
  signal?: AbortSignal;
}

const TARGET_COLUMNS = ['id', 'slug'];
export const LIST = 'Run `qrctl qr list -o codes.csv` to create a file to start from.';

export function readUtm(row: InputRow, { cell, has }: Columns): UtmTags | undefined {
  if (!UTM_COLUMNS.some(has)) return undefined;
  const own = UTM_NAMES.flatMap((name) => {
    const tag = normalizeUtm(readText(cell(row, `utm_${name}`)) ?? '');
    return tag === '' ? [] : [[name, tag] as const];
  });
  return own.length > 0 ? Object.fromEntries(own) : undefined;
}

export async function checkChosen(
  input: Input,
  parseShortUrl?: ParseShortUrl,
  signal?: AbortSignal,
): Promise<Checked<TargetRow>> {
  const columns = matchColumns(input, TARGET_COLUMNS, ['short_url']);
  const { has, faults, warnings, unread, notes } = columns;
  const line = input.headerLine;
  const isEmpty = input.rows.length === 0 && line === undefined;
  const hasColumn = hasTargets(has, parseShortUrl);
  if (!isEmpty && !hasColumn) faults.push(withoutTargets(line, unread));
  const check = (found: InputRow): TargetRow => {
    const { id, slug } = readTarget(found, columns, parseShortUrl);
    const { row, line, values, defused } = found;
    if (hasColumn && id === undefined && slug === undefined) faults.push({ line, message: UNNAMED });
    return { row, line, values, defused, id, slug };
  };
  const { kept, omitted } = omitUnfinished(input);
  warnings.push(...omitted);
  const rows = await mapRows(kept, check, signal);
  return { rows, faults, warnings, doubts: [], unread, notes, start: LIST };
}

export type ParseShortUrl = (url: string) => string | undefined;

export function withoutTargets(line: number | undefined, unread: readonly string[]): Fault {
  const message = `no column identifies the codes: add an id or slug column${instead(unread)}`;
  return { line, message };
}

export function hasTargets(has: Columns['has'], parseShortUrl: ParseShortUrl | undefined): boolean {
  return TARGET_COLUMNS.some(has) || (parseShortUrl !== undefined && has('short_url'));
}

export function readTarget(
  row: InputRow,
  { cell }: Columns,
  parseShortUrl: ParseShortUrl | undefined,
): Pick<TargetRow, 'id' | 'slug'> {
  const id = readId(cell(row, 'id'));
  const text = (column: string) => readText(cell(row, column))?.trim() || undefined;
  const slug = text('slug');
  const isOpen = id === undefined && slug === undefined;
  const url = isOpen && parseShortUrl ? text('short_url') : slug;
  const code = url === undefined ? undefined : (parseShortUrl?.(url) ?? slug);
  const isId = id === undefined && code !== undefined && code !== slug && isUuid(code);
  return isId ? { id: code.toLowerCase() } : { id, slug: code };
}

function readId(cell: InputCell): string | undefined {
  const id = readText(cell)?.trim() || undefined;
  if (id !== undefined && !isUuid(id)) cell.fault(`${inQuotes(id)} is not a valid ID (expected a UUID)`);
  return id?.toLowerCase();
}

/** Throws UsageError if a row has a date, because without `--due` all rows would be applied now. */
export function refuseDates(input: Input): void {
  const { name, columns, rows } = input;
  const at = columns.find((column) => fieldOf(input, column) === 'at');
  const isDated = ({ values }: InputRow) => at !== undefined && String(values.get(at) ?? '').trim() !== '';
  const count = rows.filter(isDated).length;
  if (count === 0) return;
  throw new UsageError(
    `${name} has dates in column ${quote(at ?? '')} (${countOf(count, 'row')}), but without --due all rows would be applied now`,
    { hint: 'Add --due to apply only rows that are due, or --ignore-dates to apply all rows.' },
  );
}
