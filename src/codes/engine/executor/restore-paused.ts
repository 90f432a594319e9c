/** E19: restores the status of codes that an earlier run had paused for a backup and did not delete. */
import type { QrCode } from '../../../service/shapes.ts';
import { getIfThere } from '../../listing/find-code.ts';
import type { Listing } from '../plan/model.ts';
import type { RunJob } from './job.ts';
import type { Planned } from './read-plan.ts';
import type { Requests } from './requests.ts';
import { belongsToRow } from './stop-rules.ts';

/**
 * Restores every such code that this run does not delete, and returns the listing with the changes. A code that can't be restored is
 * reported as an event. Throws failures that would meet every request.
 */
export async function restorePaused(
  { ledger, service, onEvent }: Pick<RunJob, 'ledger' | 'service' | 'onEvent'>,
  { patch }: Requests,
  { plan, listing }: Planned,
): Promise<Listing> {
  const left = [...ledger.view().claims.values()].filter(
    ({ paused, isDeleted }) => paused?.why === 'backup' && !isDeleted,
  );
  if (left.length === 0) return listing;
  const deleted = new Set(
    plan.items.flatMap(({ action, code }) => (action === 'delete' && code ? code.id.toLowerCase() : [])),
  );
  const codes = new Map(listing.codes);
  for (const { id, paused } of left) {
    if (deleted.has(id) || paused === undefined) continue;
    const code = codes.get(id) ?? (listing.isWhole ? undefined : await getIfThere(service, id));
    if (code?.status === 'paused') await restore(code, paused.status);
  }
  return { ...listing, codes };

  async function restore(code: QrCode, status: string): Promise<void> {
    try {
      const after = await patch(code, { status });
      if (codes.has(code.id.toLowerCase())) codes.set(code.id.toLowerCase(), after);
      onEvent({ is: 'restored', code: after });
    } catch (error) {
      if (!belongsToRow(error)) throw error;
      onEvent({ is: 'still-paused', code, error });
    }
  }
}
