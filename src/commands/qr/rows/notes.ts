import { ClosedPipeError, Failure } from '#base/errors';
import { formatClosing, formatOutcomes } from '#base/run/closing-line';
import { countOutcomes } from '#base/run/outcomes';
import { countAmong, countOf, inQuotes, quote } from '#base/text/quote';
import { formatDuration } from '#base/time/time';
import type { RowEnd, RunEnd, RunEvent } from '#codes/engine/executor/job';
import { isWork } from '#codes/engine/executor/row-states';
import type { Plan, Policy, Row } from '#codes/engine/plan/model';
import { explainRow, reasonOf } from '#codes/engine/results/explain';
import type { RowEnd as ResultRow } from '#codes/engine/results/tabulate';
import { isDone } from '#codes/input/outcomes';
import type { Context } from '#context';
import {
  type Checked,
  describeFaults,
  type Fault,
  type Input,
  problemOf,
  type Source,
} from '#files/formats/read/input';
import { waitMsFor } from '#service/rate-limit/rate-limit';
import type { Service } from '#service/service';

export function noteColumns({ console }: Context, { notes, unread }: Checked<unknown>): void {
  for (const note of notes) console.note(note);
  if (unread.length > 0)
    console.note(`Columns copied to the results but not used: ${unread.map(shownColumn).join(', ')}`);
}

function shownColumn(column: string): string {
  return /^[\p{L}\p{N} ._-]{1,60}$/u.test(column) ? column : inQuotes(column);
}

export function noteWarnings({ console }: Context, file: Source, warnings: readonly Fault[]): void {
  for (const line of describeFaults(file, warnings)) console.warn(line);
}

export function noteOffline(context: Context, input: Input, { warnings, doubts }: Checked<unknown>): void {
  noteWarnings(context, input, [...warnings, ...doubts]);
  const odd = [
    warnings.length > 0 && countOf(warnings.length, 'warning'),
    doubts.length > 0 && `${countOf(doubts.length, 'cell')} to check against the service`,
  ];
  const counts = [countOf(input.rows.length, 'row'), 'no faults', ...odd].filter(Boolean);
  context.console.note(formatClosing(`Checked ${counts.join(', ')}`, ['0 requests'], `File: ${input.name}`));
}

export async function requireServiceFor({ service }: Context, { name }: Source): Promise<void> {
  await service().catch((error: unknown) => {
    if (error instanceof Failure) {
      const offline = `add --offline to check the file without the service; ${name} has no faults`;
      error.hint = error.hint === undefined ? offline : `${error.hint}\n${offline}`;
    }
    throw error;
  });
}

export function resultOf(end: RowEnd, verb: Policy['verb']): ResultRow {
  const { item, outcome, code } = end;
  const isOpen = ['failed', 'not-attempted', 'conflict', 'edited'].includes(outcome);
  const isSkipped = item.row?.decision?.is === 'skip';
  return {
    row: item.row as Row,
    outcome,
    error: explainRow(end, verb),
    code: isNamed(end) ? code : undefined,
    changes: item.changes,
    isOpen: isOpen || isSkipped,
  };
}

/**
 * Returns whether results name the code: not if it is uncertain or missing, because commands act on its ID.
 */
function isNamed({ item, outcome }: RowEnd): boolean {
  return outcome !== 'undecided' && outcome !== 'gone' && !(outcome === 'edited' && item.how === 'guess');
}

export function noteEnds(context: Context, ends: readonly RowEnd[], input: Input): void {
  const { facts, console } = context;
  noteOutcomes(context, ends);
  const { length: kept } = ends.filter(
    ({ item: { row, changes } }) => !row?.decision && changes.some(({ what }) => what === 'keep'),
  );
  const place = 'see the column error of the results';
  if (kept > 0) console.note(`Kept newer values of the service for ${countOf(kept, 'row')}: ${place}`);
  facts.problems = ends.flatMap((end) => {
    const { outcome, item } = end;
    const isOpen = ['failed', 'undecided', 'conflict', 'gone', 'edited'].includes(outcome);
    return isOpen ? [problemOf(input, { line: item.row?.line, message: reasonOf(end) ?? outcome })] : [];
  });
}

export function noteOutcomes({ facts }: Context, ends: readonly RowEnd[]): void {
  facts.codes = new Set(ends.flatMap((end) => (isDone(end) && end.code ? [end.code.id] : []))).size;
  facts.outcomes = Object.fromEntries(countOutcomes(ends));
}

/** If the run was aborted, prints its progress and throws the reason. */
export function noteStop(
  { console, signal }: Context,
  { ends }: RunEnd,
  isResumable: boolean,
  thing = 'row',
): void {
  if (!signal.aborted) return;
  const done = ends.filter(isDone).length;
  const next = isResumable ? '. Run the command again to resume' : '';
  console.note(`Done: at least ${countAmong(done, ends.length, thing)}${next}`);
  throw signal.reason;
}

export async function noteSummary(
  context: Context,
  ends: readonly RowEnd[],
  { warnings, place, thing }: { warnings: number; place?: string; thing: string },
): Promise<void> {
  const { requests } = (await context.service()).stats();
  const counted = ends.map((end) =>
    end.outcome === 'deleted' && end.item.action === 'deleted' ? { outcome: 'already deleted' } : end,
  );
  const done =
    ends.length === 0
      ? 'The file has no rows'
      : formatOutcomes(countOutcomes(counted), { made: 'code', left: thing });
  const cost = [countOf(requests, 'request'), warnings > 0 && countOf(warnings, 'warning')];
  context.console.note(formatClosing(done, cost, place));
}

export function createProgress({ console }: Context, service: Service, verb: string) {
  let progress: ReturnType<typeof console.progress> | undefined;
  const counts = { rows: 0, done: 0, failed: 0 };

  function draw(more?: string): void {
    const { rows, done, failed } = counts;
    const left = rows - done - failed;
    const waitMs = waitMsFor(left, service.rateLimit());
    const parts = [`${done} ${verb}`, `${failed} failed`, `${left} left`, more];
    const detail = parts.filter(Boolean).join(', ');
    progress?.update({ done: done + failed, total: rows, waitMs, detail });
  }

  return {
    begin({ items }: Plan) {
      counts.rows = items.filter(isWork).length;
      if (counts.rows === 0) return;
      progress = console.progress('rows');
      draw();
    },
    take(event: RunEvent) {
      switch (event.is) {
        case 'done':
        case 'failed':
          counts[event.is] += 1;
          return draw();
        case 'waiting':
          console.note(
            `Waiting ${formatDuration(event.ms)}, then checking which codes were created: a response was lost, or a request repeated`,
          );
          return draw('waiting for slow writes');
        case 'restored':
          return console.note(
            `Restored the status of ${quote(event.code.slug)}, which an interrupted backup had paused`,
          );
        case 'still-paused':
          return console.warn(`${quote(event.code.slug)} is still paused after an interrupted backup`);
      }
    },
    stop: () => progress?.stop(),
  };
}

export function noteUnusedFlags({ console }: Context, fields: readonly string[], rows: number): void {
  const each = rows === 1 ? 'the only row' : `each of ${countOf(rows, 'row')}`;
  for (const field of fields)
    console.warn(`--${field} had no effect: the column ${quote(field)} has a value in ${each}`);
}

/** Waits for the output. A failure of the run takes precedence over a closed pipe. */
export async function finishOutput(printing: Promise<unknown>, failure: unknown): Promise<void> {
  await printing.catch((error) => {
    throw failure !== undefined && error instanceof ClosedPipeError ? failure : error;
  });
}
