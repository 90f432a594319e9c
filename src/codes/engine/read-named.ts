/** Reads only the codes that rows specify, where that costs less than the listing. */
import type { Service } from '../../service/service.ts';
import type { QrCode } from '../../service/shapes.ts';
import { findCodes } from '../listing/find-codes.ts';
import { listingOf } from './executor/read-plan.ts';
import type { Listing, Row } from './plan/model.ts';

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
