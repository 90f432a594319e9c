import { inChunks } from '#base/collections';
import { countOutcomes } from '#base/run/outcomes';
import { defuse } from '#base/text/defuse';
import { fillShortUrl } from '#base/text/short-url';
import { type RowEnd, tabulate } from '#codes/engine/results/tabulate';
import { fieldOf } from '#codes/input/header-words';
import { openSink, planOutput } from '#commands/output-options';
import { NAMED_COLUMNS, OUTCOME } from '#commands/qr/code-columns';
import type { Context } from '#context';
import type { Column } from '#files/formats/columns';
import type { CsvOptions } from '#files/formats/csv';
import {
  delimiterOfPath,
  formatOfPath,
  type OutputFlags,
  planOutput as planFile,
} from '#files/formats/plan-output';
import { type Input, type InputRow, OUR_COLUMNS, UTM_COLUMNS } from '#files/formats/read/input';
import type { Row, RowSink } from '#files/formats/row-sink';
import { idsOf, keepEarlier, noteOldJournal, RESULTS_PLACE, readEarlier } from './earlier-results.ts';

const ROWS_AT_ONCE = 1000;

const COUNT_COLUMNS: readonly Column[] = [OUTCOME, { name: 'rows', align: 'right' }];

/**
 * Opens the output for results. If a file has the results, a terminal by default shows only the number of
 * rows per outcome.
 */
export async function openResultsOutput(
  context: Context,
  input: Input,
  path: string | undefined,
  { isTagged, ...flags }: OutputFlags & { overwrite?: true; isTagged: boolean },
) {
  noteOldJournal(context, path);
  const before = path === undefined ? undefined : await readEarlier(path, flags.overwrite === true);
  const isInput = path === input.name;
  const { shortUrl } = await context.settings();
  const shortUrlOf = shortUrl === undefined ? undefined : fillShortUrl.bind(undefined, shortUrl);
  const table = tabulate(input, { isTagged, shortUrlOf, before });
  const columns = table.columns.map((name): Column => {
    const ours = NAMED_COLUMNS.find((column) => column.name === name);
    return ours ?? { name, isTime: /^(created|updated)_at$/i.test(name) || table.dateColumns.has(name) };
  });
  const plan = await planOutput(context, flags, columns, 'list');
  const isPlain =
    plan.format === 'table' && flags.format === undefined && plan.path === undefined && !plan.chosen;
  const brief = path !== undefined && isPlain;
  const printed = await openSink(context, brief ? { ...plan, columns: COUNT_COLUMNS } : plan);
  const file =
    path === undefined
      ? undefined
      : await openResults(context, path, columns, input, flags).catch(async (error) => {
          await printed.discard();
          throw error;
        });
  return {
    earlierIds: before && !isInput ? idsOf(before) : new Set<string>(),
    /** Writes the results. If rows exist but none `isNews`, prints nothing, so that cron sends no mail. */
    async commit(ends: readonly RowEnd[], isNews: (end: RowEnd) => boolean = () => true) {
      if (path !== undefined && before) await keepEarlier(context, { path, before, isInput }, ends);
      if (file) for (const some of inChunks(ends, ROWS_AT_ONCE)) await file.write(some.map(table.row));
      await file?.commit();
      const told = ends.filter(isNews);
      if (told.length === 0 && ends.length > 0 && plan.path === undefined) return printed.discard();
      if (brief) await printed.write([...countOutcomes(ends)].map(([outcome, rows]) => ({ outcome, rows })));
      else for (const some of inChunks(told, ROWS_AT_ONCE)) await printed.write(some.map(table.row));
      await printed.commit();
    },
    async discard() {
      await file?.discard();
      await printed.discard();
    },
  };
}

async function openResults(
  context: Context,
  path: string,
  columns: readonly Column[],
  input: Input,
  flags: OutputFlags,
): Promise<RowSink> {
  const { excel = false, rawCells = false } = flags;
  const format = formatOfPath(path) ?? 'csv';
  // By default, cells from CSV are written unchanged. Cells from other formats need escaping.
  const asRead = input.form?.is === 'csv' && !excel && !rawCells;
  const dialect = dialectOf(path, input, flags);
  const output = await openSink(context, {
    ...planFile(
      { output: path, format: format === 'xlsx' ? undefined : format },
      { columns, shape: 'list', settings: {}, isTerminal: false },
    ),
    rawCells: rawCells || asRead,
    excel,
    ...dialect,
    ...RESULTS_PLACE,
  });
  if (format !== 'csv' || !asRead) return output;
  const names = columns.map(({ name }) => ({ name, isOurs: isOurs(fieldOf(input, name)) }));
  let written = 0;
  return {
    ...output,
    write: (rows) =>
      output.write(rows.map((row) => cellsOf(row, input.rows[written++], names, dialect.delimiter))),
  };
}

function isOurs(column: string): boolean {
  return OUR_COLUMNS.has(column) || UTM_COLUMNS.includes(column);
}

function dialectOf(
  path: string,
  { form }: Input,
  flags: OutputFlags,
): Pick<CsvOptions, 'delimiter' | 'bom' | 'lineEnd'> {
  const delimiter = flags.delimiter ?? delimiterOfPath(path);
  if (form?.is !== 'csv') return { delimiter };
  const { is: _, ...dialect } = form;
  return { ...(!flags.excel && dialect), delimiter: delimiter ?? dialect.delimiter };
}

/** Escapes only qrctl's cells in CSV, because the user's cells may be keys in other tables. */
function cellsOf(
  row: Row,
  from: InputRow | undefined,
  columns: readonly { name: string; isOurs: boolean }[],
  delimiter: string | undefined,
): Row {
  let cells = row;
  for (const { name, isOurs } of columns) {
    const value = row[name];
    const cell = isOurs ? escaped(value, delimiter) : (from?.defused?.get(name) ?? value);
    if (cell !== value) cells = { ...cells, [name]: cell };
  }
  return cells;
}

function escaped(value: unknown, delimiter: string | undefined): unknown {
  return typeof value === 'string' ? defuse(value, delimiter) : value;
}
