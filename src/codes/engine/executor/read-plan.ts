/** Reads the codes of the workspace and plans the rows, after it was checked that the list lacks no code that this file's rows have. */
import { UnprovenError } from '../../../base/errors.ts';
import { parseScanTime } from '../../../service/scan-times.ts';
import type { Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { getIfThere } from '../../listing/find-code.ts';
import { findCodes } from '../../listing/find-codes.ts';
import type { Listing, Plan, PlanInput, Row } from '../plan/model.ts';
import type { RunJob } from './job.ts';

/** Maximum number of requests that find out whether a list of codes is out of date. */
const MOST_CHECKED = 3;

export interface Planned {
  readonly listing: Listing;
  readonly plan: Plan;
}

type PlanJob = Pick<
  RunJob,
  | 'run'
  | 'rows'
  | 'policy'
  | 'lock'
  | 'ledger'
  | 'plan'
  | 'listCodes'
  | 'readNamed'
  | 'clock'
  | 'settleMs'
  | 'signal'
> & { readonly service: Pick<RunJob['service'], 'getCode'> };

/** Plans the rows of a job for a listing. Pure. */
export function planFor(
  { run, rows, lock, ledger, policy, plan }: PlanJob,
  listing: Listing,
  isSettled: boolean,
): Plan {
  return plan({ run, rows, listing, ledger: ledger.view(), lock, policy, isSettled } satisfies PlanInput);
}

/** Reads the codes and plans the rows for the first time in a run; sends nothing but GET requests. Throws as `readAgain`. */
export async function readFirst(job: PlanJob): Promise<Planned> {
  const { readNamed, rows } = job;
  if (readNamed) {
    const listing = await readNamed(rows);
    const plan = planFor(job, listing, false);
    // For new codes it must be known which ones exist.
    const mayCreate = plan.items.some(({ action }) => action === 'create');
    if (!mayCreate && !(await isOutOfDate(job, plan, listing, NONE))) return { listing, plan };
  }
  return readWhole(job, NONE, false);
}

/**
 * Reads every code again after the visibility delay of the unclear requests, and plans the rows. `made`: ids of codes that this run created, oldest
 * first. Throws UnprovenError if the list lacks a code that exists, also after another delay.
 */
export function readAgain(job: PlanJob, made: ReadonlySet<string>): Promise<Planned> {
  return readWhole(job, made, true);
}

const NONE: ReadonlySet<string> = new Set();

async function readWhole(job: PlanJob, made: ReadonlySet<string>, isSettled: boolean): Promise<Planned> {
  for (let isLast = false; ; isLast = true) {
    const listing = listingOf(await job.listCodes(), true);
    const plan = planFor(job, listing, isSettled);
    if (!(await isOutOfDate(job, plan, listing, made))) return { listing, plan };
    if (isLast) throw outOfDateError();
    // A cache or a replica that is behind may catch up.
    await job.clock.sleep(job.settleMs, job.signal);
  }
}

/** E16: returns whether a code exists that the listing lacks, although a row has it: then others may be missing from it too. */
async function isOutOfDate(
  { service }: PlanJob,
  { items }: Plan,
  { codes }: Listing,
  made: ReadonlySet<string>,
): Promise<boolean> {
  const gone = items.flatMap(({ goneId }) => goneId?.toLowerCase() ?? []);
  // The newest ones are the first that a replica lacks.
  const missing = [...new Set([...gone, ...made])].filter((id) => !codes.has(id)).slice(-MOST_CHECKED);
  const found = await Promise.all(missing.map((id) => getIfThere(service, id)));
  return found.some((code) => code !== undefined);
}

/** Returns a listing of these codes, oldest first. `isWhole`: they are all codes of the workspace. */
export function listingOf(codes: Iterable<QrCode>, isWhole: boolean): Listing {
  const dated = Array.from(codes, (code) => ({
    code,
    ms: parseScanTime(code.created_at) ?? Number.POSITIVE_INFINITY,
  }));
  dated.sort((one, other) => compare(one.ms, other.ms) || compare(one.code.id, other.code.id));
  return { codes: new Map(dated.map(({ code }) => [code.id.toLowerCase(), code])), isWhole };
}

function compare<T>(one: T, other: T): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function outOfDateError(): UnprovenError {
  return new UnprovenError('the list of codes is out of date: it lacks codes that exist', {
    hint: 'Make the cache or gateway forward GET requests to the service. Then run the same command again.',
  });
}

type Reader = Pick<Service, 'listCodes' | 'getCode' | 'slugs' | 'concurrency'>;

/** Returns the codes of the rows, also those of slugs that belong to other codes than the IDs in their rows. Throws as the service does. */
export async function readNamed(service: Reader, rows: readonly Row[]): Promise<Listing> {
  const lookup = await findCodes(rows, { service, concurrency: service.concurrency });
  const codes = new Map<string, QrCode>();
  for (const row of rows) {
    for (const code of [
      lookup(row),
      row.slug === undefined ? undefined : lookup({ id: undefined, slug: row.slug }),
    ])
      if (code) codes.set(code.id, code);
  }
  return listingOf(codes.values(), false);
}
