/** Carries out a plan, one request after the other, as the design says. */
import type { LockEntry } from '#codes/engine/lock/lock-file';
import type { LedgerView, Plan, PlanInput, PlanItem, Policy, Row } from '#codes/engine/plan/model';
import type { QrCode } from '#service/shapes';
import type { Memory } from './memory.ts';
import { createRequests, Killed, type Requests } from './requests.ts';
import type { ModelService } from './service.ts';
import { type RowReport, readRow, type Sheet, type SheetRow } from './sheet.ts';

/** Seconds that a run waits for late codes. */
const SETTLE = 10;

const MOST_ROUNDS = 3;

const MOST_SUSPECTS = 3;

export interface Job {
  readonly sheet: Sheet;
  readonly policy: Policy;
  readonly memory: Memory;
  readonly lock: Map<string, LockEntry> | undefined;
  /** Number of records and requests after which the process dies; Infinity: never. */
  readonly killAfter: number;
  /** The run reads the codes that its rows name, and no listing. */
  readonly isNarrow: boolean;
}

/** State of a plan that is being carried out, for those who judge it. */
export interface Moment {
  readonly job: Job;
  readonly plan: Plan;
  readonly listing: ReadonlyMap<string, QrCode>;
  /** Ledger as the plan saw it. */
  readonly view: LedgerView;
  readonly rowOf: ReadonlyMap<Row, SheetRow>;
}

/** Is told of everything before it happens. */
export interface Judge {
  plan(moment: Moment): void;
  post(item: PlanItem, row: SheetRow, moment: Moment): void;
  /** The service may have applied the POST. */
  sent(item: PlanItem, row: SheetRow, moment: Moment): void;
  patch(item: PlanItem, row: SheetRow | undefined, moment: Moment): void;
  delete(item: PlanItem, row: SheetRow | undefined, moment: Moment): void;
}

export interface End {
  readonly reports: readonly RowReport[];
  /** The last plan. */
  readonly plan: Plan | undefined;
  readonly end: 'through' | 'killed' | 'refused';
}

export interface Report extends End {
  /** IDs of the codes that the last plan saw. */
  readonly listed: ReadonlySet<string>;
  /** Number of POSTs, PATCHes and DELETEs that were sent. */
  readonly sent: number;
  /** A request failed, or its response was lost. */
  readonly isTroubled: boolean;
}

export interface Surroundings {
  readonly service: ModelService;
  readonly judge: Judge;
  readonly planOf: (input: PlanInput) => Plan;
  /** Unique name of the run. */
  readonly run: string;
}

/** Runs a job until its end, or until it is killed. */
export function runJob(job: Job, surroundings: Surroundings): Report {
  const { service } = surroundings;
  const requests = createRequests(job, surroundings);
  const { done, count } = requests;
  let last: Moment | undefined;
  const look = (isSettled: boolean): Moment => {
    last = planAgain(job, surroundings, requests, isSettled);
    return last;
  };
  const isUnclear = () =>
    last?.plan.items.some(({ row, action, isWaiting }) => {
      const sheetRow = row && last?.rowOf.get(row);
      return sheetRow && !done.has(sheetRow) && (isWaiting || action === 'create');
    });
  const play = (): Report['end'] => {
    const { run } = surroundings;
    const first = look(false);
    if (first.plan.faults.length > 0 || first.plan.brakes.length > 0) return 'refused';
    const isCreating = first.plan.items.some(({ action }) => action === 'create');
    requests.append(isCreating ? { is: 'run', run, ids: [...first.listing.keys()] } : { is: 'run', run });
    requests.carryOut(first);
    for (let round = 0; round < MOST_ROUNDS && isUnclear(); round++) {
      service.now += SETTLE;
      requests.carryOut(look(true));
    }
    if (count.hasRepeated) {
      service.now += SETTLE;
      noteDuplicates(look(true), requests);
    }
    requests.append({ is: 'end', run });
    return 'through';
  };
  const end = orKilled(play);
  const { sent, isTroubled } = count;
  const reports = last ? reportsOf(last, requests) : [];
  return { reports, plan: last?.plan, listed: new Set(last?.listing.keys()), end, sent, isTroubled };
}

/** Rows that are planned again name the codes that this run created for them. */
function planAgain(
  job: Job,
  { service, judge, planOf, run }: Surroundings,
  { done }: Requests,
  isSettled: boolean,
): Moment {
  const { sheet, policy, memory, lock, isNarrow } = job;
  const rowOf = new Map<Row, SheetRow>();
  const rows = sheet.rows.map((sheetRow, index): Row => {
    const { outcome, code } = done.get(sheetRow) ?? {};
    const row = readRow(sheetRow, index);
    const isMade = outcome === 'created' && code;
    const named: Row = isMade
      ? { ...row, inRun: 'named', id: code.id, slug: code.slug, base: undefined, decision: undefined }
      : row;
    rowOf.set(named, sheetRow);
    return named;
  });
  const view = memory.view();
  const codes = isNarrow ? readNamed(service, rows) : readListing(job, service, rows);
  const plan = planOf({
    run,
    rows,
    listing: { codes, isWhole: !isNarrow },
    ledger: view,
    lock,
    policy,
    isSettled,
  });
  const moment = { job, plan, listing: codes, view, rowOf };
  judge.plan(moment);
  return moment;
}

/** After a repetition the codes are read once more: a row may have two by now. */
function noteDuplicates({ plan, rowOf }: Moment, requests: Requests): void {
  requests.append(...plan.items.flatMap(({ learned }) => learned));
  for (const { row, action } of plan.items) {
    const sheetRow = row && rowOf.get(row);
    if (sheetRow && action === 'undecided') requests.end(sheetRow, action);
  }
}

function reportsOf({ plan, rowOf }: Moment, { done }: Requests): RowReport[] {
  return plan.items.flatMap((item) => {
    const row = item.row && rowOf.get(item.row);
    if (!row) return [];
    const result = done.get(row) ?? {
      outcome: outcomeOf(item),
      code: item.action === 'gone' ? undefined : item.code,
    };
    return [{ row, item, ...result }];
  });
}

function orKilled(play: () => Report['end']): Report['end'] {
  try {
    return play();
  } catch (error) {
    if (error instanceof Killed) return 'killed';
    throw error;
  }
}

function outcomeOf({ action, isWaiting }: PlanItem): string {
  if (isWaiting || action === 'create' || action === 'update' || action === 'delete') return 'failed';
  return action === 'adopt' ? 'adopted' : action;
}

/** Reads the listing; again after a wait if it lacks a code that is there. */
function readListing(
  { memory, lock }: Job,
  service: ModelService,
  rows: readonly Row[],
): ReadonlyMap<string, QrCode> {
  const listing = service.list();
  const named = rows.flatMap(({ id }) => id ?? []);
  const applied = [...(lock?.values() ?? [])].map(({ id }) => id);
  const made = [...memory.view().claims.values()].filter(({ isDeleted }) => !isDeleted).map(({ id }) => id);
  const suspects = [...new Set([...named, ...applied, ...made.reverse()])]
    .filter((id) => !listing.has(id))
    .slice(0, MOST_SUSPECTS);
  if (!suspects.some((id) => service.get(id))) return listing;
  service.now += SETTLE;
  return service.list();
}

/** Reads the codes that rows name. */
function readNamed(service: ModelService, rows: readonly Row[]): ReadonlyMap<string, QrCode> {
  const names = new Set(
    rows.flatMap(({ id, slug, decision }) => [id, slug, decision?.is === 'code' ? decision.name : undefined]),
  );
  const codes = [...service.codes.values()].flatMap(({ code }) => service.get(code.id) ?? []);
  return new Map(
    codes.filter(({ id, slug }) => names.has(id) || names.has(slug)).map((code) => [code.id, code]),
  );
}
