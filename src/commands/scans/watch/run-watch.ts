/** Judges codes from the service or from files, prints the rows, and fails if it found something. */
import { PartialError } from '../../../base/errors.ts';
import { countOutcomes } from '../../../base/run/count-outcomes.ts';
import { countOf, formatCount, quote } from '../../../base/text/quote.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import type { CodeFailure } from '../../../scans/export/export-codes.ts';
import { OUTCOMES, type WatchOutcome } from '../../../scans/watch/judge.ts';
import { isFinding, isNews, isUnjudged, type WatchRow } from '../../../scans/watch/watch-rows.ts';
import { openOutput } from '../../output-options.ts';
import { formatRange } from '../../range-options.ts';
import { type Comparison, openLastRun, printNews } from '../../since-last.ts';
import { toldFailures } from '../tell-failures.ts';
import type { WatchFlags } from './flags.ts';
import { planWatch } from './plan-watch.ts';

const COLOURS = new Map<unknown, 'red' | 'yellow' | 'green' | 'dim'>([
  ['quiet', 'red'],
  ['drop', 'red'],
  ['jump', 'yellow'],
  ['new', 'dim'],
  ['ok', 'green'],
]);

export const COLUMNS: readonly Column[] = [
  { name: 'id', importance: 1, keepWhole: true },
  { name: 'slug', importance: 10, keepWhole: true },
  { name: 'name', importance: 7, leastWidth: 16 },
  { name: 'outcome', importance: 11, keepWhole: true, colour: (value) => COLOURS.get(value) },
  { name: 'scans', importance: 9, align: 'right' },
  { name: 'expected', importance: 8, align: 'right' },
  { name: 'low', importance: 4, align: 'right' },
  { name: 'high', importance: 3, align: 'right' },
  { name: 'last_scan', importance: 5, isTime: true },
  { name: 'note', importance: 6, leastWidth: 16 },
];

/** Judges and prints. Throws PartialError if a code is quiet, or its scans dropped or jumped, and as listed in errors.ts. */
export async function runWatch(context: Context, names: readonly string[], flags: WatchFlags): Promise<void> {
  const output = await openOutput(context, flags, COLUMNS);
  const plan = await planWatch(context, names, flags);
  const last = await openLastRun(context, flags.sinceLast, COMPARISON);
  try {
    const { rows, failures, range } = plan.logs
      ? await (await import('./watch-files.ts')).watchFiles(context, plan, plan.logs)
      : await (await import('./watch-service.ts')).watchService(context, plan);
    const outcomes = countOutcomes(rows);
    Object.assign(context.facts, { codes: rows.length, outcomes: Object.fromEntries(outcomes), range });
    await tellOutcomes(context, rows, outcomes, formatRange(range, plan.timezone));
    const told = await printNews(output, rows, last);
    const found = told.filter(({ outcome }) => isFinding(outcome));
    if (found.length > 0 || failures.length > 0) throw failure(found, failures, rows.length);
  } finally {
    await last?.close();
  }
}

const COMPARISON: Comparison<WatchRow, WatchOutcome> = {
  ...{ columns: COLUMNS, mark: 'last_scan', run: 'a watch', isNews },
  read: (text) => OUTCOMES.find((known) => known === text('outcome')),
};

async function tellOutcomes(
  context: Context,
  rows: readonly WatchRow[],
  outcomes: ReadonlyMap<string, number>,
  range: string,
): Promise<void> {
  if (rows.length === 0) return;
  const unjudged = rows.filter((row) => row.outcome === 'ok' && isUnjudged(row)).length;
  const parts = [...outcomes].map(([outcome, count]) => {
    const without = outcome === 'ok' && unjudged > 0 ? ` (${formatCount(unjudged)} not judged)` : '';
    return `${formatCount(count)} ${outcome}${without}`;
  });
  context.console.note(`${countOf(rows.length, 'code')} ${range}: ${parts.join(', ')}`);
}

function failure(found: readonly WatchRow[], failures: readonly CodeFailure[], of: number): PartialError {
  const lines: string[] = [];
  const [first] = found;
  if (first) {
    const example = found.length === 1 ? `: ${quote(first.slug ?? first.id ?? '')} (${first.outcome})` : '';
    lines.push(`the scans of ${countOf(found.length, 'code')} differ from the past${example}`);
  }
  if (failures.length > 0)
    lines.push(...toldFailures(failures, of + failures.length, 'could not be watched; the other codes were'));
  const hint = first
    ? 'Scan a printed code to test it, and check destinations with `qrctl qr check`.'
    : 'Run the command again, or omit these codes.';
  return new PartialError(lines.join('\n'), { hint, cause: failures[0]?.error });
}
