/** Deletes codes given as arguments or in a file. */
import { UsageError } from '../../../base/errors.ts';
import type { Plan } from '../../../codes/engine/plan/model.ts';
import type { Context } from '../../../context.ts';
import { type Backup, openBackup } from '../../../scans/backup/back-up.ts';
import { planOutput, printRecord } from '../../output-options.ts';
import { NAMED_COLUMNS } from '../named-codes.ts';
import { policyOf, requireFrom, resultsOptions, rowsOptions } from '../rows/flags.ts';
import { runFile } from '../rows/run-file.ts';
import { findNamed, previewNamed, printNamed, runNamed } from '../rows/run-named.ts';
import { codesToDelete, confirm, requireConsent } from './confirm.ts';
import type { DeleteFlags } from './flags.ts';
import { openLosses } from './losses.ts';

/** Deletes the codes of these IDs or slugs, and prints the outcome of each. Throws as listed in errors.ts. */
export async function deleteCodes(
  context: Context,
  names: readonly string[],
  flags: DeleteFlags,
): Promise<void> {
  // Shows the losses of a deletion without a file, too.
  requireFrom({ ...rowsOptions, ...resultsOptions }, { ...flags, dryRun: undefined });
  if (names.length === 0)
    throw new UsageError('no code specified', { hint: 'Run `qrctl qr delete CODE…`, or add --from FILE.' });
  requireConsent(context, flags);
  const isOne = names.length === 1;
  if (!flags.dryRun) await planOutput(context, flags, NAMED_COLUMNS, isOne ? 'record' : 'list');
  const backup = await backupOf(context, flags);
  const verb = { verb: 'delete' as const, ...verbOf(context, flags, backup) };
  const named = await findNamed(context, names);
  if (flags.dryRun) return previewNamed(context, named, verb, flags);
  const end = await runNamed(context, named, verb, flags);
  backup?.reportEnd();
  const [[code, only] = []] = end.ends;
  if (!isOne || end.failure !== undefined) return printNamed(context, end, flags);
  const { id, slug } = only?.code ?? {};
  await printRecord(context, { code, id, slug, outcome: only?.outcome, error: null }, NAMED_COLUMNS, flags);
}

/** Deletes the codes of the rows of a file. Throws as `runFile`. */
export async function deleteFromFile(context: Context, from: string, flags: DeleteFlags): Promise<void> {
  requireConsent(context, flags, from);
  const backup = await backupOf(context, flags);
  const ended = () => backup?.reportEnd();
  const verb = verbOf(context, flags, backup);
  await runFile(context, from, flags, { ...verb, policy: policyOf('delete', flags), bareNames: true, ended });
}

function verbOf(context: Context, flags: DeleteFlags, backup: Backup | undefined) {
  return {
    done: 'deleted',
    confirm: (plan: Plan) => confirm(context, codesToDelete(plan), flags),
    backUp: backup?.backUp,
    openPreview: () => openLosses(context, flags),
  };
}

async function backupOf(
  context: Context,
  { backup, dryRun, offline }: DeleteFlags,
): Promise<Backup | undefined> {
  return backup === undefined || dryRun || offline ? undefined : openBackup(context, backup);
}
