/**
 * Applies a file of codes: finishes what an interrupted run left, plans, carries the plan out, and writes the lock file. PROTOCOL.md next to
 * this file states the invariants.
 */
import { NotFoundError, UnprovenError, UsageError } from '../../base/errors.ts';
import { inQuotes, quote } from '../../base/text/quote.ts';
import { acquireLock } from '../../files/durable/lock.ts';
import { type Fault, refuseFaults } from '../../files/formats/read/input.ts';
import { checkWorkspace, type RecordedWorkspace } from '../../service/workspace.ts';
import type { ApplyJob, Prepared } from './apply-job.ts';
import { type CarriedOut, carryOut } from './carry-out.ts';
import { finishEarlier, hasJournal, readEarlier } from './finish-earlier.ts';
import type { KeyDecisions } from './identify.ts';
import { faultsOfType, judgeNew, namelessFault } from './judge-row.ts';
import type { KeyedRow } from './keyed-rows.ts';
import { createListing, idOf, type Listing, readCodes, staleError } from './known-codes.ts';
import { foldKey, type LockEntry, type LockFile } from './lock-file.ts';
import { OTHER_LOCK, readLock } from './lock-store.ts';
import { type Plan, planRows } from './plan.ts';

/** A run may take as long as the rate limit lets it: so long the next one waits for it. */
const LOCK_WAIT_MS = 3_600_000;

export interface Preview extends Pick<Prepared, 'plan'> {
  /** Rows of an interrupted run that a run would look up first. */
  readonly open: number;
}

/** Y16: holds the lock of the lock file while `work` is done, so that a second run waits, and then plans from the start. */
export async function whileLocked<T>(
  { lockPath, clock, signal }: Pick<ApplyJob, 'lockPath' | 'clock' | 'signal'>,
  onWait: () => void,
  work: () => Promise<T>,
): Promise<T> {
  const held = await acquireLock(lockPath, { clock, signal, waitMs: LOCK_WAIT_MS, onWait });
  try {
    return await work();
  } finally {
    await held.release();
  }
}

/**
 * Applies the file. Hold the lock (`whileLocked`). What failed is in the returned value once something was sent.
 *
 * @throws UsageError for a file or lock file that can't be applied, UnprovenError where the user must decide before anything is sent
 */
export async function applyRows(job: ApplyJob): Promise<CarriedOut & { plan: Plan }> {
  const prepared = await prepare(job, (lock, before, listing) => {
    job.onEvent({ is: 'finishing' });
    return finishEarlier({ ...job, listCodes: listing.renew }, lock, { before, idOf: (text) => idOf(text, listing) });
  });
  const { plan } = prepared;
  job.onPlan(plan);
  refuseFaults(job.file, plan.faults);
  if (plan.surprises > plan.allowed) throw tooMany(plan);
  return { plan, ...(await carryOut(job, prepared)) };
}

/** Plans without sending anything but GETs, and without changing anything on disk. Throws as `applyRows`, but for decisions. */
export async function previewRows(job: ApplyJob): Promise<Preview> {
  let open = 0;
  const { plan } = await prepare(job, async (lock) => {
    const earlier = await readEarlier(job, lock);
    open = earlier.open.length;
    return { ...lock, entries: earlier.entries };
  });
  refuseFaults(job.file, plan.faults);
  return { plan, open };
}

/** Checks the file against its lock file, without key or service. Returns faults, and the keys that have a code, that have none, and that are removed. */
export function checkOffline(rows: readonly KeyedRow[], lock: LockFile | undefined, force: boolean) {
  const entries = lock?.entries ?? NO_ENTRIES;
  const fresh = rows.filter(({ key }) => !entries.has(key));
  const keys = new Set(rows.map(({ key }) => key));
  const judged = fresh.filter(isUnnamed).map((row) => judgeNew(row, force));
  return {
    faults: [...faultsOfKeys(rows, entries), ...judged.flatMap(({ faults }) => faults)],
    warnings: judged.flatMap(({ warnings }) => warnings),
    known: rows.length - fresh.length,
    fresh: fresh.length,
    removed: [...entries.keys()].filter((key) => !keys.has(key)).length,
  };
}

const NO_ENTRIES: ReadonlyMap<string, LockEntry> = new Map();

/** Takes in what an interrupted run left, if there was one. */
type Finish = (lock: LockFile, before: LockFile | undefined, listing: Listing) => Promise<LockFile>;

async function prepare(job: ApplyJob, finish: Finish): Promise<Prepared> {
  const { lockPath, disk, file, rows, options, signal } = job;
  const before = await readLock(disk, lockPath, signal);
  const present = before?.entries ?? NO_ENTRIES;
  refuseFaults(file, [...faultsOfKeys(rows, present), ...missingNames(rows, present, job)]);
  const listing = createListing(job);
  const workspace = await bindLock(job, before, listing);
  const found = { workspace, entries: present };
  const isInterrupted = await hasJournal(job);
  const lock = isInterrupted ? await finish(found, before, listing) : found;
  // Decisions about rows of the interrupted run may be about keys that the file no longer has.
  if (!isInterrupted) refuseUnknownKeys(job, lock);
  const decisions = await resolveDecisions(job, listing);
  const ids = [...lock.entries.values()].map(({ id }) => id.toLowerCase());
  const named = rows.flatMap(({ id }) => id ?? []);
  const { codes, isStale } = await readCodes(job, listing, new Set([...ids, ...decisions.adopt.values(), ...named]));
  for (const [key, id] of decisions.adopt) {
    if (!codes.has(id)) throw new NotFoundError(`--adopt ${quote(key)}: no code has the ID ${id}`);
  }
  const plan = planRows({ rows, entries: lock.entries, codes, decisions }, options);
  const isGuess = plan.items.some(({ action, key }) => action === 'create' && !decisions.recreate.has(key));
  if (isStale && isGuess) throw staleError();
  // An interrupted run that was finished is in the lock file on disk by now.
  return { plan, lock, before: isInterrupted ? lock : before };
}

/** Returns the faults of rows whose types or keys contradict the lock file. */
function faultsOfKeys(rows: readonly KeyedRow[], entries: ReadonlyMap<string, LockEntry>): Fault[] {
  const folded = new Map([...entries.keys()].map((key) => [foldKey(key), key]));
  return rows.flatMap((row): Fault[] => {
    const { line, key } = row;
    const entry = entries.get(key);
    if (entry) return faultsOfType(row, entry.type);
    const alike = folded.get(foldKey(key));
    if (alike === undefined) return [];
    return [{ line, message: `${inQuotes(key)} differs from key ${inQuotes(alike)} in the lock file only in case or spacing` }];
  });
}

/** Y2: returns the faults of new rows without a name. They are known without a request, whichever codes exist. */
function missingNames(
  rows: readonly KeyedRow[],
  entries: ReadonlyMap<string, LockEntry>,
  { adopt }: Pick<ApplyJob, 'adopt'>,
): Fault[] {
  const isNew = (row: KeyedRow) => isUnnamed(row) && !entries.has(row.key) && !adopt.has(row.key);
  return rows.filter((row) => isNew(row) && row.changes.name === undefined).map(({ line }) => namelessFault(line));
}

/** The row's own columns do not say which code it is. */
function isUnnamed({ id, slug }: KeyedRow): boolean {
  return id === undefined && slug === undefined;
}

/**
 * Y17: a lock file of another service or workspace is refused before anything is sent. A rotated key is recognized by the codes of the lock
 * file in the listing, without a request of its own, and without rewriting the lock file: people with different keys share it.
 */
async function bindLock(
  { lockPath, service, movedFrom }: ApplyJob,
  before: LockFile | undefined,
  listing: Listing,
): Promise<RecordedWorkspace> {
  const { workspace, getCode } = service;
  if (!before) return workspace.record();
  const { workspace: recorded, entries } = before;
  const isHere = recorded.baseUrl === workspace.baseUrl;
  const listed = new Set<string>();
  if (isHere || recorded.baseUrl === movedFrom) for (const { id } of await listing.get()) listed.add(id);
  const ids = [...entries.values()].map(({ id }) => id);
  const answer = await checkWorkspace({
    ...{ path: lockPath, recorded, workspace, movedFrom, elsewhere: OTHER_LOCK },
    knownIds: [...ids.filter((id) => listed.has(id)), ...ids],
    getCode: async (id) => (listed.has(id) ? id : getCode(id)),
  });
  return answer === 'same' || (isHere && recorded.key !== undefined && entries.size > 0) ? recorded : workspace.record();
}

/** Throws UsageError for decisions about keys that neither file nor lock file have. */
function refuseUnknownKeys({ rows, adopt, recreate }: ApplyJob, lock: LockFile): void {
  const keys = new Set([...rows.map(({ key }) => key), ...lock.entries.keys()]);
  for (const [flag, given] of [['--adopt', [...adopt.keys()]] as const, ['--recreate', [...recreate]] as const]) {
    const unknown = given.find((key) => !keys.has(key));
    if (unknown !== undefined)
      throw new UsageError(`${flag}: no row has the key ${inQuotes(unknown)}`, {
        hint: `Use ${flag} with the key of an existing row.`,
      });
  }
}

/** Decisions of the user, with ids. */
async function resolveDecisions({ adopt, recreate }: ApplyJob, listing: Listing): Promise<KeyDecisions> {
  const resolved = new Map<string, string>();
  for (const [key, text] of adopt) resolved.set(key, await idOf(text, listing));
  return { adopt: resolved, recreate };
}

function tooMany({ surprises, allowed }: Plan): UnprovenError {
  return new UnprovenError(
    `the plan changes or removes ${surprises} keys, but only ${allowed} are allowed; no changes were made`,
    { hint: `Check the plan with --dry-run. If it is correct, add --max-changes ${surprises}.` },
  );
}
