import { sum } from '#base/collections';
import { UsageError } from '#base/errors';
import { inParallel } from '#base/parallel';
import { codeInShell, countOf, inQuotes, quote } from '#base/text/quote';
import type { Plan } from '#codes/engine/plan/model';
import { type PlanRow, reasonOf } from '#codes/engine/results/explain';
import { askUntil } from '#commands/ask-until';
import { CODE_ARGUMENTS, defineCommand, directory, flag, type Values } from '#commands/define';
import { openOutput, outputOptions } from '#commands/output-options';
import type { Context } from '#context';
import { type Column, wholeColumn } from '#files/formats/columns';
import type { Row } from '#files/formats/row-sink';
import { type Backup, openBackup, requestsOfBackup } from '#scans/backup/back-up';
import { refuseOtherRecords } from '#scans/backup/backup-files';
import type { QrCode } from '#service/shapes';
import { BULK_OUTPUT, ERROR, NAMED_COLUMNS } from './code-columns.ts';
import { codeOf } from './plan/plan-records.ts';
import type { PlanPrinter } from './plan/print-plan.ts';
import { codesFrom, policyOf, resultsOptions, rowsOptions } from './rows/flags.ts';
import { runFile } from './rows/run-file.ts';
import { findNamed, previewNamed, printNamed, runNamed } from './rows/run-named.ts';

const options = {
  yes: flag('--yes', 'Delete without confirmation', { risky: true }),
  backup: directory(
    '--backup <dir>',
    'Pause each code and save it with its scans to DIR; delete it only if the backup is verified as complete',
  ),
  ...rowsOptions,
  from: codesFrom,
  ...resultsOptions,
  ...outputOptions,
};

type DeleteFlags = Values<typeof options>;

const LOSS_COLUMNS: readonly Column[] = [
  wholeColumn('line', 2),
  wholeColumn('id', 1),
  wholeColumn('slug', 3),
  { name: 'name', importance: 4, leastWidth: 16, wishedWidth: 24 },
  wholeColumn('action', 5),
  { name: 'scans', importance: 5, align: 'right', keepWhole: true },
  ERROR,
];

export const command = defineCommand({
  description:
    "Deletes codes and all their scans. This can't be undone.\n\n" +
    'Printed codes stop working. On a terminal, qrctl shows the names and scan counts and prompts for confirmation. ' +
    'Without a terminal, it requires --yes.',
  arguments: CODE_ARGUMENTS,
  options,
  columns: [{ columns: NAMED_COLUMNS }, BULK_OUTPUT, { when: '--dry-run', columns: LOSS_COLUMNS }],
  examples: [
    ['qrctl qr delete spring-menu', 'Delete one code after confirmation'],
    ['qrctl qr delete spring-menu --backup deleted', 'Delete a code after saving its scans'],
    ['qrctl qr delete --from old.csv --dry-run', 'Show the codes and scans that would be lost'],
    ['qrctl qr delete --from old.csv --yes', 'Delete codes in a script, with the results in old.results.csv'],
  ],
  async run(context, { args, options }) {
    const { from } = options;
    if (from === undefined) return deleteCodes(context, args, options);
    await deleteFromFile(context, from, options);
  },
});

async function deleteCodes(context: Context, names: readonly string[], flags: DeleteFlags): Promise<void> {
  if (names.length === 0)
    throw new UsageError('no code specified', { hint: 'Run `qrctl qr delete CODE…`, or add --from FILE.' });
  requireConsent(context, flags);
  const output = flags.dryRun
    ? undefined
    : await openOutput(context, flags, NAMED_COLUMNS, names.length === 1 ? 'record' : 'list');
  const backup = await backupOf(context, flags);
  const verb = { verb: 'delete' as const, ...verbOf(context, flags, backup) };
  const named = await findNamed(context, names);
  if (!output) return previewNamed(context, named, verb, flags);
  const end = await runNamed(context, named, verb, flags);
  backup?.reportEnd();
  await printNamed(output, end);
}

async function deleteFromFile(context: Context, from: string, flags: DeleteFlags): Promise<void> {
  requireConsent(context, flags, from);
  const backup = await backupOf(context, flags);
  const ended = () => backup?.reportEnd();
  const verb = verbOf(context, flags, backup);
  await runFile(context, from, flags, { ...verb, policy: policyOf('delete', flags), bareNames: true, ended });
}

function verbOf(context: Context, flags: DeleteFlags, backup: Backup | undefined) {
  return {
    done: 'deleted',
    async confirm(plan: Plan) {
      const codes = codesToDelete(plan);
      if (flags.backup !== undefined) await refuseOtherRecords(flags.backup, codes);
      await confirm(context, codes, flags);
    },
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

/** Maximum number of records that a terminal shows by default, so that later notes stay visible. */
const MOST_RECORDS = 10;

async function openLosses(context: Context, flags: DeleteFlags): Promise<PlanPrinter> {
  const { console } = context;
  const output = await openOutput(context, flags, LOSS_COLUMNS);
  const isCut = output.plan.format === 'table' && flags.format === undefined && console.isTerminal;
  let requests = 0;
  return {
    hasReasons: false,
    async print({ rows }) {
      const codes = codesToDelete({ items: rows.map(({ item }) => item) });
      const scans = await countScans(context, codes);
      const ofBackups = codes.map((code) => requestsOfBackup(code, scans.get(code.id) ?? 0));
      requests = (flags.yes ? 0 : codes.length) + (flags.backup === undefined ? 0 : sum(ofBackups));
      const shown = isCut ? rows.slice(0, MOST_RECORDS) : rows;
      const records = shown.map((row) => recordOf(row, scans));
      await output.print(records, { none: 'no rows' });
      if (rows.length > shown.length)
        console.note(`and ${countOf(rows.length - shown.length, 'more row')} (--format table shows all)`);
      if (codes.length > 0) noteBackup(context, flags.backup);
      const lost = sum(scans.values());
      console.note(`${countOf(codes.length, 'code')} and ${countOf(lost, 'scan')} would be deleted`);
    },
    moreRequests: () => requests,
  };
}

function recordOf(row: PlanRow, scans: ReadonlyMap<string, number>): Row {
  const { action, code, row: { line = null } = {} } = row.item;
  const { id = null, slug = null } = codeOf(row);
  const lost = code ? (scans.get(code.id) ?? null) : null;
  return { line, id, slug, name: code?.name ?? null, action, scans: lost, error: reasonOf(row) ?? null };
}

type Consent = Partial<Pick<DeleteFlags, 'yes' | 'dryRun' | 'offline' | 'backup'>>;

function requireConsent({ console }: Context, { yes, dryRun, offline }: Consent, from?: string): void {
  if (yes || dryRun || offline || (console.canAsk && from !== '-')) return;
  throw new UsageError('cannot prompt for confirmation: not a terminal', {
    hint: "Deleting codes and their scans can't be undone. Pass --yes to delete, or --dry-run to preview.",
  });
}

const MOST_LISTED = 20;

/** Unless --yes is set or `codes` is empty, prompts for confirmation, and throws UsageError without it. */
export async function confirm(
  context: Context,
  codes: readonly QrCode[],
  { yes: isAgreed, backup }: Consent,
): Promise<void> {
  if (isAgreed || codes.length === 0) return;
  const { console } = context;
  const scans = await countScans(context, codes);
  const nameOf = ({ name, slug }: QrCode) => `${inQuotes(name)} (slug ${quote(slug)})`;
  const [only] = codes.length === 1 ? codes : [];
  for (const code of only ? [] : codes.slice(0, MOST_LISTED))
    console.note(`${nameOf(code)}: ${countOf(scans.get(code.id) ?? 0, 'scan')}`);
  if (codes.length > MOST_LISTED)
    console.note(`and ${codes.length - MOST_LISTED} more (list all with --dry-run)`);
  const [its, them] = only ? ['its', 'it'] : ['their', 'them'];
  console.note(
    `To keep the code${only ? '' : 's'} and ${its} scans, pause ${them} instead: \`qrctl qr update ${only ? codeInShell(only) : 'CODE…'} --status paused\``,
  );
  noteBackup(context, backup);
  const what = only ? nameOf(only) : countOf(codes.length, 'code');
  const lost = `${what} and ${its} ${countOf(sum(scans.values()), 'scan')}`;
  const yes = only ? ['y', 'yes'] : [`${codes.length}`];
  const way = only ? '[y/N]' : `Type ${codes.length} to continue:`;
  const question = `Delete ${lost} in ${await workspaceOf(context)}? This can't be undone. ${way} `;
  await requireYes(context, question, yes, `type ${yes[0]} to delete ${them}, or n`);
}

function noteBackup({ console }: Context, directory: string | undefined): void {
  if (directory === undefined) return;
  console.note(
    `Before deleting a code, qrctl pauses it if it is active, and saves it with its scans in ${quote(directory)}`,
  );
}

/** Describes the workspace for the prompt, because codes of two workspaces may have equal slugs. */
async function workspaceOf(context: Context): Promise<string> {
  const { profile, keySource } = await context.settings();
  const { host } = new URL((await context.service()).baseUrl);
  const { outsideName } = await import('#settings/resolve-key');
  const outside = outsideName(keySource);
  return outside === undefined
    ? `profile ${quote(profile)} (${host})`
    : `the workspace of ${outside} (${host})`;
}

async function requireYes(
  context: Context,
  question: string,
  yes: readonly string[],
  hint: string,
): Promise<void> {
  const read = (answer: string) => {
    const reply = answer.trim().toLowerCase();
    if ([...yes, '', 'n', 'no'].includes(reply)) return yes.includes(reply);
    throw new UsageError(`invalid reply ${inQuotes(answer.trim())}; nothing was deleted`, { hint });
  };
  if (!(await askUntil(context, () => context.console.ask(question), read)))
    throw new UsageError('nothing was deleted', { hint: 'Preview the deletion with --dry-run.' });
}

function codesToDelete({ items }: Pick<Plan, 'items'>): QrCode[] {
  return items.flatMap(({ action, code }) => (action === 'delete' && code ? [code] : []));
}

async function countScans(context: Context, codes: readonly QrCode[]): Promise<Map<string, number>> {
  const service = await context.service();
  const scans = new Map<string, number>();
  await inParallel(codes, service.concurrency, async ({ id }) => {
    scans.set(id, (await service.listScans(id, { page: 1, limit: 1 })).total);
  });
  return scans;
}
