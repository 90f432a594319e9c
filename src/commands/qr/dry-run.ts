/** Prints a dry run: the plan, the warnings about the rows, and the cost. */
import type { Planned } from '../../base/run/outcomes.ts';
import { countOf, formatCount } from '../../base/text/quote.ts';
import type { Context } from '../../context.ts';
import type { Column } from '../../files/formats/columns.ts';
import type { OutputFlags } from '../../files/formats/plan-output.ts';
import type { Fault, Source } from '../../files/formats/read/input.ts';
import type { Row } from '../../files/formats/row-sink.ts';
import type { CodeChanges, QrCode } from '../../service/shapes.ts';
import { planOutput, printRecords } from '../output-options.ts';
import { tellCost } from './bulk-progress.ts';
import { tellWarnings } from './tell-checked.ts';

/** Number of records on a terminal by default, so that the lines below them stay visible. */
const MOST_SHOWN = 10;

export interface PlannedRow extends Row {
  action: Planned;
  /** Reason why it fails, or why nothing is done for it; null if there is none. */
  error: string | null;
}

export interface DryRun {
  records: readonly PlannedRow[];
  columns: readonly Column[];
  /** Printed if there are no records. */
  none: string;
  /** Warnings about the rows of a file. */
  checked?: { input: Source; warnings: readonly Fault[] } | undefined;
  /** `12 of 300 rows would be updated`, and the requests that it takes. */
  what: string;
  requests: number;
}

/** Prints the plan, the warnings, and the summary line. On a terminal the table is truncated unless `--format` is set. */
export async function printDryRun(context: Context, run: DryRun, flags: OutputFlags): Promise<void> {
  const { records, columns, none, checked, what, requests } = run;
  const { format, path } = await planOutput(context, flags, columns, 'list');
  const isCut = format === 'table' && flags.format === undefined && path === undefined && context.console.isTerminal;
  const shown = isCut ? records.slice(0, MOST_SHOWN) : records;
  await printRecords(context, shown, columns, flags, { none });
  const left = records.length - shown.length;
  if (left > 0) context.console.note(`and ${countOf(left, 'more row')} (--format table shows all)`);
  if (checked) tellWarnings(context, checked.input, checked.warnings);
  tellCost(context, await context.service(), what, requests, checked?.warnings.length);
}

/** One record for each field that would change. */
export function changedFields(code: QrCode, changes: CodeChanges) {
  return (Object.keys(changes) as (keyof CodeChanges)[]).map((field) => ({
    ...{ action: 'update' as const, field },
    ...{ old: code[field] ?? null, new: changes[field], error: null },
  }));
}

/** Words the end of a count of rows or codes: `, 2 would fail`; empty for none. */
export function tellFailing(count: number): string {
  return count === 0 ? '' : `, ${formatCount(count)} would fail`;
}

/** Error of a row for which an earlier run did everything. */
export const DONE_BEFORE = 'done by an earlier run';
