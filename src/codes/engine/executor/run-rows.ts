/** E11: sends requests in rounds. While some are unclear, lists all codes and plans the next round. */
import { UnprovenError } from '#base/errors';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import type { LedgerView, Listing, Plan } from '#codes/engine/plan/model';
import { getIfThere } from '#codes/listing/find-codes';
import type { QrCode } from '#service/shapes';
import { createCarrier } from './carry-out.ts';
import type { RunEnd, RunJob } from './job.ts';
import { type Planned, planFor, readAgain, readFirst } from './read-plan.ts';
import { createRequests, type Requests } from './requests.ts';
import { createRowStates, isWork } from './row-states.ts';
import { belongsToRow, createStopRules } from './stop-rules.ts';

const MOST_FRUITLESS = 3;

/** Runs all rows. Throws if the first plan fails or is refused. `stop`: later error that ended the run. */
export async function runRows(job: RunJob): Promise<RunEnd> {
  const { clock, signal, settleMs, onEvent } = job;
  const beganMs = clock.monotonic();
  let latest: Planned = await readFirst(job);
  const { plan: first, listing: firstListing } = latest;
  await job.onPlan(first);
  const stops = createStopRules(job);
  const states = createRowStates();
  const requests = createRequests(job, stops, (id) => firstListing.codes.has(id));
  const carrier = createCarrier(job, stops, states, requests);
  const record = createRecorder(job);
  let stop: unknown;
  try {
    await record.plan(latest);
    await restore();
    await sendAll();
    const repeatedMs = carrier.repeatedMs();
    if (repeatedMs !== undefined && !isStopped()) await lookOnceMore(repeatedMs);
    const isOpen = latest.plan.items.some(
      ({ action, candidates }) => action === 'undecided' && candidates.length > 0,
    );
    if (!isStopped() && !isOpen) {
      await job.beforeEnd?.(states.ends(latest.plan));
      await record.end();
    }
  } catch (error) {
    stop = signal.aborted ? signal.reason : error;
  }
  const { reason, firstError, isUnproven } = stops;
  return {
    run: job.run,
    plan: first,
    ends: states.ends(latest.plan),
    stop: stop ?? reason(),
    firstError: firstError(),
    isUnproven: isUnproven(),
  };

  function isStopped(): boolean {
    return stops.reason() !== undefined;
  }

  async function restore(): Promise<void> {
    const listing = await restorePaused(job, requests, latest);
    if (listing === latest.listing) return;
    latest = { listing, plan: planFor(job, listing, false) };
    await record.plan(latest);
  }

  async function sendAll(): Promise<void> {
    for (let fruitless = 0; ; ) {
      const ended = states.ended();
      await carrier.send(states.due(latest.plan));
      if (isStopped()) return;
      const isWaiting = latest.plan.items.some((item) => item.isWaiting);
      if (!isWaiting && !stops.isGated() && !states.areUnclear()) return;
      await lookOnceMore(carrier.lostMs() ?? beganMs);
      for (const item of states.recognize(latest.plan)) onEvent({ is: 'done', item });
      fruitless = states.ended() > ended ? 0 : fruitless + 1;
      if (fruitless >= MOST_FRUITLESS && states.due(latest.plan).length > 0) throw stops.lastLost();
      stops.reopen();
    }
  }

  async function lookOnceMore(sinceMs: number): Promise<void> {
    const ms = Math.max(0, sinceMs + settleMs - clock.monotonic());
    onEvent({ is: 'waiting', ms });
    await clock.sleep(ms, signal);
    const next = await readAgain({ ...job, rows: states.named(job.rows) }, requests.made);
    refuseNew(next.plan);
    latest = next;
    await record.plan(latest);
  }
}

/** E12: creates a recorder for the start and end of a run, and for the IDs listed before its first POST. */
function createRecorder({ run, undoes, ledger }: RunJob) {
  const begin = { is: 'run', run, undoes } as const;
  let hasRun = false;
  let hasIds = false;
  async function recordPlan({ plan, listing }: Planned): Promise<void> {
    const learned = plan.items.flatMap((item) => item.learned);
    const needsIds = !hasIds && plan.items.some(({ action }) => action === 'create');
    const needsRun =
      !hasRun && (learned.length > 0 || plan.items.some(isWork) || ledger.view().repeated.length > 0);
    const records: LedgerRecord[] = [];
    if (needsIds) records.push({ ...begin, ids: [...listing.codes.keys()] });
    else if (needsRun) records.push(begin);
    hasRun ||= needsRun || needsIds;
    hasIds ||= needsIds;
    for (const each of learned) records.push(each);
    if (records.length > 0) await ledger.append(records);
  }
  return { plan: recordPlan, end: () => (hasRun ? ledger.append([{ is: 'end', run }]) : Promise.resolve()) };
}

/** Throws UnprovenError if a plan after the first one has a brake or fault. */
function refuseNew({ brakes, faults }: Plan): void {
  const found = brakes[0] ?? faults[0];
  if (!found) return;
  throw new UnprovenError(`codes changed on the service during the run: ${found.message}`, {
    hint: 'Run the same command again.',
  });
}

/**
 * Returns the IDs and old statuses of codes that an interrupted backup may have left paused, unless they are
 * or will be deleted.
 */
export function leftPaused({ claims }: LedgerView, { plan, listing }: Planned) {
  const deleted = new Set(
    plan.items.map(({ action, code }) => action === 'delete' && code?.id.toLowerCase()),
  );
  const mayBePaused = (id: string) => {
    const code = listing.codes.get(id);
    return code ? code.status === 'paused' : !listing.isWhole;
  };
  return [...claims.values()].flatMap(({ id, paused, isDeleted }) =>
    paused?.why === 'backup' && !isDeleted && !deleted.has(id) && mayBePaused(id)
      ? { id, status: paused.status }
      : [],
  );
}

/** E19: restores the status of codes that an interrupted backup left paused. */
async function restorePaused(
  { ledger, service, onEvent }: Pick<RunJob, 'ledger' | 'service' | 'onEvent'>,
  { patch }: Requests,
  planned: Planned,
): Promise<Listing> {
  const { listing } = planned;
  const left = leftPaused(ledger.view(), planned);
  if (left.length === 0) return listing;
  const codes = new Map(listing.codes);
  for (const { id, status } of left) {
    const code = codes.get(id) ?? (await getIfThere(service, id));
    if (code?.status === 'paused') codes.set(id, await restore(code, status));
  }
  return { ...listing, codes };

  async function restore(code: QrCode, status: string): Promise<QrCode> {
    try {
      const after = await patch(code, { status }, { pause: 'restored' });
      onEvent({ is: 'restored', code: after });
      return after;
    } catch (error) {
      if (!belongsToRow(error)) throw error;
      onEvent({ is: 'still-paused', code, error });
      return code;
    }
  }
}
