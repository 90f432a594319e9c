/** Deletes codes given as arguments or in a file. */
import { UsageError } from '../../../base/errors.ts';
import {
  createDeleter,
  type DeletedBefore,
  type DeleteJournal,
  type DeletionWorkspace,
  openDeleteJournal,
  readDeleteJournal,
} from '../../../codes/deletion/delete-rows.ts';
import type { Lookup } from '../../../codes/engine/find-codes.ts';
import { changeFailure } from '../../../codes/engine/results.ts';
import { checkDelete, type TargetRow } from '../../../codes/input/check-rows.ts';
import { findCode } from '../../../codes/listing/find-code.ts';
import type { Context } from '../../../context.ts';
import type { Source } from '../../../files/formats/read/input.ts';
import { type Backup, openBackup } from '../../../scans/backup/back-up.ts';
import { planOutput, printRecord } from '../../output-options.ts';
import { runBulk, withJournal } from '../bulk-files.ts';
import { bulkOptions, journalOf, requireFrom } from '../bulk-flags.ts';
import { changeCodes, lookUp } from '../bulk-progress.ts';
import { countOne } from '../count-one.ts';
import { NAMED_COLUMNS, printNamed, rowsOf } from '../named-codes.ts';
import { codesOf, confirm, hasSlug, requireConsent } from './confirm.ts';
import type { DeleteFlags } from './flags.ts';
import { printLosses } from './losses.ts';

/** Deletes the codes of these IDs or slugs, and prints the outcome of each. Throws as listed in errors.ts. */
export async function deleteCodes(context: Context, names: readonly string[], flags: DeleteFlags): Promise<void> {
  // Shows the losses of a deletion without a file, too.
  requireFrom(bulkOptions, { ...flags, dryRun: undefined });
  if (names.length === 0) throw new UsageError('no code specified', { hint: 'Run `qrctl qr delete CODE…`, or add --from FILE.' });
  requireConsent(context, flags);
  const backup = await backupOf(context, flags);
  const rows = rowsOf(names);
  const [only] = rows;
  if (only && rows.length === 1) return deleteOne(context, only, flags, backup);

  await planOutput(context, flags, NAMED_COLUMNS, 'list');
  const { lookup, slugRequests } = await lookUpLosses(context, rows, flags);
  if (flags.dryRun) return printLosses(context, rows, { lookup, slugRequests }, flags);
  await confirm(context, codesOf(rows, lookup), flags);
  const deleted = await deleteAll(context, rows, lookup, flags, { named: true, backUp: asFound(backup, lookup) });
  backup?.reportEnd();
  await printNamed(context, rows, deleted, flags);
}

async function deleteOne(context: Context, row: TargetRow, flags: DeleteFlags, backup: Backup | undefined): Promise<void> {
  await planOutput(context, flags, NAMED_COLUMNS, flags.dryRun ? 'list' : 'record');
  const service = await context.service();
  const needsLook = row.id === undefined || !flags.yes || flags.dryRun;
  const found = needsLook ? await findCode(service, row.id ?? row.slug ?? '') : undefined;
  const lookup = () => found;
  if (flags.dryRun) return printLosses(context, [row], { lookup, slugRequests: service.stats().requests }, flags);
  await confirm(context, codesOf([row], lookup), flags);
  const deleteRow = createDeleter(service, lookup, undefined, asFound(backup, lookup));
  const result = await countOne(context.facts, 'deleted', () => deleteRow(row));
  backup?.reportEnd();
  await printRecord(context, { code: row.values.get('code'), ...result, error: null }, NAMED_COLUMNS, flags);
}

/** Deletes the codes of the rows of a file; see `runBulk` for its errors. */
export async function deleteFromFile(context: Context, from: string, flags: DeleteFlags): Promise<void> {
  requireConsent(context, { ...flags, dryRun: flags.dryRun ?? flags.offline }, from);
  const backup = await backupOf(context, flags);
  await runBulk<TargetRow>(context, from, flags, {
    command: 'qr delete',
    bareNames: true,
    check: checkDelete,
    async preview(run) {
      const { rows, path, input } = run;
      const { before, left } = await leftOf(context, rows, path, flags);
      await printLosses(context, rows, { ...(await lookUpLosses(context, left, flags, input)), before, checked: run }, flags);
    },
    async send({ rows, path, input }) {
      const { left } = await leftOf(context, rows, path, flags);
      const { lookup } = await lookUpLosses(context, left, flags, input);
      await confirm(context, codesOf(left, lookup), flags);
      const { end, results } = await withJournal(context, path, async (journalPath) => {
        const journal =
          journalPath === undefined ? undefined : await openDeleteJournal(journalPath, await ownOf(context, rows, flags));
        return deleteAll(context, rows, lookup, flags, { journal, backUp: backup?.backUp }).finally(() => journal?.close());
      });
      backup?.reportEnd();
      return { results, failure: changeFailure(end, results, path) };
    },
  });
}

const NOTHING_BEFORE: DeletedBefore = { find: () => undefined };

/** The outcomes of earlier runs, and the rows that they did not finish: only these cost requests. */
async function leftOf(context: Context, rows: readonly TargetRow[], path: string | undefined, flags: DeleteFlags) {
  if (path === undefined) return { before: NOTHING_BEFORE, left: rows };
  const before = await readDeleteJournal(journalOf(path), await ownOf(context, rows, flags));
  return { before, left: rows.filter((row) => before.find(row)?.is !== 'deleted') };
}

/** Workspace that the journal of these rows is bound to. */
async function ownOf(context: Context, rows: readonly TargetRow[], { movedFrom }: DeleteFlags): Promise<DeletionWorkspace> {
  const { workspace, getCode } = await context.service();
  return { workspace, getCode, movedFrom, ids: rows.flatMap(({ id }) => id ?? []) };
}

type BackUp = NonNullable<Parameters<typeof createDeleter>[3]>;

/** Backs codes up as they were looked up: a few that are named, unlike the rows of a file, are not kept waiting for hours before they are deleted. */
function asFound(backup: Backup | undefined, lookup: Lookup): BackUp | undefined {
  return backup && ((id, send) => backup.backUp(id, send, lookup({ id: id.toLowerCase(), slug: undefined })));
}

async function backupOf(context: Context, { backup, dryRun }: DeleteFlags): Promise<Backup | undefined> {
  return backup === undefined || dryRun ? undefined : openBackup(context, backup);
}

/**
 * Slugs must be looked up, and so must the codes in a prompt; an ID without a prompt is deleted directly. `slugRequests` is the number of
 * requests for looking up slugs.
 */
async function lookUpLosses(context: Context, rows: readonly TargetRow[], { yes, dryRun }: DeleteFlags, file?: Source) {
  const ofSlugs = await lookUp(context, yes ? rows.filter(hasSlug) : rows, file);
  const slugRequests = (await context.service()).stats().requests;
  if (!yes || !dryRun) return { lookup: ofSlugs, slugRequests };
  const others = await lookUp(
    context,
    rows.filter((row) => !hasSlug(row) && !ofSlugs(row)),
    file,
  );
  const lookup: Lookup = (row) => ofSlugs(row) ?? others(row);
  return { lookup, slugRequests };
}

function deleteAll(
  context: Context,
  rows: readonly TargetRow[],
  lookup: Lookup,
  { failFast }: DeleteFlags,
  { journal, backUp, named }: { journal?: DeleteJournal | undefined; backUp: BackUp | undefined; named?: boolean },
) {
  return changeCodes(context, rows, { verb: 'deleted', failFast, named: named === true }, async (service) => {
    return { lookup, apply: createDeleter(service, lookup, journal, backUp) };
  });
}
