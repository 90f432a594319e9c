/** `qr create --from`: from a file of rows to a file of results. */
import { type CreateRow, checkCreate } from '../../bulk/check-create.ts';
import { createResults, failureOf } from '../../bulk/create-results.ts';
import { isDone } from '../../bulk/results.ts';
import type { Context } from '../../context.ts';
import { type CreateEnd, createRows } from '../../once/create-rows.ts';
import { checkWord, takeWord, type Word } from '../../once/decisions.ts';
import { openJournal } from '../../once/journal.ts';
import { type Ledger, openLedger } from '../../once/row-states.ts';
import { findExisting, recordExisting } from '../../once/skip-existing.ts';
import { everyCode } from '../../service/codes.ts';
import { readInput, tellWarnings } from './bulk-input.ts';
import { type CreateFlags, resultsPathOf } from './bulk-options.ts';
import { openBulkOutput, tellSummary } from './bulk-output.ts';
import { showRowProgress } from './row-progress.ts';
import { uptimeMs } from './uptime.ts';
import { withJournal } from './with-journal.ts';

/**
 * Checks everything, creates what is not created yet, and writes the results. Throws what errors.ts lists, after the results
 * are written where rows were sent.
 */
export async function createFromFile(context: Context, from: string, flags: CreateFlags): Promise<void> {
  const input = await readInput(context, from);
  const { rows, warnings } = checkCreate(input);
  const resultsPath = resultsPathOf(from, flags);
  const journalPath = `${resultsPath}.journal`;
  tellWarnings(context, warnings);
  if (flags.dryRun) {
    const { printCreatePlan } = await import('./create-plan.ts');
    return printCreatePlan(context, rows, journalPath, flags);
  }
  const { baseUrl, nowMs } = await context.service();
  const output = await openBulkOutput(context, input, resultsPath, flags);
  try {
    const open = (path: string) => openJournal(path, baseUrl, rows);
    const [results, failure] = await withJournal(context, journalPath, open, async (journal) => {
      const ledger = await openLedger({ journal, rows: rows.length, clock: context.clock, serviceNowMs: nowMs, uptimeMs });
      const end = await create(context, rows, ledger, flags);
      const results = createResults(ledger, end);
      return [results, failureOf(end, results, rows, resultsPath)] as const;
    });
    // Interrupted: the journal knows where to go on, and the results stay as they were.
    if (context.signal.aborted) {
      context.console.note(`${results.filter(isDone).length} of ${rows.length} rows are done: run this again to go on`);
      throw context.signal.reason;
    }
    await output.finish(results);
    await tellSummary(context, results, resultsPath);
    if (failure !== undefined) throw failure;
  } finally {
    await output.abort();
  }
}

async function create(context: Context, rows: readonly CreateRow[], ledger: Ledger, flags: CreateFlags): Promise<CreateEnd> {
  const { clock, signal, console } = context;
  const { concurrency } = await context.settings();
  const service = await context.service();
  const listCodes = () => everyCode(service, concurrency);
  const word: Word = { adopt: flags.adopt ?? [], notCreated: flags.notCreated ?? [] };
  checkWord(word, ledger);
  await takeWord(word, { rows, ledger, getCode: service.getCode, listCodes, warn: console.warn });
  const isOpen = ledger.all().some(({ state }) => state === 'open' || state === 'rejected');
  if (flags.skipExisting && isOpen) await recordExisting(findExisting(rows, ledger, await listCodes()), ledger);

  const left = ledger.all().filter(({ id }) => id === undefined).length;
  if (left === 0) return { stop: undefined, stopRow: undefined, undecided: [] };
  const progress = showRowProgress(context, service, left, 'created');
  try {
    return await createRows({
      ...{ rows, ledger, service, listCodes, clock, signal, concurrency },
      askClock: () => service.listCodes({ page: 1, limit: 1 }),
      failFast: flags.failFast ?? false,
      onEvent(event) {
        if (event.is === 'settling') progress.settling(event.ms);
        else if (event.is !== 'unknown') progress.count(event.is !== 'rejected');
      },
    });
  } finally {
    progress.stop();
  }
}
