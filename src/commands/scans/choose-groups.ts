import { onceBy } from '#base/collections';
import { UsageError } from '#base/errors';
import { redactKeys } from '#base/text/key';
import { nearest } from '#base/text/nearest';
import { inQuotes, listSome, quote, shown } from '#base/text/quote';
import { parsePeriod } from '#base/time/periods';
import { type FileChoice, partOf } from '#commands/code-choice';
import { anyOf } from '#commands/define';
import type { Context } from '#context';
import { fold, type Input } from '#files/formats/read/input';
import { HOURS_A_DAY, WEEKDAYS } from '#scans/stats/calendar';
import type { CodeOfScans } from '#scans/stats/code-of-scans';
import { type CodeTable, columnFor, createCodeTable } from '#scans/stats/code-table';
import { DIMENSIONS, type Dimension, type GroupBy, groupOf } from '#scans/stats/dimensions';
import { type Filter, sameValues } from '#scans/stats/filters';
import type { Pair } from '#scans/stats/tally';

export type Where = readonly [by: string, value: string];

interface GroupFlags extends FileChoice {
  by?: readonly string[];
  addBy?: readonly string[];
  where?: readonly Where[];
  splitBy?: string;
  input?: readonly string[];
  rawCells?: true;
}

/**
 * Resolves --by, --where and --split-by to dimensions and columns. Throws UsageError for unknown names, and
 * for an unused --join.
 */
export async function chooseGroups(
  context: Context,
  flags: GroupFlags,
  byDefault: readonly Dimension[],
  timezone: string,
) {
  const file = flags.join === undefined ? undefined : await readJoin(context, flags.join, flags);
  const named = [...(flags.by ?? []), ...(flags.addBy ?? [])].map((raw) => resolveAll(raw, file));
  const given = flags.by ? named : [...byDefault.map((by) => [groupOf(by)]), ...named];
  const pairs = given.filter((each): each is Pair => each.length === 2);
  const sections = eachOnce(given.filter(({ length }) => length === 1).flat());
  const groups = eachOnce([...sections, ...pairs.flat()]);
  const wanted = flags.where?.map(([by, value]) => ({ group: resolve(by, file, '--where'), value })) ?? [];
  const splitBy =
    flags.splitBy === undefined || !file ? undefined : columnIn(flags.splitBy, file, '--split-by');
  const used = eachOnce([...groups, ...wanted.map(({ group }) => group)]);
  const tag = flags.input && used.find(({ kind }) => kind === 'utm');
  const destination = tag && destinationColumn(tag, file);
  const chosen = eachOnce([...named.flat(), ...wanted.map(({ group }) => group)]);
  const shadowed = file
    ? chosen.filter(({ kind, by }) => kind !== 'column' && columnFor(file, by) !== undefined)
    : [];
  for (const { by } of shadowed)
    context.console.note(
      `Counting by the dimension ${by}, not by the column with this name in ${file?.name}. To count by the column, rename it, such as store_${by}`,
    );
  const ofColumns = used.flatMap(({ kind, by }) => (kind === 'column' ? [by] : []));
  const columns = new Set([...ofColumns, splitBy, destination].filter((name) => name !== undefined));
  if (file && columns.size === 0 && shadowed.length === 0) throw unused(file);
  const table = file && columns.size > 0 ? createCodeTable(file, [...columns]) : undefined;
  const destinationOf =
    table && destination !== undefined ? (code: CodeOfScans) => table.valueOf(code, destination) : undefined;
  const nowMs = context.clock.now();
  const filters = new Map<string, Filter>();
  for (const { group, value } of wanted) {
    const meant = valuesFor(group, value, table, { nowMs, timezone });
    filters.set(group.by, { group, values: [...(filters.get(group.by)?.values ?? []), ...meant] });
  }
  return { groups, pairs, sections, filters: [...filters.values()], table, destinationOf, splitBy };
}

function eachOnce(groups: readonly GroupBy[]): GroupBy[] {
  return onceBy(groups, ({ by }) => by);
}

function valuesFor(
  group: GroupBy,
  value: string,
  table: CodeTable | undefined,
  { nowMs, timezone }: { nowMs: number; timezone: string },
): string[] {
  const { kind, by } = group;
  const invalid = (expected: string) =>
    new UsageError(redactKeys(`invalid value for --where ${by}: '${shown(value)}' (expected ${expected})`));
  if (value === '' && kind !== 'time') return [''];
  if (kind === 'column') {
    const values = table?.valuesIn(by) ?? [];
    const same = sameValues(value, values);
    if (same.length > 0) return same;
    const message = `no row of ${table?.name} has ${inQuotes(value)} in column ${quote(by)}`;
    throw misread(message, { raw: value, known: values }, 'Use a value of this column.');
  }
  if (kind !== 'time') return [by === 'country' ? value.toUpperCase() : value];
  if (by === 'hour') {
    const hour = /^\d{1,2}$/.test(value) ? Number(value) : HOURS_A_DAY;
    if (hour >= HOURS_A_DAY) throw invalid('an hour from 0 to 23');
    return [String(hour).padStart(2, '0')];
  }
  if (by === 'weekday') {
    const same = sameValues(value, WEEKDAYS);
    if (same.length === 0) throw invalid(anyOf(WEEKDAYS));
    return same;
  }
  const { unit, name } = parsePeriod(value, { flag: `--where ${by}`, nowMs, timezone });
  if (unit !== by) throw invalid(`a ${by}, such as ${EXAMPLES[by]}`);
  return [name];
}

const EXAMPLES = { day: '2026-10-31', week: '2026-W44', month: '2026-10' };

async function readJoin(context: Context, path: string, flags: GroupFlags): Promise<Input> {
  if (path === '-' && flags.from === '-')
    throw new UsageError("--from - can't be used with --join -: both read standard input", {
      hint: 'Save one of them to a file.',
    });
  const { readInput } = await import('#commands/bulk-input');
  const whenLarger = 'Keep only the columns that identify codes and that you count by.';
  const reading = { ...partOf(path, flags), rawCells: flags.rawCells };
  return readInput(context, path, reading, { flag: '--join', whenLarger });
}

function resolveAll(raw: string, file: Input | undefined): readonly GroupBy[] {
  const parts = raw.split(',');
  const isPair = parts.length === 2 && !(file && columnFor(file, fold(raw)));
  const groups = isPair ? parts.map((part) => part.trim()) : [raw];
  const [a, b] = groups.map((name) => resolve(name, file));
  if (a && a.by === b?.by) throw new UsageError(`--by ${shown(raw)} requires two different dimensions`);
  return [a, b].filter((group) => group !== undefined);
}

/** F21: resolves a name to a dimension, or else to a column. */
function resolve(raw: string, file: Input | undefined, flag = '--by'): GroupBy {
  const dimension = DIMENSIONS.find((name) => name === raw.toLowerCase());
  if (dimension !== undefined) return groupOf(dimension);
  if (file) return { kind: 'column', by: columnIn(raw, file, flag) };
  const message = `invalid value for ${flag}: '${shown(raw)}' (expected ${anyOf(DIMENSIONS)})`;
  const otherwise = 'To use a column from a file of codes, add --join FILE.';
  throw misread(message, { raw, known: DIMENSIONS, flag: `${flag} ` }, otherwise);
}

function columnIn(raw: string, file: Input, flag: string): string {
  const column = file.columns.find((name) => name === raw) ?? columnFor(file, fold(raw));
  if (column !== undefined) return column;
  const message = `${file.name} has no column ${inQuotes(raw)} (columns: ${columnsOf(file) || 'none'})`;
  const known = [...DIMENSIONS, ...file.columns];
  const otherwise = 'Use one of these columns, or a dimension such as day.';
  throw misread(message, { raw, known, flag: `${flag} ` }, otherwise);
}

function misread(
  message: string,
  { raw, known, flag = '' }: { raw: string; known: readonly string[]; flag?: string },
  otherwise: string,
): UsageError {
  const similar = nearest(raw, known);
  const hint = similar === undefined ? otherwise : `Did you mean ${flag}${quote(similar)}?`;
  return new UsageError(redactKeys(message), { hint });
}

function columnsOf({ columns }: Input): string {
  return listSome(columns.map(quote), 20);
}

function destinationColumn({ by }: GroupBy, file: Input | undefined): string {
  const column = file && columnFor(file, 'destination');
  if (column !== undefined) return column;
  const lacks = file ? `${file.name} has no column destination` : 'scan files have no destinations';
  throw new UsageError(`cannot count --input by ${by}: ${lacks}`, {
    hint: 'Run `qrctl qr list -o codes.csv`, then add --join codes.csv.',
  });
}

function unused(file: Input): UsageError {
  return new UsageError(`--join has no effect: no --by or --where is a column of ${file.name}`, {
    hint: `Omit --join, or add --by with one of its columns: ${columnsOf(file)}.`,
  });
}
