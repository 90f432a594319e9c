/** `qr create --from --dry-run`: what would be sent, by the journal and, with --skip-existing, by what is there. */
import type { CreateRow } from '../../bulk/check-create.ts';
import type { Context } from '../../context.ts';
import { peekJournal } from '../../once/journal.ts';
import { openLedger, type Standing } from '../../once/row-states.ts';
import { findExisting } from '../../once/skip-existing.ts';
import { everyCode } from '../../service/codes.ts';
import { printRecords } from '../output-options.ts';
import type { CreateFlags } from './bulk-options.ts';
import { tellCost } from './tell-cost.ts';
import { uptimeMs } from './uptime.ts';

const COLUMNS = ['row', 'action', 'id', 'name', 'type', 'destination'].map((name) => ({ name }));

type Action =
  | 'create'
  /** Done by an earlier run. */
  | 'done'
  | 'exists'
  /** Sent by an earlier run that got no answer: looked for before it is sent again. */
  | 'reconcile';

/** Prints one record a row. Reads the journal without touching it; asks the service at most for the listing. */
export async function printCreatePlan(
  context: Context,
  rows: readonly CreateRow[],
  journalPath: string,
  flags: CreateFlags,
): Promise<void> {
  const { concurrency } = await context.settings();
  const service = await context.service();
  const journal = await peekJournal(journalPath, service.baseUrl, rows);
  const ledger = await openLedger({ journal, rows: rows.length, clock: context.clock, serviceNowMs: service.nowMs, uptimeMs });
  const listing = flags.skipExisting ? await everyCode(service, concurrency) : [];
  const existing = new Map(findExisting(rows, ledger, listing).map(({ row, code }) => [row, code.id]));
  // One small answer tells the limit, which is what the plan is measured by.
  if (!flags.skipExisting) await service.listCodes({ page: 1, limit: 1 });

  const plan = rows.map(({ row, code: { name, type = 'url', destination = null } }) => {
    const standing = ledger.standing(row);
    return {
      row,
      action: actionFor(standing, existing.has(row)),
      id: standing.id ?? existing.get(row) ?? null,
      name,
      type,
      destination,
    };
  });
  await printRecords(context, plan, COLUMNS, flags, 'nothing to create');
  const count = (action: Action) => plan.filter((entry) => entry.action === action).length;
  const looked = count('reconcile') ? `, ${count('reconcile')} to look for first` : '';
  tellCost(context, service, `${count('create')} of ${rows.length} rows would be created${looked}`, count('create'));
}

function actionFor({ id, state }: Standing, exists: boolean): Action {
  if (id !== undefined) return 'done';
  if (exists) return 'exists';
  return state === 'unknown' ? 'reconcile' : 'create';
}
