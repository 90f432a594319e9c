/** Memory of one machine, replayed as the command does. */

import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { LedgerView } from '#codes/engine/plan/model';

export interface Memory {
  readonly records: readonly LedgerRecord[];
  take(record: LedgerRecord): void;
  view(): LedgerView;
}

/** Returns the memory that these records leave. */
export function createMemory(records: readonly LedgerRecord[] = []): Memory {
  const taken: LedgerRecord[] = [];
  const replay = createReplay();
  const take = (record: LedgerRecord) => {
    taken.push(record);
    replay.take(record);
  };
  for (const record of records) take(record);
  return { records: taken, take, view: () => replay.view() };
}
