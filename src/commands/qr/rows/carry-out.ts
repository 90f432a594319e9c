import { randomBytes } from 'node:crypto';
import { UnprovenError } from '#base/errors';
import { countOf } from '#base/text/quote';
import { type Clock, formatInstant, letSignalsIn } from '#base/time/time';
import type { BackUp, RowEnd, RunEnd } from '#codes/engine/executor/job';
import { listingOf, readFirst, readNamed } from '#codes/engine/executor/read-plan';
import { leftPaused, runRows } from '#codes/engine/executor/run-rows';
import { openLedger, readLedger, volatileLedger } from '#codes/engine/ledger/open-ledger';
import { describeBrakes } from '#codes/engine/plan/brakes';
import type { LedgerView, Plan, PlanInput, PlanItem, Policy, Row } from '#codes/engine/plan/model';
import { plan } from '#codes/engine/plan/plan';
import type { CheckedRows, RowsOptions } from '#codes/engine/rows/read-rows';
import type { CommonChanges } from '#codes/input/check-rows';
import type { RowOutcome } from '#codes/input/outcomes';
import { everyCode } from '#codes/listing/codes';
import { describeMissing } from '#codes/listing/find-codes';
import { endDryRun, notePlan, openPlanOutput, type PlanPrinter } from '#commands/qr/plan/print-plan';
import type { Context } from '#context';
import type { Column } from '#files/formats/columns';
import { type Fault, type Input, refuseFaults, type Source } from '#files/formats/read/input';
import type { QrCode } from '#service/shapes';
import type { RowsFlags } from './flags.ts';
import { createProgress, noteWarnings, requireServiceFor } from './notes.ts';

export interface RowsVerb {
  policy: Policy;
  /** Participle for the progress bar, such as `created`. */
  done: string;
  bareNames?: boolean;
  keyColumn?: string;
  common?: Omit<CommonChanges, 'force' | 'signal'> & Pick<RowsOptions, 'readAt'>;
  plan?: (input: PlanInput, file: Source, nowMs: number | undefined) => Plan;
  faultsOf?: (input: Input, rows: readonly Row[]) => readonly Fault[];
  itemsByRow?: (items: Plan['items']) => Plan['items'];
  endsByRow?: (ends: readonly RowEnd[]) => readonly RowEnd[];
  isNews?: (end: { outcome: RowOutcome }) => boolean;
  columns?: readonly Column[];
  undoes?: string;
  confirm?: (plan: Plan) => Promise<void>;
  backUp?: BackUp;
  openPreview?: () => Promise<PlanPrinter>;
  /** Codes specified as arguments, as read before the run. If set, only a run with a backup uses a ledger. */
  named?: readonly QrCode[];
  earlierIds?: ReadonlySet<string>;
  ended?: (end: RunEnd) => void;
}

export interface RowsFile {
  input: Input;
  checked: CheckedRows;
}

/** Time in ms until the service lists a new code (default of --settle). */
const SETTLE_MS = 10_000;

export async function previewRows(context: Context, run: RowsJob): Promise<void> {
  const { file, flags, verb } = run;
  const { input, checked } = file;
  await requireServiceFor(context, input);
  const printer = await (verb.openPreview?.() ?? openPlanOutput(context, flags, false, verb.columns));
  try {
    const { plan: planned, listing, ledger } = await planFirst(context, run);
    const paused = leftPaused(ledger, { plan: planned, listing }).length;
    if (paused > 0)
      context.console.note(
        `The run restores the status of ${countOf(paused, 'code')}, which an interrupted backup paused`,
      );
    const items = verb.itemsByRow?.(planned.items) ?? planned.items;
    await endDryRun(context, printer, {
      plan: { ...planned, items },
      verb: verb.policy.verb,
      file: input,
      warnings: checked.warnings,
      spent: (await context.service()).stats().requests,
      exitCode: flags.exitCode ?? false,
    });
  } finally {
    await printer.discard?.();
  }
}

/** Plans rows with GET requests only. Throws UsageError for faults, and with --strict also for warnings. */
export async function planFirst(context: Context, run: RowsJob) {
  const { file, flags, verb } = run;
  const ledger = verb.named ? volatileLedger().view() : await readLedger(await ledgerPlace(context, flags));
  const planned = await readFirst(await jobOf(context, run, ledger));
  refusePlan(file.input, planned.plan, flags.strict);
  return { ...planned, ledger };
}

export async function carryOut(context: Context, run: RowsJob): Promise<RunEnd> {
  const { file, flags, verb } = run;
  const { clock, signal, console } = context;
  const onWait = (path?: string) => {
    const place = path === undefined ? 'in this workspace' : `with ${path}`;
    console.note(`Waiting for another run over a file ${place}`);
  };
  const isForgetful = verb.named !== undefined && verb.backUp === undefined;
  const place = await ledgerPlace(context, flags);
  const ledger = isForgetful ? volatileLedger() : await openLedger({ ...place, clock, signal, onWait });
  const service = await context.service();
  const progress = createProgress(context, service, verb.done);
  const close = () => {
    progress.stop();
    return ledger.close();
  };
  let end: RunEnd;
  try {
    end = await runRows({
      ...(await jobOf(context, run, ledger.view())),
      ledger,
      service: {
        ...service,
        createCode: (code, beforeSend) =>
          service.createCode(code, async () => {
            // Waits one event loop turn, so that parallel requests see if the first response stops the run.
            await letSignalsIn(undefined);
            await beforeSend?.();
          }),
      },
      concurrency: service.concurrency,
      failFast: flags.failFast ?? false,
      backUp: verb.backUp,
      beforeEnd: run.beforeEnd,
      async onPlan(planned) {
        refusePlan(file.input, planned, flags.strict);
        noteWarnings(context, file.input, planned.warnings);
        const [brake] = planned.brakes;
        if (brake) throw new BrakeError(planned);
        await verb.confirm?.(planned);
        notePlan(context, planned, verb.policy.verb);
        progress.begin(planned);
      },
      onEvent: progress.take,
    });
  } catch (error) {
    await close();
    throw error;
  }
  // Does not throw if the ledger can't be closed, so that results are still written.
  const failure = await close().catch((error: unknown) => error);
  return failure === undefined ? end : { ...end, stop: end.stop ?? failure };
}

export class BrakeError extends UnprovenError {
  plan: Plan;

  constructor(plan: Plan) {
    const preview = plan.brakes[0]?.is === 'max-changes' ? 'Check the plan with --dry-run. ' : '';
    const { message, hint } = describeBrakes(plan.brakes);
    super(`${message}; no changes were made`, {
      hint: preview + hint,
    });
    this.plan = plan;
  }
}

export interface RowsJob {
  file: { input: Source; checked: { rows: readonly Row[]; warnings: readonly Fault[] } };
  flags: RowsFlags;
  verb: RowsVerb;
  lock?: PlanInput['lock'];
  beforeEnd?: (ends: readonly RowEnd[]) => Promise<void>;
}

async function jobOf(context: Context, { file, flags, verb, lock }: RowsJob, view: LedgerView) {
  const { clock, signal } = context;
  const service = await context.service();
  const { named } = verb;
  const isNamed = verb.policy.verb === 'update' || verb.policy.verb === 'delete';
  const read = named
    ? async () => listingOf(named, false)
    : (rows: readonly Row[]) => readNamed(service, rows);
  return {
    run: nameRun(clock),
    rows: file.checked.rows,
    policy: verb.policy,
    undoes: verb.undoes,
    lock,
    ledger: { view: () => view },
    plan(given: PlanInput): Plan {
      const input = { ...given, earlierIds: verb.earlierIds };
      if (named) return planNamed(input);
      return verb.plan ? verb.plan(input, file.input, service.nowMs()) : plan(input);
    },
    listCodes: () => everyCode(service, 'round'),
    readNamed: isNamed ? read : undefined,
    service,
    clock,
    settleMs: flags.settle ?? SETTLE_MS,
    signal,
  };
}

/** Returns a run ID such as `20261031-0930-a1b2c3` (in UTC). */
function nameRun({ now }: Clock): string {
  const minute = formatInstant(now()).slice(0, 16).replace(/[-:]/g, '').replace('T', '-');
  return `${minute}-${randomBytes(3).toString('hex')}`;
}

function planNamed(input: PlanInput): Plan {
  const planned = plan(input);
  const items = planned.items.map((item): PlanItem => {
    if (!item.row || (item.action !== 'gone' && item.action !== 'deleted')) return item;
    const reason = describeMissing(item.row);
    return { ...item, action: 'failed', goneId: undefined, goneSlug: undefined, reason };
  });
  return { ...planned, items };
}

export async function ledgerPlace(context: Context, { ledger: path }: RowsFlags) {
  const { workspace, getCode } = await context.service();
  return {
    path,
    env: context.env,
    workspace,
    getCode,
    warn: (sentence: string) => context.console.warn(sentence, true),
    note: (sentence: string) => context.console.note(sentence),
  };
}

function refusePlan(input: Source, { faults, warnings }: Plan, strict = false): void {
  refuseFaults(input, strict ? [...faults, ...warnings] : faults);
}
