/** Outputs of a bulk run: the results file, in the format of the input, and the printed rows. */
import { inChunks } from '../../base/collections/in-chunks.ts';
import type { RowProblem } from '../../base/errors.ts';
import { addFile } from '../../base/run/run-summary.ts';
import { defuse } from '../../base/text/defuse.ts';
import { fillShortUrl } from '../../base/text/short-url.ts';
import { countOutcomes } from '../../codes/engine/count-outcomes.ts';
import { type ShortUrlOf, tabulate } from '../../codes/engine/results.ts';
import type { RowResult } from '../../codes/input/outcomes.ts';
import type { Context } from '../../context.ts';
import type { Column } from '../../files/formats/columns.ts';
import { createFormatter } from '../../files/formats/create-formatter.ts';
import type { CsvOptions } from '../../files/formats/csv.ts';
import { createDocumentSink } from '../../files/formats/document-sink.ts';
import { formatOfPath, isCompressed, type OutputFlags } from '../../files/formats/plan-output.ts';
import { type Input, type InputRow, OUR_COLUMNS, problemOf } from '../../files/formats/read/input.ts';
import type { Row, RowSink } from '../../files/formats/row-sink.ts';
import { openWholeFile } from '../../files/formats/whole-file.ts';
import { openSink, planOutput } from '../output-options.ts';
import { OUTCOME } from './code-columns.ts';
import { RESULTS_PLACE } from './earlier-results.ts';
import { NAMED_COLUMNS } from './named-codes.ts';

const COUNT_COLUMNS: readonly Column[] = [OUTCOME, { name: 'rows', align: 'right' }];

/**
 * Opens the results file and the output, so that a place that cannot be written fails before anything is sent. A terminal
 * without other wishes gets the number of rows by outcome: the rows themselves are in the file, if there is one. `discard` leaves everything as it was.
 */
export async function openBulkOutput(context: Context, input: Input, path: string | undefined, flags: OutputFlags) {
  const { shortUrl } = await context.settings();
  const shortUrlOf: ShortUrlOf | undefined = shortUrl === undefined ? undefined : (code) => fillShortUrl(shortUrl, code);
  const table = tabulate(input, shortUrlOf);
  const columns = table.columns.map((name): Column => {
    const ours = NAMED_COLUMNS.find((column) => column.name === name);
    return ours ?? { name, isTime: /^(created|updated)_at$/i.test(name) || input.dateColumns?.has(name) };
  });
  const plan = await planOutput(context, flags, columns, 'list');
  const brief =
    path !== undefined && plan.format === 'table' && flags.format === undefined && plan.path === undefined && !plan.chosen;
  const printed = await openSink(context, brief ? { ...plan, columns: COUNT_COLUMNS } : plan);
  const file =
    path === undefined
      ? undefined
      : await openResults(context, path, columns, input, flags).catch(async (error) => {
          await printed.discard();
          throw error;
        });
  return {
    async commit(results: readonly RowResult[], isNews?: (result: RowResult) => boolean) {
      context.facts.problems = problemsOf(input, results);
      if (file) for (const places of chunksOf(input)) await file.write(places.map((place) => table.row(place, results[place])));
      await file?.commit();
      if (path !== undefined) addFile(context.facts, path);
      const isTold = (place: number) => !isNews || isNews(results[place] ?? { outcome: 'not-attempted' });
      if (isNews && plan.path === undefined && !input.rows.some((_, place) => isTold(place))) return printed.discard();
      if (brief) await printed.write(countRows(results));
      for (const places of brief ? [] : chunksOf(input))
        await printed.write(places.filter(isTold).map((place) => table.row(place, results[place])));
      await printed.commit();
    },
    async discard() {
      await file?.discard();
      await printed.discard();
    },
  };
}

/** Takes all rows, in order. */
async function openResults(
  context: Context,
  path: string,
  columns: readonly Column[],
  input: Input,
  flags: OutputFlags,
): Promise<RowSink> {
  const { excel = false, rawCells = false } = flags;
  const format = formatOfPath(path) ?? 'csv';
  if (format === 'xlsx')
    return openSink(context, { ...(await planOutput(context, { output: path }, columns, 'list')), ...RESULTS_PLACE });
  const file = await openWholeFile(path, { processes: context.processes, gzip: isCompressed(path), ...RESULTS_PLACE });
  // Cells of a CSV are written back unchanged; those of other formats have not been cells of a CSV yet.
  const asRead = input.form?.is === 'csv' && !excel && !rawCells;
  const style = { columns, shape: 'list' as const, keepExtra: true, header: true, rawCells: rawCells || asRead, excel };
  const dialect = dialectOf(path, input, flags);
  const output = createDocumentSink(file, createFormatter(format, { ...style, ...dialect }));
  if (format !== 'csv' || !asRead) return output;
  const names = columns.map(({ name }) => ({ name, isOurs: OUR_COLUMNS.has(name.trim().toLowerCase()) }));
  let written = 0;
  return {
    ...output,
    write: (rows) => output.write(rows.map((row) => cellsOf(row, input.rows[written++], names, dialect.delimiter))),
  };
}

/** The dialect of the input, unless flags change it. */
function dialectOf(path: string, { form }: Input, flags: OutputFlags): Pick<CsvOptions, 'delimiter' | 'bom' | 'lineEnd'> {
  const delimiter = flags.delimiter ?? (/\.tsv(\.gz)?$/i.test(path) ? '\t' : undefined);
  if (form?.is !== 'csv') return { delimiter };
  const { is: _, ...dialect } = form;
  return { ...(!flags.excel && dialect), delimiter: delimiter ?? dialect.delimiter };
}

/** Our cells are escaped as in all CSV, but those of the user's own columns come back as they were: they are keys to other tables. */
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

/** The rows that failed, or need a decision, at their lines. */
function problemsOf(input: Input, results: readonly RowResult[]): RowProblem[] {
  return input.rows.flatMap(({ line }, place) => {
    const { outcome, error } = results[place] ?? {};
    if (outcome !== 'failed' && outcome !== 'undecided') return [];
    return [problemOf(input, { line, message: error ?? outcome })];
  });
}

function countRows(results: readonly RowResult[]) {
  return [...countOutcomes(results)].map(([outcome, rows]) => ({ outcome, rows }));
}

/** So many rows are put together at once: more would be as large as the file. */
const ROWS_AT_ONCE = 1000;

/** Yields the positions of the rows in chunks; one empty chunk if there are none, so that a table has its header. */
function* chunksOf({ rows }: Input): Generator<readonly number[]> {
  if (rows.length === 0) yield [];
  yield* inChunks([...rows.keys()], ROWS_AT_ONCE);
}
