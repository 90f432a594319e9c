/** Reads the codes of the workspace for a plan: the listing, and each code of the lock file that it lacks. */
import { NotFoundError, UnprovenError } from '../../base/errors.ts';
import { inParallel } from '../../base/parallel/in-parallel.ts';
import { quote } from '../../base/text/quote.ts';
import { isUuid } from '../../service/checks.ts';
import type { QrCode } from '../../service/shapes.ts';
import { getIfThere } from '../listing/find-code.ts';
import type { ApplyJob } from './apply-job.ts';
import { byAge } from './identify.ts';

/** The newest listing of this run, read when it is first needed. */
export interface Listing {
  get(): Promise<readonly QrCode[]>;
  /** Reads it again. */
  renew(): Promise<QrCode[]>;
}

export function createListing({ listCodes }: Pick<ApplyJob, 'listCodes'>): Listing {
  let latest: Promise<QrCode[]> | undefined;
  const renew = () => {
    latest = listCodes();
    return latest;
  };
  return { get: () => latest ?? renew(), renew };
}

export interface KnownCodes {
  /** By id in lower case, oldest first. */
  readonly codes: ReadonlyMap<string, QrCode>;
  /** Y15: a code exists that the listing lacks, so others may be missing from it too. */
  readonly isStale: boolean;
}

type CodesJob = Pick<ApplyJob, 'clock' | 'settleMs' | 'signal' | 'concurrency'> & {
  readonly service: Pick<ApplyJob['service'], 'getCode'>;
};

/** Returns every code; `ids` are those that must not be missed. Costs one request per code that the listing lacks. */
export async function readCodes(job: CodesJob, listing: Listing, ids: ReadonlySet<string>): Promise<KnownCodes> {
  const first = await findMissing(job, await listing.get(), ids);
  if (first.found.length === 0) return { codes: byAge(first.listed), isStale: false };
  // A cache or a replica that is behind may catch up.
  await job.clock.sleep(job.settleMs, job.signal);
  const again = await findMissing(job, await listing.renew(), ids);
  return { codes: byAge([...again.listed, ...again.found]), isStale: again.found.length > 0 };
}

async function findMissing({ service, concurrency }: CodesJob, listed: readonly QrCode[], ids: ReadonlySet<string>) {
  const missing = new Set(ids);
  for (const { id } of listed) missing.delete(id.toLowerCase());
  const found: QrCode[] = [];
  await inParallel(missing, concurrency, async (id) => {
    const code = await getIfThere(service, id);
    if (code) found.push(code);
  });
  return { listed, found };
}

/** Returns the id, in lower case, of the code that the user specified by id or slug. Throws NotFoundError if the listing has none. */
export async function idOf(text: string, listing: Listing): Promise<string> {
  if (isUuid(text)) return text.toLowerCase();
  const code = (await listing.get()).find(({ slug }) => slug === text);
  if (code) return code.id.toLowerCase();
  throw new NotFoundError(`no code has the slug ${quote(text)}`, { hint: 'Run `qrctl qr list` to see all slugs.' });
}

export function staleError(): UnprovenError {
  return new UnprovenError('the list of codes is out of date: it lacks existing codes that the lock file contains', {
    hint: 'Make the cache or gateway forward GET requests to the service. Then run the same command again.',
  });
}
