/** Shows the codes to delete and asks for confirmation. */
import { UsageError } from '../../../base/errors.ts';
import { inParallel } from '../../../base/parallel/in-parallel.ts';
import { codeInShell, countOf, inQuotes, quote } from '../../../base/text/quote.ts';
import type { Plan } from '../../../codes/engine/plan/model.ts';
import type { Context } from '../../../context.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { askUntil } from '../../ask-until.ts';
import type { DeleteFlags } from './flags.ts';

type Consent = Pick<DeleteFlags, 'yes' | 'dryRun'> & Partial<Pick<DeleteFlags, 'offline' | 'backup'>>;

/** Throws UsageError if there is no terminal to prompt on and `--yes` is not set: nothing is sent then. */
export function requireConsent({ console }: Context, { yes, dryRun, offline }: Consent, from?: string): void {
  if (yes || dryRun || offline || (console.canAsk && from !== '-')) return;
  throw new UsageError('cannot prompt for confirmation: not a terminal', {
    hint: "Deleting codes and their scans can't be undone. Pass --yes to delete, or --dry-run to preview.",
  });
}

const MOST_SHOWN = 20;

/**
 * Shows names and scans and prompts, unless `--yes`: with the workspace, and the place of the backup. For several codes the user types
 * their number. Throws UsageError on any other reply.
 */
export async function confirm(
  context: Context,
  codes: readonly QrCode[],
  { yes, backup }: Consent,
): Promise<void> {
  if (yes || codes.length === 0) return;
  const { console } = context;
  const scans = await countScans(context, codes);
  const all = [...scans.values()].reduce((sum, count) => sum + count, 0);
  const [only] = codes;
  if (only && codes.length === 1) {
    console.note(
      `To keep the code and its scans, pause it instead: \`qrctl qr update ${codeInShell(only)} --status paused\``,
    );
    tellBackup(context, backup);
    const what = `${inQuotes(only.name)} (slug ${quote(only.slug)}) and its ${countOf(all, 'scan')}`;
    const question = `Delete ${what} in ${await workspaceOf(context)}? This can't be undone. [y/N] `;
    return requireYes(context, question, /^y(es)?$/i, 'type y to delete it, or n');
  }
  for (const { id, name, slug } of codes.slice(0, MOST_SHOWN)) {
    console.note(`${inQuotes(name)} (slug ${quote(slug)}): ${countOf(scans.get(id) ?? 0, 'scan')}`);
  }
  if (codes.length > MOST_SHOWN)
    console.note(`and ${codes.length - MOST_SHOWN} more (list all with --dry-run)`);
  console.note(
    'To keep the codes and their scans, pause them instead: `qrctl qr update CODE… --status paused`',
  );
  tellBackup(context, backup);
  const what = `${countOf(codes.length, 'code')} and their ${countOf(all, 'scan')}`;
  const question = `Delete ${what} in ${await workspaceOf(context)}? This can't be undone. Type ${codes.length} to continue: `;
  await requireYes(
    context,
    question,
    new RegExp(`^${codes.length}$`),
    `type ${codes.length} to delete them, or n`,
  );
}

/** Notes the effect of `--backup` before a code is deleted. */
export function tellBackup({ console }: Context, directory: string | undefined): void {
  if (directory === undefined) return;
  console.note(
    `Before deleting a code, qrctl pauses it if it is active, and saves it with its scans in ${quote(directory)}`,
  );
}

/** Two profiles may have a code of the same slug. A key of the environment overrides that of the profile. */
async function workspaceOf(context: Context): Promise<string> {
  const { profile, keySource } = await context.settings();
  const { host } = new URL((await context.service()).baseUrl);
  const { outsideName } = await import('../../../settings/resolve-key.ts');
  const outside = outsideName(keySource);
  return outside === undefined
    ? `profile ${quote(profile)} (${host})`
    : `the workspace of ${outside} (${host})`;
}

/** Prompts until the reply is yes, or declines (empty, or no). A typo is neither. Throws UsageError unless it is yes. */
async function requireYes(context: Context, question: string, yes: RegExp, forms: string): Promise<void> {
  const agreed = await askUntil(
    context,
    () => context.console.ask(question),
    (answer) => {
      if (yes.test(answer.trim())) return true;
      if (/^(no?)?$/i.test(answer.trim())) return false;
      throw new UsageError(`invalid reply ${inQuotes(answer.trim())}; nothing was deleted`, { hint: forms });
    },
  );
  if (!agreed) throw declined();
}

/** Returns the codes that a plan deletes. */
export function codesToDelete({ items }: Pick<Plan, 'items'>): QrCode[] {
  return items.flatMap(({ action, code }) => (action === 'delete' && code ? [code] : []));
}

function declined(): UsageError {
  return new UsageError('nothing was deleted', { hint: 'Preview the deletion with --dry-run.' });
}

/** How many scans each code has, by its id: a request each. */
export async function countScans(context: Context, codes: readonly QrCode[]): Promise<Map<string, number>> {
  const service = await context.service();
  const scans = new Map<string, number>();
  await inParallel(codes, service.concurrency, async ({ id }) => {
    scans.set(id, (await service.listScans(id, { page: 1, limit: 1 })).total);
  });
  return scans;
}
