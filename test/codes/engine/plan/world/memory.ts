/** Memory of one machine, replayed as the command does. */

import type { LedgerRecord } from '../../../../../src/codes/engine/plan/ledger-lines.ts';
import { createReplay } from '../../../../../src/codes/engine/plan/ledger-view.ts';
import type { LedgerView } from '../../../../../src/codes/engine/plan/model.ts';

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
