/** Applies a file of codes (`qr apply --from`). */

import { existsSync } from 'node:fs';
import { ClosedPipeError, UsageError } from '../../../base/errors.ts';
import { addFile } from '../../../base/run/run-summary.ts';
import { countOf, formatCount } from '../../../base/text/quote.ts';
import type { RunEnd } from '../../../codes/engine/executor/job.ts';
import { entriesOf } from '../../../codes/engine/lock/lock-entries.ts';
import type { LockFile } from '../../../codes/engine/lock/lock-file.ts';
import {
  checkLockPlace,
  lockPathOf,
  OTHER_LOCK,
  readLock,
  useLock,
  writeLock,
} from '../../../codes/engine/lock/lock-store.ts';
import { judgeNew } from '../../../codes/engine/plan/judge.ts';
import { failureOfRun } from '../../../codes/engine/results/run-failure.ts';
import type { Context } from '../../../context.ts';
import { acquireLock } from '../../../files/durable/lock.ts';
import { nodeDisk } from '../../../files/durable/node-disk.ts';
import { refuseFaults } from '../../../files/formats/read/input.ts';
import { checkWorkspace, type RecordedWorkspace } from '../../../service/workspace.ts';
import { openPlanOutput, type PlanPrinter } from '../plan/print-plan.ts';
import { endedRun, plannedRun } from '../plan/printed-plan.ts';
import { BrakeError, carryOut, previewRows } from '../rows/carry-out.ts';
import { policyOf } from '../rows/flags.ts';
import { noteOldJournal } from '../rows/old-journal.ts';
import { readRowsFile } from '../rows/run-file.ts';
import { noteEnds, tellStop, tellSummary } from '../rows/tell-ends.ts';
import type { RowsFile, RowsVerb } from '../rows/verb.ts';
import { tellWarnings } from '../tell-checked.ts';
import type { ApplyFlags } from './flags.ts';

const NO_ENTRIES: LockFile['entries'] = new Map();

/** Throws UsageError for a file that can't be applied (nothing was sent then), and as listed in errors.ts if something is left to do. */
export async function applyFile(context: Context, from: string, flags: ApplyFlags): Promise<void> {
  const { adoptExisting = false, removed = 'report', key: keyColumn } = flags;
  const verb: RowsVerb = {
    policy: policyOf('apply', flags, { adoptExisting, removed }),
    done: 'applied',
    keyColumn,
  };
  const lockPath = placeOfLock(context, from, flags);
  const file = await readRowsFile(context, from, flags, verb);
  context.facts.rows = file.checked.rows.length;
  if (flags.offline) return checkFile(context, file, lockPath, flags);
  if (flags.dryRun) {
    const lock = await readLock(nodeDisk, lockPath, context.signal);
    if (lock) await workspaceOf(context, lock, lockPath);
    return previewRows(context, file, flags, verb, lock?.entries ?? NO_ENTRIES);
  }
  await checkLockPlace(lockPath);
  noteOldJournal(context, lockPath);
  tellWarnings(context, file.input, file.checked.warnings);
  const printer = await openPlanOutput(context, flags, true);
  try {
    await applyLocked(context, { file, flags, verb, lockPath, printer });
  } finally {
    await printer.discard();
  }
}

interface ApplyRun {
  readonly file: RowsFile;
  readonly flags: ApplyFlags;
  readonly verb: RowsVerb;
  readonly lockPath: string;
  readonly printer: PlanPrinter;
}

/** While another run uses the lock file, this one waits; it plans what is left then. */
async function applyLocked(context: Context, run: ApplyRun): Promise<void> {
  const { clock, signal, console } = context;
  const { lockPath } = run;
  const onWait = () => console.note(`Waiting for another run that is using ${lockPath}`);
  const held = await acquireLock(lockPath, { clock, signal, onWait, waitMs: Number.POSITIVE_INFINITY });
  try {
    await apply(context, run);
  } finally {
    await held.release();
  }
}

async function apply(context: Context, run: ApplyRun): Promise<void> {
  const { lockPath, file, flags, verb, printer } = run;
  const { input, checked } = file;
  const before = await readLock(nodeDisk, lockPath, context.signal);
  const workspace = await workspaceOf(context, before, lockPath);
  const entries = before?.entries ?? NO_ENTRIES;
  const end = await carryOut(context, file, flags, verb, entries).catch(async (error) => {
    // The plan is what the user decides about, also if it is not carried out.
    if (error instanceof BrakeError)
      await printer.print(plannedRun(error.plan, { name: input.name, verb: 'apply' }));
    throw error;
  });
  const next = { workspace, entries: entriesOf(end.ends, entries) };
  await writeLock(lockPath, { next, before, disk: nodeDisk, processes: context.processes });
  const isWritten = existsSync(lockPath);
  if (isWritten) addFile(context.facts, lockPath);
  noteEnds(context, end.ends, input);
  tellStop(context, end, true);
  await printEnd(run, end);
  const place = isWritten ? `Lock file: ${lockPath}` : undefined;
  await tellSummary(context, end.ends, {
    warnings: checked.warnings.length + end.plan.warnings.length,
    place,
    thing: 'key',
  });
  const failure = failureOf(run, end);
  if (failure !== undefined) throw failure;
}

async function printEnd(run: ApplyRun, end: RunEnd): Promise<void> {
  const failure = failureOf(run, end);
  const printed = endedRun(end.plan, end.ends, { name: run.file.input.name, verb: 'apply', failure });
  await run.printer.print(printed).catch((error) => {
    throw failure !== undefined && error instanceof ClosedPipeError ? failure : error;
  });
}

function failureOf({ file }: ApplyRun, { ends, stop }: RunEnd): unknown {
  return failureOfRun(ends, { verb: 'apply', file: file.input, stop, resultsPath: undefined });
}

function placeOfLock({ files }: Context, from: string, { lock }: ApplyFlags): string {
  const path = lock ?? (from === '-' ? undefined : lockPathOf(from));
  if (path === undefined)
    throw new UsageError('--from - requires --lock', {
      hint: 'Add --lock FILE, or save the rows in a file.',
    });
  useLock(files, path);
  return path;
}

/**
 * Returns the workspace for the lock file. One of another service or workspace is refused before anything is sent. A rotated key is
 * recognized by the codes of the lock file, without rewriting it: users with different keys share it.
 */
async function workspaceOf(
  context: Context,
  before: LockFile | undefined,
  path: string,
): Promise<RecordedWorkspace> {
  const { workspace, getCode } = await context.service();
  if (!before) return workspace.record();
  const knownIds = [...before.entries.values()].map(({ id }) => id);
  const { workspace: recorded } = before;
  const answer = await checkWorkspace({
    path,
    recorded,
    workspace,
    knownIds,
    getCode,
    elsewhere: OTHER_LOCK,
  });
  return answer === 'same' || (recorded.key !== undefined && knownIds.length > 0)
    ? recorded
    : workspace.record();
}

/** `--offline`: the file and its lock file have no faults that can be found without the service. */
async function checkFile(
  context: Context,
  { input, checked }: RowsFile,
  lockPath: string,
  flags: ApplyFlags,
): Promise<void> {
  const entries = (await readLock(nodeDisk, lockPath, context.signal))?.entries ?? NO_ENTRIES;
  const { rows } = checked;
  const fresh = rows.filter(({ key = '' }) => !entries.has(key));
  const judged = fresh
    .filter(({ id, slug }) => id === undefined && slug === undefined)
    .map((row) => judgeNew(row, flags.force ?? false));
  const warnings = [...checked.warnings, ...judged.flatMap((one) => one.warnings)];
  const faults = judged.flatMap((one) => one.faults);
  refuseFaults(input, flags.strict ? [...faults, ...warnings] : faults);
  tellWarnings(context, input, warnings);
  const keys = new Set(rows.map(({ key }) => key));
  const counts = [
    countOf(rows.length, 'row'),
    `${formatCount(rows.length - fresh.length)} in the lock file`,
    `${formatCount(fresh.length)} new`,
    `${formatCount([...entries.keys()].filter((key) => !keys.has(key)).length)} removed`,
  ];
  context.console.note(`${input.name}: ${counts.join(', ')}, no faults (no request was sent)`);
}
