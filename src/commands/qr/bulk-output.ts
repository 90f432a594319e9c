/** Where the results of a bulk run go: a file that appears whole at the end, and standard output. */
import { resolve } from 'node:path';
import { countOutcomes, RESULT_COLUMNS, type RowResult, tabulate } from '../../bulk/results.ts';
import type { Input } from '../../bulk/rows.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { formatOfPath, isCompressed } from '../../output/choose-format.ts';
import type { Column, Printable } from '../../output/columns.ts';
import { defuse } from '../../output/csv.ts';
import { createDocumentSink } from '../../output/document-sink.ts';
import { createFormatter } from '../../output/formats.ts';
import type { OutputFlags } from '../../output/plan.ts';
import { openWholeFile } from '../../output/whole-file.ts';
import type { RowSink } from '../../row-sink.ts';
import { CODE_FIELDS } from '../../service/shapes.ts';
import { openSink, planOutput } from '../output-options.ts';

export interface BulkOutput {
  /** Writes the results file and prints the results. */
  finish(results: readonly RowResult[]): Promise<void>;
  /** Leaves everything as it was. Idempotent, harmless after `finish`. */
  abort(): Promise<void>;
}

const COUNT_COLUMNS: readonly Column[] = [{ name: 'outcome' }, { name: 'rows', align: 'right' }];

/**
 * Opens the results file and the output, so that a place that cannot be written fails before anything is sent. A terminal
 * without other wishes gets the number of rows by outcome: the rows themselves are in the file.
 */
export async function openBulkOutput(context: Context, input: Input, path: string, flags: OutputFlags): Promise<BulkOutput> {
  const columns = tabulate(input, []).columns.map((name): Column => ({ name }));
  const plan = await planOutput(context, flags, columns, 'list');
  if (plan.path !== undefined && resolve(plan.path) === resolve(path)) {
    throw new UsageError('--output and --results name the same file', {
      hint: 'the results go there anyway: leave out --output',
    });
  }
  const brief = plan.format === 'table' && flags.format === undefined && plan.path === undefined && !plan.chosen;
  const printed = await openSink(context, brief ? { ...plan, columns: COUNT_COLUMNS } : plan);
  const file = await openResults(context, path, columns, flags).catch(async (error) => {
    await printed.discard();
    throw error;
  });
  return {
    async finish(results) {
      const { rows } = tabulate(input, results);
      await file.write(rows);
      await file.commit();
      await printed.write(brief ? countRows(results) : rows);
      await printed.commit();
    },
    async abort() {
      await file.discard();
      await printed.discard();
    },
  };
}

async function openResults(context: Context, path: string, columns: readonly Column[], flags: OutputFlags): Promise<RowSink> {
  const { excel = false, rawCells = false } = flags;
  const format = formatOfPath(path) ?? 'csv';
  const file = await openWholeFile(path, { processes: context.processes, gzip: isCompressed(path) });
  const style = { columns, shape: 'list' as const, keepExtra: true, header: true, rawCells: !excel, excel };
  const output = createDocumentSink(file, createFormatter(format, style));
  const defused = format === 'csv' && !rawCells && !excel;
  return defused ? { ...output, write: (rows) => output.write(rows.map(defuseOurs)) } : output;
}

const OURS: ReadonlySet<string> = new Set([...CODE_FIELDS, ...RESULT_COLUMNS]);

/** Formulas are defused as in all CSV, but the person's own columns come back untouched: they are keys to other tables. */
function defuseOurs(row: Printable): Printable {
  const cells = Object.entries(row).map(([name, value]) => {
    return [name, OURS.has(name.trim().toLowerCase()) && typeof value === 'string' ? defuse(value) : value] as const;
  });
  return Object.fromEntries(cells);
}

function countRows(results: readonly RowResult[]) {
  return [...countOutcomes(results)].map(([outcome, rows]) => ({ outcome, rows }));
}

/** `200 rows: 198 created, 2 failed; 203 requests; codes.results.csv` */
export async function tellSummary(context: Context, results: readonly RowResult[], path: string): Promise<void> {
  const service = await context.service();
  const counts = [...countOutcomes(results)].map(([outcome, rows]) => `${rows.toLocaleString('en')} ${outcome}`);
  const { requests } = service.stats();
  const what = counts.length ? counts.join(', ') : 'nothing to do';
  const rows = results.length === 1 ? '1 row' : `${results.length.toLocaleString('en')} rows`;
  context.console.note(`${rows}: ${what}; ${requests} request${requests === 1 ? '' : 's'}; results in ${path}`);
}
