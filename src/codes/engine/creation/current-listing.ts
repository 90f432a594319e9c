/** Reads a listing that is not stale: neither returned by a cache, nor by a replica that is behind. */
import { UnprovenError } from '../../../base/errors.ts';
import { quote } from '../../../base/text/quote.ts';
import type { Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { getIfThere } from '../../listing/find-code.ts';
import type { ListedCode } from './journal-records.ts';
import type { RowStates } from './row-states.ts';

/** Missing codes may have been deleted, which a request for each shows; at most this many are requested. */
const MOST_ASKED = 3;

/**
 * Lists every code of the workspace, by a listing that is not older than the codes that the rows, or the results, already have. In an
 * older one, a created code would be missing and its row would be sent again. Waits for a listing that is behind by less than `--settle`.
 * Costs the listing, and up to three requests if codes are missing from it.
 *
 * @throws UnprovenError if the listing is stale, and the errors of the listing and the service.
 */
export async function listCurrentCodes(job: ListingJob, states: RowStates): Promise<QrCode[]> {
  const listing = await job.listCodes();
  if (!(await lacked(listing, job, states))) return listing;
  await job.waitFor(job.settleMs);
  const again = await job.listCodes();
  const code = await lacked(again, job, states);
  if (code) throw outdated(code);
  return again;
}

interface ListingJob {
  listCodes: () => Promise<QrCode[]>;
  service: Pick<Service, 'getCode'>;
  listed: readonly ListedCode[] | undefined;
  settleMs: number;
  waitFor: (ms: number) => Promise<unknown>;
}

/** O23: a code that is there and not in the listing, which is of an earlier time then. */
async function lacked(listing: readonly QrCode[], job: ListingJob, states: RowStates): Promise<QrCode | undefined> {
  const missing = new Set([...states.claimedIds(), ...(job.listed ?? []).map(({ id }) => id)]);
  for (const { id } of listing) missing.delete(id);
  // A stale listing lacks the newest codes: those that the journal recorded last.
  for (const id of [...missing].slice(-MOST_ASKED).reverse()) {
    const code = await getIfThere(job.service, id);
    if (code) return code;
  }
  return undefined;
}

function outdated({ id, name }: QrCode): UnprovenError {
  return new UnprovenError(`the list of codes is out of date: code ${id} (${quote(name)}) exists but is missing from it`, {
    hint: 'Make the cache or gateway forward GET requests to the service. Then run the same command again. The next run searches for these codes again.',
  });
}
