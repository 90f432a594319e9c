/** A listing that rows may be judged by: none that a cache kept, or that a replica gives which is behind. */
import { UnprovenError } from '../errors.ts';
import { quote } from '../quote.ts';
import { getIfThere } from '../service/find-code.ts';
import type { Service } from '../service/service.ts';
import type { QrCode } from '../service/shapes.ts';
import type { RowStates } from './row-states.ts';

/** Somebody may have deleted the codes that are missing, and who asks for one tells; not for each of a thousand. */
const MOST_ASKED = 3;

/**
 * Every code of the workspace, by a listing that is not older than the codes that rows have already: by an older one a code
 * that was created would be taken for one that was not, and its row sent again. Costs the listing, and up to three requests where
 * codes are missing from it.
 *
 * @throws UnprovenError where it is older, and what the listing and the service throw.
 */
export async function listCurrentCodes(
  job: { listCodes: () => Promise<QrCode[]>; service: Pick<Service, 'getCode'> },
  states: RowStates,
): Promise<QrCode[]> {
  const missing = states.claimedIds();
  const listing = await job.listCodes();
  for (const { id } of listing) missing.delete(id);
  // The last rows have the newest codes, mostly: what is behind lacks these.
  for (const id of [...missing].slice(-MOST_ASKED).reverse()) {
    const code = await getIfThere(job.service, id);
    // O23: what is there and not in the listing shows that the listing is of an earlier time.
    if (code) throw outdated(code);
  }
  return listing;
}

function outdated({ id, name }: QrCode): UnprovenError {
  return new UnprovenError(`the list of codes is out of date: it lacks ${id} (${quote(name)}), which exists`, {
    hint: 'have the cache or gateway on the way pass GET requests to the service, then run this again: what was lost is looked for then',
  });
}
