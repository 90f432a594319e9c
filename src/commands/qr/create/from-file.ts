/** `qr create --from`: from a file of rows to a file of results. */
import { uptime } from 'node:os';
import { checkCreate } from '../../../bulk/check-rows.ts';
import { createFailure, createResults, isDone } from '../../../bulk/results.ts';
import type { Context } from '../../../context.ts';
import { type CreateEnd, createRows, planRows, type RowPlan } from '../../../once/create-rows.ts';
import type { NewRow } from '../../../once/journal.ts';
import { everyCode } from '../../../service/codes.ts';
import { printRecords } from '../../output-options.ts';
import { runBulk, withJournal } from '../bulk-files.ts';
import { journalOf } from '../bulk-flags.ts';
import { type RowProgress, showRowProgress, tellCost } from '../bulk-progress.ts';
import type { CreateFlags } from './create.ts';

/** Creates what is not created yet; see `runBulk` for what it throws. */
export async function createFromFile(context: Context, from: string, flags: CreateFlags): Promise<void> {
  await runBulk<NewRow>(context, from, flags, {
    check: checkCreate,
    preview: (rows, path) => printPlan(context, rows, journalOf(path), flags),
    async send(rows, path) {
      const end = await withJournal(context, path, (journalPath) => create(context, rows, journalPath, flags));
      const results = createResults(end);
      // Interrupted: the journal knows where to go on, and the results stay as they were.
      if (context.signal.aborted) {
        context.console.note(`${results.filter(isDone).length} of ${rows.length} rows are done: run this again to go on`);
        throw context.signal.reason;
      }
      return { results, failure: createFailure(end, results, rows, path) };
    },
  });
}

async function create(context: Context, rows: readonly NewRow[], journalPath: string, flags: CreateFlags): Promise<CreateEnd> {
  const { clock, signal, console } = context;
  const { concurrency } = await context.settings();
  const service = await context.service();
  let progress: RowProgress | undefined;
  try {
    return await createRows({
      ...{ rows, journalPath, service, clock, signal, concurrency },
      listCodes: () => everyCode(service, concurrency),
      askClock: () => service.listCodes({ page: 1, limit: 1 }),
      uptimeMs: () => uptime() * 1000,
      failFast: flags.failFast ?? false,
      skipExisting: flags.skipExisting ?? false,
      decisions: { adopt: flags.adopt ?? [], notCreated: flags.notCreated ?? [] },
      onEvent(event) {
        if (event.is === 'warning') console.warn(event.text);
        else if (event.is === 'begun') progress = showRowProgress(context, service, event.left, 'created');
        else if (event.is === 'waiting') progress?.waiting(event.ms);
        else if (event.is !== 'unknown') progress?.count(event.is !== 'rejected');
      },
    });
  } finally {
    progress?.stop();
  }
}

const PLAN_COLUMNS = ['row', 'action', 'id', 'name', 'type', 'destination'].map((name) => ({ name }));

/** `--dry-run`: one record a row. Reads the journal without touching it; asks the service at most for the listing. */
async function printPlan(context: Context, rows: readonly NewRow[], journalPath: string, flags: CreateFlags): Promise<void> {
  const { concurrency } = await context.settings();
  const service = await context.service();
  const { baseUrl } = service;
  const plan = await planRows(
    { rows, journalPath, baseUrl },
    flags.skipExisting ? () => everyCode(service, concurrency) : undefined,
  );
  // One small answer tells the limit, which is what the plan is measured by.
  if (!flags.skipExisting) await service.listCodes({ page: 1, limit: 1 });

  const records = rows.map(({ row, code: { name, type = 'url', destination = null } }, index) => {
    const { action, id = null } = plan[index] ?? {};
    return { row, action, id, name, type, destination };
  });
  await printRecords(context, records, PLAN_COLUMNS, flags, 'nothing to create');
  const count = (wanted: RowPlan['action']) => plan.filter(({ action }) => action === wanted).length;
  const looked = count('reconcile') ? `, ${count('reconcile')} to look for first` : '';
  tellCost(context, service, `${count('create')} of ${rows.length} rows would be created${looked}`, count('create'));
}
