/** Creates the codes of a file of rows, and writes the results (`qr create --from`). */
import { countOf } from '../../../base/text/quote.ts';
import { createEditor } from '../../../codes/engine/apply-edits.ts';
import { checkCreate } from '../../../codes/engine/check-create.ts';
import type { CreateJob } from '../../../codes/engine/creation/create-job.ts';
import { createRows } from '../../../codes/engine/creation/create-rows.ts';
import type { Decisions } from '../../../codes/engine/creation/decisions.ts';
import type { NewRow } from '../../../codes/engine/creation/new-row.ts';
import { planRows, type RowPlan } from '../../../codes/engine/creation/plan-rows.ts';
import type { CreateEnd } from '../../../codes/engine/creation/row-ends.ts';
import { tellEdit } from '../../../codes/engine/edited-rows.ts';
import { type CreateResults, createResults } from '../../../codes/engine/results.ts';
import { listAllCodes, requestsToList } from '../../../codes/listing/codes.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import { planOutput } from '../../output-options.ts';
import { type BulkRun, runBulk, withJournal } from '../bulk-files.ts';
import { journalOf, requireResults } from '../bulk-flags.ts';
import { type RowProgress, showRowProgress, tellWaiting } from '../bulk-progress.ts';
import { ERROR } from '../code-columns.ts';
import { creatingJob } from '../creating-job.ts';
import { DONE_BEFORE, type PlannedRow, printDryRun } from '../dry-run.ts';
import { listedIn } from '../earlier-results.ts';
import { utmOf } from '../utm-flags.ts';
import type { CreateFlags } from './flags.ts';

/** Creates the codes that do not exist yet; see `runBulk` for its errors. */
export async function createFromFile(context: Context, from: string, flags: CreateFlags): Promise<void> {
  await runBulk<NewRow>(context, from, flags, {
    command: 'qr create',
    check: (input, signal) => checkCreate(input, { utm: utmOf(flags), force: flags.force, signal }),
    preview: (run) => printPlan(context, run, flags),
    async send(run) {
      const { rows, path } = run;
      for (const [flag, given] of Object.entries(journalFlags(flags))) if (given !== undefined) requireResults(path, flag);
      const ended = createResults();
      const end = await withJournal(context, path, (journalPath) => create(context, { ...run, ...ended }, journalPath, flags));
      return { results: ended.results, failure: ended.failure(end, rows, path) };
    },
  });
}

/** Flags that concern an earlier run. */
function journalFlags({ adopt, notCreated, asNew, applyEdits }: CreateFlags): Readonly<Record<string, unknown>> {
  return { '--adopt': adopt, '--not-created': notCreated, '--as-new': asNew, '--apply-edits': applyEdits };
}

function decisionsOf({ adopt = [], notCreated = [], asNew = [] }: CreateFlags): Decisions {
  return { adopt, notCreated, asNew };
}

async function create(
  context: Context,
  { rows, before, take }: BulkRun<NewRow> & Pick<CreateResults, 'take'>,
  journalPath: string | undefined,
  flags: CreateFlags,
): Promise<CreateEnd> {
  const { console } = context;
  const service = await context.service();
  const { failFast = false } = flags;
  const surroundings = await creatingJob(context, flags);
  let progress: RowProgress | undefined;
  try {
    const job: CreateJob = {
      ...{ ...surroundings, rows, journalPath, failFast },
      listPages: () => listAllCodes(service, service.concurrency, 'round'),
      ...listedIn(before, utmOf(flags)),
      ...{ skipExisting: flags.skipExisting ?? false, decisions: decisionsOf(flags) },
      applyEdits: flags.applyEdits ? createEditor({ ...surroundings, service, failFast }) : undefined,
      onEvent(event) {
        if (event.is === 'warning') console.warn(event.text);
        else if (event.is === 'begun')
          progress = showRowProgress(context, service, { rows: event.left, all: rows.length, verb: 'created' });
        else if (event.is === 'waiting') tellWaiting(context, event, progress);
        else if (event.is !== 'unknown') progress?.count(event.is !== 'rejected');
      },
    };
    return await createRows(job, take);
  } finally {
    progress?.stop();
  }
}

/** Columns of `qr create --from --dry-run`. */
export const PLAN_COLUMNS: readonly Column[] = [
  ...['line', 'action', 'id', 'name', 'type', 'destination', 'field', 'old', 'new'].map(
    // Only a row that has a code has an ID.
    (name): Column => (name === 'id' ? { name, keepWhole: true } : { name, importance: 1 }),
  ),
  ERROR,
];

/** Which rows a table shows first. */
const URGENCY: Readonly<Record<RowPlan['action'], number>> = { edited: 0, update: 0, create: 2, exists: 3, unchanged: 4 };

function urgencyOf({ action, isLost }: RowPlan): number {
  return isLost ? 1 : URGENCY[action];
}

/** One record a row; of one that was edited, one for each field. */
function recordsOf(plan: RowPlan): PlannedRow[] {
  const { row, action, id, changes = [] } = plan;
  const { name, type = 'url', destination = null } = row.code;
  const about = { line: row.line, action, id: id ?? null, name, type, destination };
  const error = errorOf(plan);
  if (changes.length === 0) return [{ ...about, field: null, old: null, new: null, error }];
  return changes.map((change) => ({ ...about, ...change, error }));
}

function errorOf({ action, isLost, changes, edit }: RowPlan): string | null {
  if (action === 'unchanged') return DONE_BEFORE;
  // Changes are in columns of their own.
  if (edit && changes === undefined) return tellEdit(edit);
  return isLost ? 'the response was lost in an earlier run; the code is looked up before the row is sent again' : null;
}

/** `--dry-run`: the plan that `createRows` would carry out. Reads the journal without changing it; requests at most the listing. */
async function printPlan(context: Context, run: BulkRun<NewRow>, flags: CreateFlags): Promise<void> {
  const { rows, path, before } = run;
  const service = await context.service();
  let codes: number | undefined;
  async function* listPages() {
    let listed = 0;
    for await (const page of listAllCodes(service, service.concurrency, 'round')) {
      listed += page.length;
      yield page;
    }
    codes = listed;
  }
  const plan = await planRows({
    ...{ rows, service, listPages, movedFrom: flags.movedFrom, decisions: decisionsOf(flags) },
    ...listedIn(before, utmOf(flags)),
    journalPath: path === undefined ? undefined : journalOf(path),
    skipExisting: flags.skipExisting ?? false,
    appliesEdits: flags.applyEdits ?? false,
  });
  // The run requests the same.
  const { requests: spent } = service.stats();
  const count = (wanted: RowPlan['action']) => plan.filter(({ action }) => action === wanted).length;
  // Without a listing, one small request shows the limit, which the cost depends on, and the size of the listing.
  const total = codes ?? (await service.listCodes({ page: 1, limit: 1 })).total;

  const [created, updated, edited] = [count('create'), count('update'), count('edited')];
  const looked = plan.filter(({ isLost }) => isLost).length;
  const sent = created - looked;
  const pages = requestsToList(total + sent, 'round');
  // Looked for: the service's clock first, and the listing when all else is sent.
  const looking = looked > 0 ? 1 + pages : plan.some(({ resent }) => resent) ? pages : 0;
  const read = plan.filter(({ action, changes }) => action === 'update' && changes === undefined).length;
  const also = [
    looked > 0 && `, ${looked} of them looked up first`,
    updated > 0 && `, ${updated} updated`,
    edited > 0 && `, ${edited} edited (add --apply-edits or --as-new LINE)`,
  ];
  const what = `${created} of ${countOf(rows.length, 'row')} would be created${also.filter(Boolean).join('')}`;
  const requests = spent + sent + updated + read + looking;
  const { format } = await planOutput(context, flags, PLAN_COLUMNS, 'list');
  // A terminal shows the first rows, so rows that are done come last.
  const shown = format === 'table' ? [...plan].sort((a, b) => urgencyOf(a) - urgencyOf(b)) : plan;
  const records = shown.flatMap(recordsOf);
  await printDryRun(context, { records, columns: PLAN_COLUMNS, none: 'nothing to create', checked: run, what, requests }, flags);
}
