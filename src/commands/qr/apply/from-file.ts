/** Applies a file of codes (`qr apply --from`). */
import { existsSync } from 'node:fs';
import { UsageError } from '../../../base/errors.ts';
import { addFile } from '../../../base/run/run-summary.ts';
import { countOf, formatCount, quote } from '../../../base/text/quote.ts';
import { applyFailure } from '../../../codes/engine/apply-failure.ts';
import { applyRows, whileLocked } from '../../../codes/engine/apply-rows.ts';
import type { CarriedOut } from '../../../codes/engine/carry-out.ts';
import { countOutcomes } from '../../../codes/engine/count-outcomes.ts';
import { checkKeyed } from '../../../codes/engine/keyed-rows.ts';
import { checkLockPlace, lockPathOf, useLock } from '../../../codes/engine/lock-store.ts';
import type { Context } from '../../../context.ts';
import { type Input, problemOf, refuseChecked } from '../../../files/formats/read/input.ts';
import { withFlatMemory } from '../../../service/v8-flags.ts';
import { readInput } from '../../bulk-input.ts';
import { outranked, type RowProgress } from '../bulk-progress.ts';
import { requireServiceFor, tellWarnings } from '../tell-checked.ts';
import { createJob } from './create-job.ts';
import type { ApplyFlags } from './flags.ts';
import { openPlanOutput } from './plan-output.ts';
import { APPLIED_COLUMNS } from './plan-records.ts';
import { checkFile, previewFile } from './preview.ts';

/** Throws UsageError for a file that can't be applied (nothing was sent then), and what errors.ts lists where something is left to do. */
export function applyFile(context: Context, from: string, flags: ApplyFlags): Promise<void> {
  return withFlatMemory(() => apply(context, from, flags));
}

async function apply(context: Context, from: string, flags: ApplyFlags): Promise<void> {
  const lockPath = lockOf(context, from, flags);
  const { key = 'key' } = flags;
  const input = await readInput(context, from, { ...flags, key });
  const checked = await checkKeyed(input, { key, force: flags.force, signal: context.signal });
  refuseChecked(input, checked, flags.strict);
  for (const note of checked.notes) context.console.note(note);
  const given = { input, checked, lockPath, flags };
  if (flags.offline) return checkFile(context, given);
  context.facts.rows = checked.rows.length;
  if (flags.dryRun) {
    await requireServiceFor(context, input);
    return previewFile(context, given);
  }
  await checkLockPlace(lockPath);
  tellWarnings(context, input, checked.warnings);
  const printer = await openPlanOutput(context, flags, APPLIED_COLUMNS, input.name);
  const progress: { shown?: RowProgress } = {};
  try {
    const job = await createJob(context, given, progress);
    const onWait = () => context.console.note(`Waiting for another run that is using ${lockPath}`);
    const end = await whileLocked(job, onWait, () => applyRows(job)).finally(() => progress.shown?.stop());
    const isWritten = existsSync(lockPath);
    if (isWritten) addFile(context.facts, lockPath);
    noteEnd(context, end, input);
    const failure = applyFailure(end);
    await printer.print(end.ended, end.plan.unmanaged).catch((error) => {
      throw outranked(error, failure);
    });
    const { requests } = (await context.service()).stats();
    const cost = countOf(requests, 'request');
    context.console.note(`${tellOutcomes(end)} (${cost})${isWritten ? `. Lock file: ${lockPath}` : ''}`);
    if (failure !== undefined) throw failure;
  } finally {
    await printer.discard();
  }
}

function lockOf({ files }: Context, from: string, { lock }: ApplyFlags): string {
  const path = lock ?? (from === '-' ? undefined : lockPathOf(from));
  if (path === undefined)
    throw new UsageError('--from - requires --lock', { hint: 'Add --lock FILE, or save the rows in a file.' });
  useLock(files, path);
  return path;
}

/** Returns how the keys ended: `3 keys: 1 created, 2 unchanged`. */
function tellOutcomes({ ended }: CarriedOut): string {
  const counts = [...countOutcomes(ended)].map(([outcome, count]) => `${formatCount(count)} ${outcome}`);
  return `${countOf(ended.length, 'key')}: ${counts.join(', ') || 'nothing to do'}`;
}

function noteEnd(context: Context, { ended }: CarriedOut, input: Input): void {
  context.facts.problems = ended.flatMap(({ item: { key, row }, outcome, error }) =>
    outcome === 'failed' || outcome === 'undecided'
      ? [problemOf(input, { line: row?.line, message: `key ${quote(key)}: ${error ?? outcome}` })]
      : [],
  );
  context.facts.codes = ended.filter(({ code }) => code !== undefined).length;
  context.facts.outcomes = Object.fromEntries(countOutcomes(ended));
}
