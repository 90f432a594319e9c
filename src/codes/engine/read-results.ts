/** Reads the results of an earlier create run: the codes, and the values of their rows. */
import type { UtmTags } from '../../base/text/utm.ts';
import { fold, type Input } from '../../files/formats/read/input.ts';
import type { RowOutcome } from '../input/outcomes.ts';
import { outcomesIn, writersOf } from '../input/results-writer.ts';
import { checkCreate } from './check-create.ts';
import { seenOf } from './creation/entries.ts';
import type { ListedCode } from './creation/journal-records.ts';
import type { ListedRow } from './creation/listed-rows.ts';
import { RESULT_COLUMNS } from './results.ts';

/** The outcomes of rows that have a code by a create run. */
const CREATED: ReadonlySet<unknown> = new Set<RowOutcome>(['created', 'adopted', 'exists', 'undecided', 'edited']);

/** Returns the codes of rows by the results of an earlier create run; none if the file is something else. */
export function listedCodes(results: Input): ListedCode[] {
  const { columns, rows } = results;
  const columnOf = (name: string) => columns.find((column) => fold(column) === name) ?? '';
  const [idColumn, outcomeColumn] = [columnOf('id'), columnOf('outcome')];
  // A creation updates codes too (`--apply-edits`); alone the word is of `qr update`.
  const isCreation = writersOf(outcomesIn(results)?.keys() ?? [], undefined).join() === 'qr create';
  const hasCode = (outcome: unknown) => CREATED.has(outcome) || (isCreation && outcome === 'updated');
  return rows.flatMap(({ values }, index) => {
    const id = values.get(idColumn);
    return typeof id === 'string' && id !== '' && hasCode(values.get(outcomeColumn)) ? { row: index + 1, id } : [];
  });
}

/** Returns the values of the rows, read like the input of a create run, and their codes; nothing if such a run would refuse them. */
export async function listedRows(results: Input, common: UtmTags | undefined): Promise<ListedRow[]> {
  const ids = new Map(listedCodes(results).map(({ row, id }) => [row, id]));
  const ours: ReadonlySet<string> = new Set(RESULT_COLUMNS);
  const isTheirs = (column: string) => !ours.has(fold(column));
  const columns = results.columns.filter(isTheirs);
  const input: Input = {
    ...results,
    columns,
    rows: results.rows.map((row) => ({ ...row, values: new Map([...row.values].filter(([column]) => isTheirs(column))) })),
  };
  const cellOf = (place: number, name: string) => {
    const column = results.columns.find((one) => fold(one) === name) ?? '';
    const value = results.rows[place]?.values.get(column);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const { rows, faults } = await checkCreate(input, { utm: common, force: true });
  if (faults.length > 0) return []; // they have no values to compare
  return rows.map((row, place) => ({
    seen: seenOf(row),
    id: ids.get(place + 1),
    slug: cellOf(place, 'slug'),
    isEdited: cellOf(place, 'outcome') === 'edited',
  }));
}
