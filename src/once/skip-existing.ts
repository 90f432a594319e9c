/** `--skip-existing`: for runs without the journal of the one before. A row that occurs three times needs three codes. */

import type { CreateRow } from '../bulk/check-create.ts';
import { groupBy } from '../bulk/group-by.ts';
import type { QrCode } from '../service/shapes.ts';
import type { Ledger } from './row-states.ts';
import { valuesKey } from './same-values.ts';

export interface Existing {
  row: number;
  code: QrCode;
}

/** The rows that are still to be created and have a code with the same values already, each its own. Pure. */
export function findExisting(rows: readonly CreateRow[], ledger: Ledger, listing: readonly QrCode[]): Existing[] {
  const claimed = ledger.claimed();
  const unclaimed = groupBy(
    listing.filter(({ id }) => !claimed.has(id)),
    valuesKey,
  );
  return rows.flatMap(({ row, code }) => {
    const { state, before } = ledger.standing(row);
    if (state !== 'open' && state !== 'rejected') return [];
    const alike = unclaimed.get(valuesKey(code)) ?? [];
    const at = alike.findIndex(({ id }) => !before.has(id));
    return at < 0 ? [] : alike.splice(at, 1).map((existing) => ({ row, code: existing }));
  });
}

/** Records them as done. */
export function recordExisting(existing: readonly Existing[], ledger: Ledger): Promise<void> {
  return ledger.record(...existing.map(({ row, code: { id, slug } }) => ({ is: 'exists' as const, row, id, slug })));
}
