/** Carries out a plan: changes codes, creates the missing ones, and writes the lock file. */
import { NotFoundError, UnexpectedAnswerError } from '../../base/errors.ts';
import { joinSome, quote } from '../../base/text/quote.ts';
import type { QrCode } from '../../service/shapes.ts';
import type { RowResult } from '../input/outcomes.ts';
import type { ApplyJob, Prepared } from './apply-job.ts';
import { changeRows } from './change-rows.ts';
import { createRows } from './creation/create-rows.ts';
import type { NewRow } from './creation/new-row.ts';
import type { RowEnd } from './creation/row-ends.ts';
import { removeJournal } from './finish-earlier.ts';
import { codeOf } from './identify.ts';
import { type EndedItem, entriesOf } from './lock-entries.ts';
import { journalOf, writeLock } from './lock-store.ts';
import { missingChanges, type PlanItem, sentChanges, wantedOf } from './plan.ts';
import { createResults } from './results.ts';

export interface CarriedOut {
  /** In the order of the plan. */
  readonly ended: readonly EndedItem[];
  /** Why items were left, if something stood against all of them. */
  readonly stop: unknown;
}

/** Y18: the lock file is written before the run ends, however it ends; and the journal of creations is removed only after that. */
export async function carryOut(job: ApplyJob, { plan, lock, before }: Prepared): Promise<CarriedOut> {
  const run = createRun(job, plan.items);
  const files = { disk: job.disk, processes: job.processes };
  const planned = { ...lock, entries: entriesOf(plan.items.map(asPlanned), lock) };
  await writeLock(job.lockPath, { ...files, next: planned, before });
  let stop = await run.change(plan.items.filter((item) => Object.keys(sentChanges(item)).length > 0));
  const missing = plan.items.filter(({ action }) => action === 'create');
  let isSettled = false;
  if (stop === undefined && missing.length > 0) ({ stop, isSettled } = await run.create(missing).catch(unsettled));
  if (stop === undefined) stop = await run.change(run.unfinished(missing));
  const ended = run.end();
  const next = { ...lock, entries: entriesOf(ended, lock) };
  await writeLock(job.lockPath, { ...files, next, before: planned });
  if (isSettled) await removeJournal(job);
  return { ended, stop };
}

function unsettled(stop: unknown) {
  return { stop, isSettled: false };
}

/** So often a row is planned again whose code changes while it is applied. */
const MOST_ATTEMPTS = 3;

function createRun(job: ApplyJob, items: readonly PlanItem[]) {
  const { service, concurrency, signal, onEvent } = job;
  const results = new Map<PlanItem, RowResult & Pick<Partial<EndedItem>, 'candidates'>>();
  /** Codes as the service showed them last, by id. */
  const latest = new Map<string, QrCode>();
  const codeOfItem = (item: PlanItem) => latest.get(results.get(item)?.id ?? item.code?.id ?? '') ?? item.code;
  const see = (code: QrCode) => {
    latest.set(code.id, code);
    return code;
  };

  /** Y19: the response is compared with the row. What is not as the row says is planned again, a bounded number of times. */
  async function apply(item: PlanItem): Promise<RowResult> {
    const code = codeOfItem(item) ?? (await service.getCode(results.get(item)?.id ?? ''));
    const kept = new Set(item.changes.filter(({ isKept }) => isKept).map(({ field }) => field));
    const missingOf = (present: QrCode) => {
      if (!item.row) return present.status === 'active' ? { status: 'paused' } : {};
      const missing = missingChanges(item.row, present, wantedOf(item.row, item.entry, present));
      for (const field of kept) delete missing[field];
      return missing;
    };
    let present = code;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const missing = missingOf(present);
      if (Object.keys(missing).length === 0) break;
      if (attempt > 0) onEvent({ is: 'replanned', item });
      present = see(await service.updateCode(code.id, missing));
    }
    if (Object.keys(missingOf(present)).length > 0)
      throw new UnexpectedAnswerError(
        `the service reported success, but did not apply the new ${Object.keys(missingOf(present)).join(' and ')}`,
      );
    const { id, slug } = present;
    return { id, slug, outcome: item.action === 'create' ? 'created' : 'updated' };
  }

  async function change(wanted: readonly PlanItem[]): Promise<unknown> {
    const rows = wanted.map((item, row) => ({ row, item }));
    const end = await changeRows({
      groups: rows.map((row) => [row]),
      ...{ concurrency, signal, failFast: false },
      apply: async ({ item }) => {
        try {
          return await apply(item);
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error;
          onEvent({ is: 'replanned', item });
          return { outcome: 'undecided', error: 'was deleted from the service during the run' };
        }
      },
      onEvent: ({ outcome }) => onEvent({ is: outcome === 'updated' || outcome === 'created' ? 'done' : 'failed' }),
    });
    for (const { row, item } of rows) {
      const result = end.results.get(row);
      if (result) results.set(item, { ...results.get(item), ...result });
      else if (!results.has(item)) results.set(item, { outcome: 'not-attempted' });
    }
    return end.stop;
  }

  /** Y20: creation is that of once/, whose journal knows the rows by their keys. */
  async function create(wanted: readonly PlanItem[]): Promise<{ stop: unknown; isSettled: boolean }> {
    const rows = wanted.flatMap(({ row, key }, at): NewRow[] =>
      row ? [{ row: at + 1, line: row.line, values: new Map([['key', key]]), code: codeOf(row), key }] : [],
    );
    // Codes that other keys have are no candidates.
    const taken = new Set(items.map(({ code }) => code?.id));
    const created = createResults();
    const ends: RowEnd[] = [];
    const end = await createRows(
      {
        ...job,
        ...{ rows, journalPath: journalOf(job.lockPath), kind: 'apply' },
        service: {
          ...service,
          createCode: async (code, beforeSend) => see(await service.createCode(code, beforeSend)),
        },
        async *listPages() {
          yield (await job.listCodes()).filter(({ id }) => !taken.has(id)).map(see);
        },
        ...{ readListedCodes: async () => [], readListed: async () => [], skipExisting: false, failFast: false },
        decisions: { adopt: [], notCreated: [] },
        onEvent(event) {
          if (!('row' in event)) onEvent(event);
          else if (event.is !== 'unknown') onEvent({ is: event.is === 'rejected' ? 'failed' : 'done' });
        },
      },
      (ended) => {
        created.take(ended);
        ends.push(ended);
      },
    );
    for (const [at, { candidates }] of ends.entries()) {
      const [item, result] = [wanted[at], created.results[at]];
      if (item && result) results.set(item, { ...result, candidates });
    }
    return { stop: end.stop, isSettled: ends.every(isSettled) };
  }

  return {
    change,
    create,
    /** A POST has no status: codes of this run that are to have another, and rows whose values the service changed. */
    unfinished: (made: readonly PlanItem[]) =>
      made.filter((item) => {
        const result = results.get(item);
        if (!item.row || result?.id === undefined || result.outcome === 'undecided') return false;
        const code = codeOfItem(item);
        return code
          ? Object.keys(missingChanges(item.row, code, item.row.changes)).length > 0
          : item.row.changes.status !== undefined;
      }),
    end: () =>
      items.map((item): EndedItem => {
        const { outcome, error, candidates = [] } = results.get(item) ?? asPlanned(item);
        return { item, outcome, error, candidates, code: codeOfItem(item) };
      }),
  };
}

/** Y21: the journal is dropped only if no row was sent whose outcome is not certain, also by the view of a later listing. */
function isSettled({ sentNow, state, candidates }: RowEnd): boolean {
  return !sentNow && state !== 'unknown' && candidates.length === 0;
}

function nameCodes(codes: readonly QrCode[]): string {
  return joinSome(
    codes.map(({ id, slug }) => `${quote(slug)} (${id})`),
    { most: 5 },
  );
}

/** How an item ends of which nothing is sent. */
function asPlanned(item: PlanItem): EndedItem {
  const { action, code, candidates } = item;
  const ended = { item, code, candidates, error: undefined };
  switch (action) {
    case 'adopt':
      return { ...ended, outcome: 'adopted' };
    case 'edited':
      return { ...ended, outcome: 'edited' };
    case 'gone':
      return { ...ended, outcome: 'undecided', error: 'was deleted from the service' };
    case 'undecided':
      return { ...ended, outcome: 'undecided', error: `may be ${nameCodes(candidates)}` };
    case 'create':
      return { ...ended, outcome: 'not-attempted' };
    default:
      return { ...ended, outcome: 'unchanged' };
  }
}
