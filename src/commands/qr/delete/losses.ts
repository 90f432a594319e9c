/** Previews a deletion and its cost (`qr delete --dry-run`). */
import { inParallel } from '../../../base/parallel/in-parallel.ts';
import { countOf } from '../../../base/text/quote.ts';
import type { DeletedBefore } from '../../../codes/deletion/delete-rows.ts';
import { describeMissing, type Lookup } from '../../../codes/engine/find-codes.ts';
import type { TargetRow } from '../../../codes/input/check-rows.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import type { OutputFlags } from '../../../files/formats/plan-output.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { requestsToLookUp } from '../bulk-progress.ts';
import { ERROR } from '../code-columns.ts';
import { DONE_BEFORE, type DryRun, type PlannedRow, printDryRun, tellFailing } from '../dry-run.ts';
import { type Consent, codesOf, countScans, hasSlug, tellBackup } from './confirm.ts';
import type { DeleteFlags } from './flags.ts';

/** Columns of `--dry-run`. */
export const LOSS_COLUMNS: readonly Column[] = [
  { name: 'line', importance: 2, keepWhole: true },
  { name: 'id', importance: 1, keepWhole: true },
  { name: 'slug', importance: 3, keepWhole: true },
  { name: 'name', importance: 4, leastWidth: 16, wishedWidth: 24 },
  { name: 'action', importance: 5, keepWhole: true },
  { name: 'scans', importance: 5, align: 'right', keepWhole: true },
  ERROR,
];

/**
 * `--dry-run`: one record per row, with the number of scans that would be lost. `slugRequests` is the number of requests for looking up
 * slugs now; `before` are the outcomes that earlier runs of a file recorded (the run itself reads the code once more for a backup).
 */
export async function printLosses(
  context: Context,
  all: readonly TargetRow[],
  {
    lookup,
    slugRequests,
    before,
    checked,
  }: { lookup: Lookup; slugRequests: number; before?: DeletedBefore; checked?: DryRun['checked'] },
  flags: OutputFlags & Consent & Pick<DeleteFlags, 'backup'>,
): Promise<void> {
  const isDone = (row: TargetRow) => before?.find(row)?.is === 'deleted';
  const rows = all.filter((row) => !isDone(row));
  const codes = codesOf(rows, lookup);
  const service = await context.service();
  const lookingUp = await requestsToLookUp(service, rows);
  const bySlug = rows.filter(hasSlug);
  const lookingSlugsUp = bySlug.length === 0 ? 0 : await requestsToLookUp(service, bySlug, slugRequests);
  const backup = flags.backup === undefined ? undefined : await foreseeBackups(context, codes);
  const scans = backup?.scans ?? (await countScans(context, codes));
  const records = all.map((row): PlannedRow => {
    const { line } = row;
    const code = isDone(row) ? undefined : lookup(row);
    if (code)
      return { line, id: code.id, slug: code.slug, name: code.name, action: 'delete', scans: scans.get(code.id), error: null };
    return { line, id: row.id, slug: row.slug, ...withoutCode(row, before) };
  });
  const failing = records.filter(({ action }) => action === 'failed').length;
  const lost = [...scans.values()].reduce((sum, count) => sum + count, 0);
  const what = `${countOf(codes.length, 'code')} and ${countOf(lost, 'scan')} would be deleted${tellFailing(failing)}`;
  if (codes.length > 0) tellBackup(context, flags.backup);
  const deleting = idsSent(rows, lookup, before).size + (backup?.requests ?? 0);
  // A code that was not looked up is read for its backup.
  const read = (lookedUp: number) => (backup ? codes.length - (before ? 0 : lookedUp) : 0);
  // A prompt shows names and scans first; with --yes only slugs are looked up, including those with an ID.
  const unasked = lookingSlugsUp + read(codesOf(bySlug, lookup).length) + deleting;
  const dryRun = { records, columns: LOSS_COLUMNS, none: 'no rows', checked };
  if (flags.yes) return printDryRun(context, { ...dryRun, what, requests: unasked }, flags);
  const shown = `${what} (with --yes: ${countOf(unasked, 'request')})`;
  const requests = lookingUp + codes.length + read(codes.length) + deleting;
  await printDryRun(context, { ...dryRun, what: shown, requests }, flags);
}

/** Returns the action for a row whose code does not exist: a killed run that had begun to delete it may have done so. */
function withoutCode(row: TargetRow, before: DeletedBefore | undefined): Pick<PlannedRow, 'action' | 'error'> {
  const found = before?.find(row)?.is;
  if (found === 'deleted') return { action: 'unchanged', error: DONE_BEFORE };
  if (found === 'deleting') return { action: 'delete', error: 'an earlier run was interrupted while it deleted this code' };
  return { action: 'failed', error: describeMissing(row) };
}

/**
 * Returns the IDs for which a request is sent: also for a missing code, which that request detects, if its row or a killed run contains the
 * ID.
 */
function idsSent(rows: readonly TargetRow[], lookup: Lookup, before: DeletedBefore | undefined): Set<string> {
  const idOf = (row: TargetRow) => {
    const begun = before?.find(row);
    return lookup(row)?.id.toLowerCase() ?? row.id ?? (begun?.is === 'deleting' ? begun.id : undefined);
  };
  return new Set(rows.flatMap((row) => idOf(row) ?? []));
}

async function foreseeBackups(context: Context, codes: readonly QrCode[]) {
  const { estimateBackup } = await import('../../../scans/backup/back-up.ts');
  const service = await context.service();
  const all = { scans: new Map<string, number>(), requests: 0 };
  await inParallel(codes, service.concurrency, async (code) => {
    const { scans, requests } = await estimateBackup(service, code);
    all.scans.set(code.id, scans);
    all.requests += requests;
  });
  return all;
}
