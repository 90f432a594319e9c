/** Reads and writes the file of `--since-last`: all rows of the last check, in the columns of the output. */
import { gunzipSync } from 'node:zlib';
import { fold, type Input } from '../../../bulk/input.ts';
import { parseInput } from '../../../bulk/read-input.ts';
import { type ComparedRow, isNews } from '../../../check/since-last.ts';
import { OUTCOMES } from '../../../check/verdict.ts';
import type { Context } from '../../../context.ts';
import { nodeDisk } from '../../../durable/disk.ts';
import { readBack } from '../../../durable/held-directory.ts';
import { acquireLock } from '../../../durable/lock.ts';
import { describeSystemError, systemCode } from '../../../durable/path-errors.ts';
import { UsageError } from '../../../errors.ts';
import type { Column } from '../../../rows/columns.ts';
import { createFormatter } from '../../../rows/create-formatter.ts';
import { createDocumentSink } from '../../../rows/document-sink.ts';
import { formatOfPath, isCompressed } from '../../../rows/plan-output.ts';
import { openWholeFile } from '../../../rows/whole-file.ts';
import { addFile } from '../../../run/run-summary.ts';
import { writeAll } from '../../output-options.ts';
import type { CheckRow } from './columns.ts';

interface Judges {
  fails: (row: Pick<CheckRow, 'outcome' | 'error'>) => boolean;
  ends: (row: Pick<CheckRow, 'tls_days'>) => boolean;
}

export interface LastRun {
  isNews(row: CheckRow): boolean;
  /** Replaces the findings of the last run by those of this one. */
  commit(rows: readonly CheckRow[]): Promise<void>;
  close(): Promise<void>;
}

const MOST_BYTES = 128 * 2 ** 20;

/**
 * Opens the file at `path`, which does not need to exist, exclusively until `close`. Throws UsageError if it is another kind of file, is
 * also the `output`, or is in use.
 */
export async function openLastRun(
  context: Context,
  path: string,
  output: string | undefined,
  columns: readonly Column[],
  judges: Judges,
): Promise<LastRun> {
  const { clock, signal, processes } = context;
  const format = formatOfPath(path) ?? 'csv';
  if (format === 'xlsx')
    throw new UsageError("--since-last can't use a workbook", { hint: 'Specify a .csv, .json or .ndjson file.' });
  if (path === output)
    throw new UsageError("--since-last and --output can't be the same file", { hint: 'Specify a different file with --output.' });
  const lock = await acquireLock(path, { clock, signal });
  try {
    const before = readRows(await readLast(path), judges);
    const compared = (row: CheckRow): ComparedRow => ({ ...row, failing: judges.fails(row), ending: judges.ends(row) });
    return {
      isNews: (row) => isNews(compared(row), before.get(row.id)),
      async commit(rows) {
        const file = await openWholeFile(path, {
          processes,
          gzip: isCompressed(path),
          elsewhere: 'specify a different file with --since-last',
        });
        const style = { columns, shape: 'list' as const, keepExtra: false, header: true, rawCells: false, excel: false };
        await writeAll(createDocumentSink(file, createFormatter(format, style)), [rows]);
        addFile(context.facts, path);
      },
      close: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Undefined if there is no file yet. */
async function readLast(path: string): Promise<Input | undefined> {
  try {
    const bytes = await readBack(nodeDisk, path, MOST_BYTES);
    const plain = isCompressed(path) ? gunzipSync(bytes, { maxOutputLength: MOST_BYTES }) : bytes;
    return await parseInput(plain, path.replace(/\.gz$/, ''));
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw notOurs(path, describeSystemError(cause), cause);
  }
}

function readRows(input: Input | undefined, { fails, ends }: Judges): Map<string, ComparedRow> {
  const rows = new Map<string, ComparedRow>();
  if (!input) return rows;
  const columnOf = (name: string) => input.columns.find((column) => fold(column) === name) ?? '';
  const [id, destination, outcome, days, error] = ['id', 'destination', 'outcome', 'tls_days', 'error'].map(columnOf) as [
    string,
    string,
    string,
    string,
    string,
  ];
  for (const { values, line } of input.rows) {
    const text = (column: string) => {
      const value = values.get(column);
      return value === undefined || value === null || value === '' ? null : String(value);
    };
    const found = OUTCOMES.find((known) => known === text(outcome));
    const key = text(id);
    if (!found || key === null) throw notOurs(input.name, `line ${line} is not a row of a check`);
    const tlsDays = text(days) === null ? null : Number(text(days));
    rows.set(key, {
      id: key,
      destination: text(destination),
      failing: fails({ outcome: found, error: text(error) }),
      ending: ends({ tls_days: tlsDays }),
    });
  }
  return rows;
}

function notOurs(path: string, why: string, cause?: unknown): UsageError {
  return new UsageError(`${path} was not written by --since-last: ${why}`, {
    hint: 'Specify a different file with --since-last. This file is unchanged.',
    cause,
  });
}
