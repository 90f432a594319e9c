/** Shows the cost, the progress and the outcome of a bulk run. */
import { ClosedPipeError } from '../../base/errors.ts';
import { countOf, formatCount } from '../../base/text/quote.ts';
import { formatDuration } from '../../base/time/time.ts';
import { type ChangeEnd, changeRows } from '../../codes/engine/change-rows.ts';
import { countOutcomes } from '../../codes/engine/count-outcomes.ts';
import type { Waiting } from '../../codes/engine/creation/ask-listing.ts';
import { faultsOfTwoNames, findCodes, groupByCode, type Lookup } from '../../codes/engine/find-codes.ts';
import { changeResults } from '../../codes/engine/results.ts';
import type { TargetRow } from '../../codes/input/check-rows.ts';
import { isDone, type RowResult } from '../../codes/input/outcomes.ts';
import { requestsToFindAgain } from '../../codes/listing/find-code.ts';
import type { Context } from '../../context.ts';
import { type Fault, refuseFaults, type Source } from '../../files/formats/read/input.ts';
import { costOf } from '../../service/rate-limit/rate-limit.ts';
import type { Service } from '../../service/service.ts';

/** Prints the last line of a dry run: `12 rows would be … (12 requests, 1 window of 60 requests per minute; 2 warnings). No changes were made`. */
export function tellCost({ console }: Context, service: Service, what: string, requests: number, warnings = 0): void {
  const limit = service.rateLimit();
  const { windows, waitMs } = costOf(requests, limit);
  const spread =
    windows === undefined || requests === 0 ? '' : `, ${countOf(windows, 'window')} of ${limit.limit} requests per minute`;
  const wait = waitMs > 0 ? `, about ${formatDuration(waitMs)}` : '';
  console.note(`${what} (${countOf(requests, 'request')}${spread}${wait}${countWarnings(warnings)}). No changes were made`);
}

function countWarnings(warnings: number): string {
  return warnings > 0 ? `; ${countOf(warnings, 'warning')}` : '';
}

export interface RowProgress {
  /** One row more is done, or failed. */
  count(done: boolean): void;
  /** Shows that slow writes are waited for. */
  waiting(): void;
  stop(): void;
}

/** `rows` of all `all` rows are to be done, the others were done before this run; `verb` names the success: `created`. */
export function showRowProgress(
  { console }: Context,
  service: Service,
  { rows, all = rows, verb }: { rows: number; all?: number; verb: string },
): RowProgress {
  const progress = console.progress('rows');
  const before = all - rows;
  let done = 0;
  let failed = 0;
  const draw = (more?: string) => {
    const left = rows - done - failed;
    const { waitMs } = costOf(left, service.rateLimit());
    const parts = [before > 0 && `${before} before`, `${done} ${verb}`, `${failed} failed`, `${left} left`, more];
    progress.update({ done: before + done + failed, before, total: all, waitMs, detail: parts.filter(Boolean).join(', ') });
  };
  draw();
  return {
    count(isDone) {
      if (isDone) done += 1;
      else failed += 1;
      draw();
    },
    waiting: () => draw('waiting for slow writes'),
    stop: progress.stop,
  };
}

/** Notes that the run waits for slow writes: for lost responses, or for duplicate codes. */
export function tellWaiting(
  { console }: Context,
  { ms, of }: Pick<Waiting, 'ms' | 'of'>,
  progress: RowProgress | undefined,
): void {
  const wait = `Waiting ${formatDuration(ms)}, then checking`;
  console.note(of === 'lost' ? `Some responses were lost. ${wait} which codes were created` : `${wait} for duplicate codes`);
  progress?.waiting();
}

/** Source of rows that are codes on the command line. */
const ARGUMENTS: Source = { name: 'the arguments' };

/**
 * Returns the codes of rows; `file` is their source. Throws UsageError with every row whose ID and slug belong to two codes, and the faults
 * that `find` reports.
 */
export async function lookUp(
  context: Context,
  rows: readonly TargetRow[],
  file: Source = ARGUMENTS,
  find: (lookup: Lookup) => readonly Fault[] = () => [],
): Promise<Lookup> {
  const service = await context.service();
  const lookup = await findCodes(rows, { service, concurrency: service.concurrency });
  const twoNames = faultsOfTwoNames(rows, lookup);
  const start = twoNames.length > 0 ? 'Sort whole rows, not single columns.' : undefined;
  refuseFaults(file, [...twoNames, ...find(lookup)], { start });
  return lookup;
}

/** Returns the cost of `lookUp` in the next run, after it took `spent` requests in this one: slugs that were seen are cached. */
export function requestsToLookUp(
  service: Service,
  rows: readonly TargetRow[],
  spent = service.stats().requests,
): Promise<number> {
  const ids = new Set(rows.flatMap(({ id }) => id ?? []));
  const slugs = [...new Set(rows.flatMap(({ id, slug }) => (id === undefined ? (slug ?? []) : [])))];
  return requestsToFindAgain(service, slugs, { others: ids.size, spent });
}

/** Adds the outcomes of the rows to `--summary`; a code counts once, and only if all its rows are done. */
export function noteResults({ facts }: Context, results: readonly RowResult[]): void {
  const codes = new Set<string | undefined>();
  for (const result of results) if (isDone(result)) codes.add(result.id);
  facts.codes = codes.size;
  facts.outcomes = Object.fromEntries(countOutcomes(results));
}

/** If a signal stopped the run, prints how far it came, and throws the signal's reason. */
export function throwIfStopped(context: Context, results: readonly RowResult[], kind: keyof typeof DONE_OF): void {
  if (!context.signal.aborted) return;
  tellHowFar(context, results, kind);
  throw context.signal.reason;
}

/** Returns the error if results could not be printed: failed rows (`failure`) take precedence over a closed pipe. */
export function outranked(error: unknown, failure: unknown): unknown {
  return failure !== undefined && error instanceof ClosedPipeError ? failure : error;
}

/** Depends on the source of the rows: a file, standard input (which cannot be resumed), or the command line. */
const DONE_OF = {
  file: { thing: 'row', next: '. Run the command again to resume' },
  stream: { thing: 'row', next: '' },
  named: { thing: 'code', next: '' },
} as const;

/** "At least", because a request in flight may succeed as well. */
export function tellHowFar({ console }: Context, results: readonly RowResult[], kind: keyof typeof DONE_OF): void {
  const { thing, next } = DONE_OF[kind];
  console.note(`Done: at least ${formatCount(results.filter(isDone).length)} of ${countOf(results.length, thing)}${next}`);
}

/** Changes the code of each row, with progress. Throws like `throwIfStopped` for codes of the command line. */
export async function changeCodes<R extends TargetRow>(
  context: Context,
  rows: readonly R[],
  { verb, failFast = false, named }: { verb: string; failFast: boolean | undefined; named?: boolean },
  prepare: (service: Service) => Promise<{ lookup: Lookup; apply: (row: R) => Promise<RowResult> }>,
): Promise<{ end: ChangeEnd; results: RowResult[] }> {
  const { signal } = context;
  const service = await context.service();
  const progress = showRowProgress(context, service, { rows: rows.length, verb });
  try {
    const { lookup, apply } = await prepare(service);
    const onEvent = (result: RowResult) => progress.count(isDone(result));
    const job = { apply, concurrency: service.concurrency, failFast, signal, onEvent };
    const end = await changeRows({ groups: groupByCode(rows, lookup), ...job });
    const results = changeResults(rows, end);
    noteResults(context, results);
    if (named) throwIfStopped(context, results, 'named');
    return { end, results };
  } finally {
    progress.stop();
  }
}

/** Prints `200 rows: 150 created before, now 48 created, 2 failed (50 requests). Results: codes.results.csv`. */
export async function tellSummary(
  context: Context,
  results: readonly RowResult[],
  { path, warnings }: { path: string | undefined; warnings: readonly Fault[] },
): Promise<void> {
  const service = await context.service();
  const count = (some: readonly RowResult[], more = '') =>
    [...countOutcomes(some)].map(([outcome, rows]) => `${formatCount(rows)} ${outcome}${more}`);
  const before = count(
    results.filter((result) => result.before),
    ' before',
  );
  const now = count(results.filter((result) => !result.before));
  if (before.length > 0 && now.length > 0) now[0] = `now ${now[0]}`;
  const { requests } = service.stats();
  const what = [...before, ...now].join(', ') || 'nothing to do';
  const place = path === undefined ? '' : `. Results: ${path}`;
  context.console.note(
    `${countOf(results.length, 'row')}: ${what} (${countOf(requests, 'request')}${countWarnings(warnings.length)})${place}`,
  );
}
