/** Resolves `--by` to dimensions, and with `--join` to columns of a file about codes. */
import { UsageError } from '../../base/errors.ts';
import { redactKeys } from '../../base/text/key.ts';
import { nearest } from '../../base/text/nearest.ts';
import { inQuotes, quote, shown } from '../../base/text/quote.ts';
import type { Context } from '../../context.ts';
import { fold, type Input } from '../../files/formats/read/input.ts';
import { columnFor, createCodeTable } from '../../scans/stats/code-table.ts';
import { DIMENSIONS, type Dimension, type GroupBy, groupOf } from '../../scans/stats/dimensions.ts';
import type { CountRequest } from '../../scans/stats/readings.ts';
import { type FileChoice, partOf } from '../code-choice.ts';
import { anyOf } from '../define.ts';
import { nameOfGiven, readGiven } from '../read-given.ts';

type Groups = Pick<CountRequest, 'groups' | 'table' | 'destinationOf'>;

const DESTINATION = 'destination';

interface GroupFlags extends FileChoice {
  by?: readonly string[];
  input?: readonly string[];
  rawCells?: true;
}

/**
 * Throws UsageError for a name that is neither a dimension nor a column, for contradicting flags, and for a
 * file that can't be joined.
 */
export async function chooseGroups(
  context: Context,
  flags: GroupFlags,
  byDefault: readonly Dimension[],
): Promise<Groups> {
  refuseContradictions(flags);
  const file = flags.join === undefined ? undefined : await readJoin(context, flags.join, flags);
  const groups = flags.by?.map((raw) => resolve(raw, file)) ?? byDefault.map(groupOf);
  const once = [...new Map(groups.map((group) => [group.by, group])).values()];
  const tag = flags.input && once.find(({ kind }) => kind === 'utm');
  const destination = tag && destinationColumn(tag, file);
  const none = { groups: once, table: undefined, destinationOf: undefined };
  if (!file) return none;
  const shadowed = once.filter(({ kind, by }) => kind !== 'column' && columnFor(file, by) !== undefined);
  for (const { by } of shadowed)
    context.console.note(`Counting by the dimension ${by}, not by the column with this name in ${file.name}`);
  const columns = once.flatMap(({ kind, by }) => (kind === 'column' ? [by] : []));
  if (columns.length === 0 && destination === undefined) {
    if (shadowed.length === 0) throw unused(file);
    return none;
  }
  if (destination === undefined) return { ...none, table: createCodeTable(file, columns) };
  const table = createCodeTable(file, [...columns, destination]);
  return { groups: once, table, destinationOf: (code) => table.valueOf(code, destination) };
}

function refuseContradictions({ join, from }: GroupFlags): void {
  if (join === '-' && from === '-')
    throw new UsageError("--from - can't be used with --join -: both read standard input", {
      hint: 'Save one of them to a file.',
    });
}

async function readJoin(context: Context, path: string, flags: GroupFlags): Promise<Input> {
  const [{ MOST_BYTES, parseRows }, { parseWithFaults }] = await Promise.all([
    import('../bulk-input.ts'),
    import('../../codes/input/read-input.ts'),
  ]);
  const bytes = await readGiven(context, path, {
    flag: '--join',
    mostBytes: MOST_BYTES,
    whenLarger: 'Keep only the columns that identify codes and that you count by.',
  });
  const options = { ...partOf(path, flags), rawCells: flags.rawCells, signal: context.signal };
  return parseRows(bytes, nameOfGiven(path), options, parseWithFaults);
}

/** F21: the name of a dimension takes precedence over that of a column. */
function resolve(raw: string, file: Input | undefined): GroupBy {
  const dimension = DIMENSIONS.find((name) => name === raw.toLowerCase());
  if (dimension !== undefined) return groupOf(dimension);
  if (!file) throw unknownDimension(raw);
  const column = file.columns.find((name) => name === raw) ?? columnFor(file, fold(raw));
  if (column === undefined) throw unknownColumn(raw, file);
  return { kind: 'column', by: column };
}

function unknownDimension(raw: string): UsageError {
  const similar = nearest(raw, DIMENSIONS);
  return new UsageError(
    redactKeys(`invalid value for --by: '${shown(raw)}' (expected ${anyOf(DIMENSIONS)})`),
    {
      hint:
        similar === undefined
          ? 'To count by a column from a file of codes, add --join FILE.'
          : `Did you mean --by ${similar}?`,
    },
  );
}

const MOST_COLUMNS = 20;

function unknownColumn(raw: string, file: Input): UsageError {
  const similar = nearest(raw, [...DIMENSIONS, ...file.columns]);
  return new UsageError(
    redactKeys(`${file.name} has no column ${inQuotes(raw)} (columns: ${columnsOf(file)})`),
    {
      hint:
        similar === undefined
          ? 'Count by one of these columns, or by a dimension such as day.'
          : `Did you mean --by ${quote(similar)}?`,
    },
  );
}

function columnsOf({ columns }: Input): string {
  const more = columns.length > MOST_COLUMNS ? ` and ${columns.length - MOST_COLUMNS} more` : '';
  return columns.slice(0, MOST_COLUMNS).map(quote).join(', ') + more;
}

/** Returns the column with the destinations of codes, which scan files lack. */
function destinationColumn({ by }: GroupBy, file: Input | undefined): string {
  const column = file && columnFor(file, DESTINATION);
  if (column !== undefined) return column;
  const lacks = file ? `${file.name} has no column ${DESTINATION}` : 'scan files have no destinations';
  throw new UsageError(`cannot count --input by ${by}: ${lacks}`, {
    hint: 'Run `qrctl qr list -o codes.csv`, then add --join codes.csv.',
  });
}

function unused(file: Input): UsageError {
  return new UsageError(`--join has no effect: no --by value is a column of ${file.name}`, {
    hint: `Omit --join, or add --by with one of its columns: ${columnsOf(file)}.`,
  });
}
