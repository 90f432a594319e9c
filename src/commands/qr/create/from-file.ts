/** `qr create --from`: from a file of rows to a file of results. */
import { uptime } from 'node:os';
import { checkCreate } from '../../../bulk/check-create.ts';
import { createFailure, createResults } from '../../../bulk/results.ts';
import type { Context } from '../../../context.ts';
import { type CreateEnd, createRows, planRows, type RowPlan } from '../../../once/create-rows.ts';
import type { NewRow } from '../../../once/journal.ts';
import { SETTLE_MS } from '../../../once/landing-delay.ts';
import type { Column } from '../../../output/columns.ts';
import { everyCode, requestsToList } from '../../../service/codes.ts';
import { type BulkRun, runBulk, withJournal } from '../bulk-files.ts';
import { journalOf, requireResults } from '../bulk-flags.ts';
import { readListedCodes } from '../bulk-input.ts';
import { type RowProgress, showRowProgress, tellWaiting } from '../bulk-progress.ts';
import { printDryRun } from '../dry-run.ts';
import { utmOf } from '../utm-flags.ts';
import type { CreateFlags } from './create.ts';

/** Creates what is not created yet; see `runBulk` for what it throws. */
export async function createFromFile(context: Context, from: string, flags: CreateFlags): Promise<void> {
  await runBulk<NewRow>(context, from, flags, {
    command: 'qr create',
    check: (input) => checkCreate(input, { utm: utmOf(flags), force: flags.force }),
    preview: (run) => printPlan(context, run, flags),
    async send({ rows, path }) {
      if (flags.adopt ?? flags.notCreated) requireResults(path, flags.adopt ? '--adopt' : '--not-created');
      const end = await withJournal(context, path, (journalPath) => create(context, rows, path, journalPath, flags));
      const results = createResults(end);
      return { results, failure: createFailure(end, results, rows, path) };
    },
  });
}

async function create(
  context: Context,
  rows: readonly NewRow[],
  path: string | undefined,
  journalPath: string | undefined,
  flags: CreateFlags,
): Promise<CreateEnd> {
  const { clock, signal, console } = context;
  const { concurrency } = await context.settings();
  const service = await context.service();
  let progress: RowProgress | undefined;
  try {
    return await createRows({
      ...{ rows, journalPath, clock, signal, concurrency },
      service: { ...service, createCode: (code, beforeSend) => service.createCode(code, () => inNextTurn(beforeSend)) },
      listCodes: () => everyCode(service, concurrency, 'round'),
      askClock: () => service.listCodes({ page: 1, limit: 1 }),
      uptimeMs: () => uptime() * 1000,
      settleMs: flags.settle ?? SETTLE_MS,
      listed: await readListedCodes(path),
      failFast: flags.failFast ?? false,
      skipExisting: flags.skipExisting ?? false,
      decisions: { adopt: flags.adopt ?? [], notCreated: flags.notCreated ?? [] },
      onEvent(event) {
        if (event.is === 'warning') console.warn(event.text);
        else if (event.is === 'begun')
          progress = showRowProgress(context, service, { rows: event.left, all: rows.length, verb: 'created' });
        else if (event.is === 'waiting') tellWaiting(context, event, progress);
        else if (event.is !== 'unknown') progress?.count(event.is !== 'rejected');
      },
    });
  } finally {
    progress?.stop();
  }
}

/** Rows that wait for the first answer are let through with it: should it stop the run, they hear of that a turn later. */
async function inNextTurn(beforeSend: (() => Promise<void>) | undefined): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await beforeSend?.();
}

const PLAN_COLUMNS = ['line', 'action', 'id', 'name', 'type', 'destination'].map(
  // There is an id only where the row has a code already.
  (name): Column => (name === 'id' ? { name, keepWhole: true } : { name, importance: 1 }),
);

/** `--dry-run`: one record a row. Reads the journal without touching it; asks the service at most for the listing. */
async function printPlan(context: Context, run: BulkRun<NewRow>, flags: CreateFlags): Promise<void> {
  const { rows, path } = run;
  const { concurrency } = await context.settings();
  const service = await context.service();
  const { baseUrl } = service;
  let codes: number | undefined;
  const listCodes = async () => {
    const all = await everyCode(service, concurrency, 'round');
    codes = all.length;
    return all;
  };
  const job = {
    rows,
    journalPath: path === undefined ? undefined : journalOf(path),
    baseUrl,
    listed: await readListedCodes(path),
  };
  const plan = await planRows(job, flags.skipExisting ? listCodes : undefined);
  const listing = service.stats().requests;
  const count = (wanted: RowPlan['action']) => plan.filter(({ action }) => action === wanted).length;
  // Where nothing was listed one small answer tells the limit, which is what the plan is measured by, and how long a listing is.
  const total = codes ?? (await service.listCodes({ page: 1, limit: 1 })).total;

  const records = rows.map(({ line, code: { name, type = 'url', destination = null } }, index) => {
    const { action, id = null } = plan[index] ?? {};
    return { line, action, id, name, type, destination };
  });
  const created = count('create');
  const looked = count('reconcile');
  const pages = requestsToList(total + created, 'round');
  // Looked for: the service's clock first, and the listing when all else is sent.
  const looking = looked > 0 ? 1 + pages : plan.some(({ resent }) => resent) ? pages : 0;
  const requests = (flags.skipExisting && created + count('exists') > 0 ? listing : 0) + created + looking;
  const also = looked ? `, ${looked} to look for first` : '';
  const what = `${created} of ${rows.length} rows would be created${also}`;
  const dryRun = { records, columns: PLAN_COLUMNS, none: 'nothing to create', checked: run, what, requests };
  await printDryRun(context, dryRun, flags);
}
