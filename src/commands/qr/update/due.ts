/** Applies the due rows of a plan of dated changes, each once (`qr update --from PLAN --due`). */
import { UnexpectedAnswerError } from '../../../base/errors.ts';
import { countOf } from '../../../base/text/quote.ts';
import { formatInstant } from '../../../base/time/time.ts';
import { chooseTimeZone } from '../../../base/time/time-zone.ts';
import { applyDue, type DueCode } from '../../../codes/dated/apply-plan.ts';
import { contradictions, dueRowsOf, keysOf } from '../../../codes/dated/dated-plan.ts';
import { openPlanJournal, type PlanJournal, readPlanJournal } from '../../../codes/dated/plan-journal.ts';
import { readAt } from '../../../codes/dated/read-at.ts';
import { changeRows } from '../../../codes/engine/change-rows.ts';
import { describeMissing, findCodes, type Lookup } from '../../../codes/engine/find-codes.ts';
import { changeFailure } from '../../../codes/engine/results.ts';
import { type CommonChanges, checkDated, type DatedRow } from '../../../codes/input/check-rows.ts';
import type { RowResult } from '../../../codes/input/outcomes.ts';
import type { Context } from '../../../context.ts';
import { type Fault, placeOf, refuseFaults, type Source } from '../../../files/formats/read/input.ts';
import { type BulkRun, runBulk, withJournal } from '../bulk-files.ts';
import { type BulkFlags, journalOf, requireResults } from '../bulk-flags.ts';
import { requestsToLookUp } from '../bulk-progress.ts';
import { ERROR } from '../code-columns.ts';
import { DONE_BEFORE, type PlannedRow, printDryRun, tellFailing } from '../dry-run.ts';
import { recordsOfCode, SUPERSEDED, tellNotDue } from './due-records.ts';

export type DueFlags = BulkFlags & { timezone?: string | undefined };

/** Applies the rows that are due and not done. Throws UsageError for an invalid plan, and otherwise like `runBulk`. */
export async function updateDue(context: Context, from: string, common: CommonChanges, flags: DueFlags): Promise<void> {
  const zone = await defaultZone(context, flags);
  await runBulk<DatedRow>(context, from, flags, {
    command: 'qr update --due',
    async check(input, signal) {
      const checked = await checkDated(input, { ...common, signal }, (cell) => readAt(cell, zone));
      const contradicting = faultsOfContradictions(input, checked.rows.filter(isReadable), (row) => row.id ?? `slug ${row.slug}`);
      return { ...checked, faults: [...checked.faults, ...contradicting] };
    },
    preview: (run) => printPlan(context, run, requireResults(run.path, '--due'), flags),
    send({ rows, path, input }) {
      const results = requireResults(path, '--due');
      return withJournal(context, results, () => send(context, input, rows, results, flags));
    },
    isNews: ({ outcome, before }) => outcome !== 'later' && outcome !== 'not-attempted' && !before,
  });
}

/** The zone of times without one. Not the machine's: a plan is read on several. Throws UsageError for a zone that does not exist. */
async function defaultZone(context: Context, { timezone: flag }: DueFlags): Promise<string | undefined> {
  const { timezone: setting } = await context.settings();
  return flag === undefined && setting === undefined ? undefined : chooseTimeZone({ flag, setting });
}

/** A row whose time or code is invalid has its own fault. */
function isReadable({ atMs, id, slug }: DatedRow): boolean {
  return atMs > 0 && (id ?? slug) !== undefined;
}

/** O28: two wishes at one instant. */
function faultsOfContradictions(file: Source, rows: readonly DatedRow[], codeOf: (row: DatedRow) => string): Fault[] {
  return contradictions(rows, codeOf).map(({ row, other, field }) => ({
    line: row.line,
    column: field,
    message: `conflicts with ${placeOf(file, other.line)} (same code and time)`,
  }));
}

async function send(
  context: Context,
  file: Source,
  rows: readonly DatedRow[],
  path: string,
  { failFast, movedFrom }: BulkFlags,
): Promise<{ results: RowResult[]; failure: unknown }> {
  const { signal } = context;
  const service = await context.service();
  const journal = await openPlanJournal(journalOf(path), { ...service, movedFrom });
  try {
    const { due, idOf, nowMs } = await readPlan(context, file, rows, journal);
    const jobs = due.map((item) => ({ ...item, row: item.dueRows.pending[0]?.row ?? 0 }));
    const end = await changeRows({
      groups: jobs.map((job) => [job]),
      apply: (job) => applyDue(job, { journal, service }),
      ...{ concurrency: service.concurrency, failFast: failFast === true, signal, onEvent: () => undefined },
    });
    const byRow = new Map<number, RowResult>();
    for (const { row, dueRows } of jobs) {
      const result = end.results.get(row) ?? { outcome: 'not-attempted' as const };
      const effective = new Set(dueRows.effective.map((item) => item.row.row));
      for (const pending of dueRows.pending) byRow.set(pending.row, resultOf(pending.row, result, effective));
    }
    const results = rows.map((row) => byRow.get(row.row) ?? standingResult(row, idOf(row), journal, nowMs));
    return { results, failure: changeFailure(end, results, path) };
  } finally {
    await journal.close();
  }
}

function resultOf(row: number, result: RowResult, effective: ReadonlySet<number>): RowResult {
  if (effective.has(row) || result.outcome === 'failed' || result.outcome === 'not-attempted') return result;
  return { ...result, outcome: 'unchanged', error: SUPERSEDED };
}

/** A row that nothing was done about now. */
function standingResult(row: DatedRow, id: string, journal: PlanJournal, nowMs: number): RowResult {
  const done = row.atMs <= nowMs ? outcomeOf(journal, id, row) : undefined;
  if (done) return { id, slug: row.slug, outcome: done, before: true };
  const found = { id, slug: row.slug };
  if (row.atMs <= nowMs) return { ...found, outcome: 'not-attempted' };
  return { ...found, outcome: 'later', error: tellNotDue(row) };
}

/** Returns the outcome of a row in earlier runs; undefined if it is not done. */
function outcomeOf(journal: PlanJournal, id: string, row: DatedRow): ReturnType<PlanJournal['isDone']> {
  for (const key of keysOf(id, row)) {
    const outcome = journal.isDone(key);
    if (outcome) return outcome;
  }
  return undefined;
}

interface Plan {
  due: (DueCode<DatedRow> & { rows: readonly DatedRow[] })[];
  /** The id of the code that a row is about. */
  idOf: (row: DatedRow) => string;
  nowMs: number;
  /** The rows whose codes were read together, and the number of requests. */
  looks: { rows: readonly DatedRow[]; requests: number }[];
}

/**
 * Sends only the necessary requests: for slugs that no run has looked up yet, and for the codes of due rows; otherwise one for the
 * service's clock. Throws UsageError for slugs without a code (O28).
 */
async function readPlan(context: Context, file: Source, rows: readonly DatedRow[], journal: PlanJournal): Promise<Plan> {
  const service = await context.service();
  const looks: Plan['looks'] = [];
  const look = async (some: readonly DatedRow[]): Promise<Lookup> => {
    const before = service.stats().requests;
    const found = await findCodes(some, { service, concurrency: service.concurrency });
    looks.push({ rows: some, requests: service.stats().requests - before });
    return found;
  };
  const nameOf = ({ id, slug }: DatedRow) => id ?? slug ?? '';

  const unknown = rows.filter((row) => journal.known(nameOf(row)) === undefined);
  const found = unknown.length > 0 ? await look(unknown) : undefined;
  const missing = unknown.filter((row) => found?.(row) === undefined);
  refuseFaults(
    file,
    missing.map((row) => ({ line: row.line, message: describeMissing(row) })),
  );
  const names = new Map(unknown.map((row) => [nameOf(row), found?.(row)?.id ?? '']));
  await journal.record([...names].map(([name, id]) => ({ is: 'known', name, id })));
  const idOf = (row: DatedRow) => (journal.known(nameOf(row)) ?? names.get(nameOf(row)) ?? '').toLowerCase();
  refuseFaults(file, faultsOfContradictions(file, rows, idOf));

  if (service.nowMs() === undefined) await service.listCodes({ page: 1, limit: 1 });
  const nowMs = service.nowMs();
  if (nowMs === undefined) {
    throw new UnexpectedAnswerError('cannot determine which rows are due: the service sends no Date header', {
      hint: 'Check the service with `qrctl doctor`.',
    });
  }
  const byCode = new Map<string, DatedRow[]>();
  for (const row of rows) byCode.set(idOf(row), [...(byCode.get(idOf(row)) ?? []), row]);
  const codes = [...byCode].map(([id, own]) => {
    return { id, rows: own, dueRows: dueRowsOf(own, nowMs, (row) => outcomeOf(journal, id, row) !== undefined) };
  });
  const pending = codes.filter(({ dueRows }) => dueRows.pending.length > 0);
  // A code that was read a moment ago does not need to be read again.
  const unread = pending.flatMap(({ rows: own }) => (own.some((row) => found?.(row)) ? [] : own.slice(0, 1)));
  const read = unread.length > 0 ? await look(unread) : undefined;
  const due = pending.flatMap(({ id, rows: own, dueRows }) => {
    const code = own.map((row) => found?.(row) ?? read?.(row)).find((known) => known !== undefined);
    // If it was deleted since, its request fails.
    return [{ rows: own, dueRows, code: code ?? goneCode(id, own[0]?.slug) }];
  });
  return { due, idOf, nowMs, looks };
}

function goneCode(id: string, slug: string | undefined): DueCode<DatedRow>['code'] {
  return { id, slug: slug ?? id, name: '', type: '', destination: null, status: '', created_at: '', updated_at: '' };
}

/** Columns of `--due --dry-run`. */
export const PLAN_COLUMNS = [...['line', 'at', 'id', 'slug', 'action', 'field', 'old', 'new'].map((name) => ({ name })), ERROR];

/** `--dry-run`: each row, and the changes of the due ones. Reads only. */
async function printPlan(context: Context, run: BulkRun<DatedRow>, path: string, flags: BulkFlags): Promise<void> {
  const { rows, input } = run;
  const service = await context.service();
  const journal = await readPlanJournal(journalOf(path), { ...service, movedFrom: flags.movedFrom });
  const { due, idOf, nowMs, looks } = await readPlan(context, input, rows, journal);
  let reading = service.stats().requests;
  for (const look of looks) reading += (await requestsToLookUp(service, look.rows, look.requests)) - look.requests;
  const codes = due.map((one) => recordsOfCode(one, journal, input));
  const count = (wanted: PlannedRow['action']) =>
    codes.filter((planned) => [...planned.values()].flat().some(({ action }) => action === wanted)).length;
  const planned = new Map(codes.flatMap((one) => [...one]));
  const records = rows.flatMap((row) => {
    const about = { line: row.line, at: formatInstant(row.atMs), id: idOf(row), slug: row.slug ?? null };
    const isLater = row.atMs > nowMs;
    const otherwise: PlannedRow = isLater
      ? { action: 'later', error: tellNotDue(row) }
      : { action: 'unchanged', error: DONE_BEFORE };
    return (planned.get(row.row) ?? [otherwise]).map((line) => ({ ...about, ...line }));
  });
  const updates = count('update');
  const all = countOf(new Set(rows.map(idOf)).size, 'code');
  const what = `${updates} of ${all} would be updated now${tellFailing(count('failed'))}`;
  const requests = reading + updates;
  await printDryRun(context, { records, columns: PLAN_COLUMNS, none: 'no rows', checked: run, what, requests }, flags);
}
