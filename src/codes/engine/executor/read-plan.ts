import { UnprovenError } from '#base/errors';
import type { Ledger, Listing, Plan, Row } from '#codes/engine/plan/model';
import { type Finder, findCodes, getIfThere } from '#codes/listing/find-codes';
import { oldestFirst } from '#codes/listing/oldest-first';
import type { QrCode } from '#service/shapes';
import type { RunJob } from './job.ts';

const MOST_CHECKED = 3;

export interface Planned {
  listing: Listing;
  plan: Plan;
}

type PlanJob = Pick<
  RunJob,
  'run' | 'rows' | 'policy' | 'lock' | 'plan' | 'listCodes' | 'readNamed' | 'clock' | 'settleMs' | 'signal'
> & { service: Pick<RunJob['service'], 'getCode'>; ledger: Pick<Ledger, 'view'> };

export function planFor(
  { run, rows, lock, ledger, policy, plan }: PlanJob,
  listing: Listing,
  isSettled: boolean,
): Plan {
  return plan({ run, rows, listing, ledger: ledger.view(), lock, policy, isSettled });
}

/** Reads codes and makes a run's first plan. Throws UnprovenError if the listing stays out of date. */
export async function readFirst(job: PlanJob): Promise<Planned> {
  const { readNamed, rows, ledger } = job;
  // E15: lists all codes after a repeated request, because any code may be a duplicate.
  if (readNamed && ledger.view().repeated.length === 0) {
    const listing = await readNamed(rows);
    const plan = planFor(job, listing, false);
    if (!(await isOutOfDate(job, plan, listing, NONE))) return { listing, plan };
  }
  return readAgain(job, NONE, false);
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Lists all codes and plans the rows. `made`: IDs of this run's new codes, oldest first. Throws UnprovenError
 * if two listings are out of date.
 */
export async function readAgain(job: PlanJob, made: ReadonlySet<string>, isSettled = true): Promise<Planned> {
  for (let isLast = false; ; isLast = true) {
    const listing = listingOf(await job.listCodes(), true);
    const plan = planFor(job, listing, isSettled);
    if (!(await isOutOfDate(job, plan, listing, made))) return { listing, plan };
    if (isLast)
      throw new UnprovenError('the list of codes is out of date: it lacks codes that exist', {
        hint: 'Make the cache or gateway forward GET requests to the service. Then run the same command again.',
      });
    await job.clock.sleep(job.settleMs, job.signal);
  }
}

/** E16: requests up to MOST_CHECKED codes that the listing lacks. Returns whether one of them exists. */
async function isOutOfDate(
  { service }: PlanJob,
  { items }: Plan,
  { codes }: Listing,
  made: ReadonlySet<string>,
): Promise<boolean> {
  const gone = items.flatMap(({ goneId }) => goneId ?? []);
  // Prefers codes created by this run, because an outdated replica lacks the newest codes first.
  const missing = [...new Set([...gone, ...made])].filter((id) => !codes.has(id)).slice(-MOST_CHECKED);
  const found = await Promise.all(missing.map((id) => getIfThere(service, id)));
  return found.some(Boolean);
}

export function listingOf(codes: Iterable<QrCode>, isWhole: boolean): Listing {
  return { codes: new Map(oldestFirst(codes).map((code) => [code.id.toLowerCase(), code])), isWhole };
}

export async function readNamed(service: Finder, rows: readonly Row[]): Promise<Listing> {
  const lookup = await findCodes(rows, service);
  const codes = new Map<string, QrCode>();
  for (const row of rows) {
    for (const code of [lookup(row), row.slug === undefined ? undefined : lookup({ slug: row.slug })])
      if (code) codes.set(code.id, code);
  }
  return listingOf(codes.values(), false);
}
