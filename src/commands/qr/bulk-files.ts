/** A bulk run, and its files: the input, the results that appear whole at the end, and the journal that one run has at a time. */
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { type Fault, formatFault, type Input } from '../../bulk/input.ts';
import { parseInput } from '../../bulk/read-input.ts';
import { countOutcomes, listedIds, RESULT_COLUMNS, type RowResult, tabulate } from '../../bulk/results.ts';
import type { Context } from '../../context.ts';
import { acquireLock } from '../../durable/lock.ts';
import { messageOf, UsageError } from '../../errors.ts';
import type { Column } from '../../output/columns.ts';
import { createFormatter } from '../../output/create-formatter.ts';
import { defuse } from '../../output/csv.ts';
import { createDocumentSink } from '../../output/document-sink.ts';
import type { OutputFlags } from '../../output/plan-output.ts';
import { formatOfPath, isCompressed } from '../../output/plan-output.ts';
import { openWholeFile } from '../../output/whole-file.ts';
import type { Row, RowSink } from '../../row-sink.ts';
import { CODE_FIELDS } from '../../service/shapes.ts';
import { openSink, planOutput } from '../output-options.ts';
import { type BulkFlags, journalOf, resultsPathOf } from './bulk-flags.ts';
import { tellSummary } from './bulk-progress.ts';

/** What differs between create, update and delete; `path` is that of the results. */
interface BulkVerb<R> {
  /** Throws UsageError with every fault of the rows. */
  check(input: Input): { rows: R[]; warnings: readonly Fault[] };
  /** `--dry-run` */
  preview(rows: readonly R[], path: string): Promise<void>;
  /** Sends the rows. `failure` is what to throw once the results are written; whatever is thrown at once leaves them unwritten. */
  send(rows: readonly R[], path: string): Promise<{ results: readonly RowResult[]; failure: unknown }>;
}

/** Checks everything, sends what is to be sent, and writes the results. Throws what errors.ts lists, after that where rows were sent. */
export async function runBulk<R>(context: Context, from: string, flags: BulkFlags, verb: BulkVerb<R>): Promise<void> {
  const input = await readInput(context, from);
  const { rows, warnings } = verb.check(input);
  const path = resultsPathOf(from, flags);
  await refuseJournals([path, flags.output]);
  tellWarnings(context, warnings);
  if (flags.dryRun) return verb.preview(rows, path);

  await context.service();
  const output = await openBulkOutput(context, input, path, flags);
  try {
    const { results, failure } = await verb.send(rows, path);
    await output.commit(results);
    await tellSummary(context, results, path);
    if (failure !== undefined) throw failure;
  } finally {
    await output.discard();
  }
}

/** More than any spreadsheet has, and little enough to be held in memory. */
const MOST_BYTES = 128 * 2 ** 20;

/** Reads `--from`. Throws UsageError when it cannot be read or is endless, or with every fault of form. */
async function readInput(context: Context, from: string): Promise<Input> {
  const name = from === '-' ? 'standard input' : from;
  const stream = from === '-' ? context.stdin : createReadStream(from);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      context.signal.throwIfAborted();
      bytes += chunk.length;
      // Before anything is made of it: /dev/zero has no end.
      if (bytes > MOST_BYTES) {
        throw new UsageError(`${name} has more than ${MOST_BYTES / 2 ** 20} MiB`, {
          hint: 'split it: every part has its own results',
        });
      }
      chunks.push(chunk);
    }
  } catch (error) {
    if (context.signal.aborted || error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${name}: ${messageOf(error)}`, {
      hint: '--from takes a file, or - for standard input',
      cause: error,
    });
  }
  context.signal.throwIfAborted();
  return parseInput(Buffer.concat(chunks), name, context.signal);
}

/** Throws UsageError where a file that would be replaced is the journal of a run: what was sent would be forgotten. */
async function refuseJournals(paths: readonly (string | undefined)[]): Promise<void> {
  for (const path of paths) {
    if (path === undefined || !(await isJournal(path))) continue;
    throw new UsageError(`${path} is the journal of a bulk run, and would be overwritten`, { hint: 'name another file' });
  }
}

async function isJournal(path: string): Promise<boolean> {
  const beginning = Buffer.from('{"is":"journal"');
  try {
    if (!(await stat(path)).isFile()) return false;
    const file = await open(path);
    const { buffer } = await file.read(Buffer.alloc(beginning.length), 0, beginning.length, 0).finally(() => file.close());
    return buffer.equals(beginning);
  } catch {
    return false; // what cannot be read is told when it is written
  }
}

const MOST_WARNINGS = 10;

/** One line a warning, up to a screenful. */
function tellWarnings({ console }: Context, warnings: readonly Fault[]): void {
  for (const warning of warnings.slice(0, MOST_WARNINGS)) console.warn(formatFault(warning));
  if (warnings.length > MOST_WARNINGS) console.warn(`and ${warnings.length - MOST_WARNINGS} more like these`);
}

/** Does `work` with the journal of these results, while no other run uses it. */
export async function withJournal<T>(context: Context, results: string, work: (path: string) => Promise<T>): Promise<T> {
  const { clock, signal, console } = context;
  const path = journalOf(results);
  const onWait = () => console.note(`another run is working on ${path}: waiting for it`);
  const lock = await acquireLock(path, { clock, signal, onWait });
  try {
    return await work(path);
  } finally {
    await lock.release();
  }
}

/** Ids that the results of an earlier run list; none where there is no file, or one of another kind. */
export async function readListedIds(path: string): Promise<string[]> {
  try {
    const bytes = await readFile(path);
    return listedIds(
      await parseInput(
        isCompressed(path) ? gunzipSync(bytes, { maxOutputLength: MOST_BYTES }) : bytes,
        path.replace(/\.gz$/, ''),
      ),
    );
  } catch {
    return [];
  }
}

const COUNT_COLUMNS: readonly Column[] = [{ name: 'outcome' }, { name: 'rows', align: 'right' }];

/**
 * Opens the results file and the output, so that a place that cannot be written fails before anything is sent. A terminal
 * without other wishes gets the number of rows by outcome: the rows themselves are in the file. `discard` leaves everything as it was.
 */
async function openBulkOutput(context: Context, input: Input, path: string, flags: OutputFlags) {
  const columns = tabulate(input, []).columns.map((name): Column => ({ name }));
  const plan = await planOutput(context, flags, columns, 'list');
  const brief = plan.format === 'table' && flags.format === undefined && plan.path === undefined && !plan.chosen;
  const printed = await openSink(context, brief ? { ...plan, columns: COUNT_COLUMNS } : plan);
  const file = await openResults(context, path, columns, flags).catch(async (error) => {
    await printed.discard();
    throw error;
  });
  return {
    async commit(results: readonly RowResult[]) {
      const { rows } = tabulate(input, results);
      await file.write(rows);
      await file.commit();
      await printed.write(brief ? countRows(results) : rows);
      await printed.commit();
    },
    async discard() {
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
function defuseOurs(row: Row): Row {
  const cells = Object.entries(row).map(([name, value]) => {
    return [name, OURS.has(name.trim().toLowerCase()) && typeof value === 'string' ? defuse(value) : value] as const;
  });
  return Object.fromEntries(cells);
}

function countRows(results: readonly RowResult[]) {
  return [...countOutcomes(results)].map(([outcome, rows]) => ({ outcome, rows }));
}
