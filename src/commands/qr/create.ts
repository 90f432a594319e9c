import { Failure, RequestFailure, UnavailableError, UnexpectedResponseError, UsageError } from '#base/errors';
import { inQuotes, inShell, shown } from '#base/text/quote';
import { UTM_NAMES } from '#base/text/utm';
import { choice, defineCommand, flag, forceOption, text, type Values, withExtra } from '#commands/define';
import { outputOptions, printRecords, refuseExisting } from '#commands/output-options';
import type { Context } from '#context';
import { CODE_TYPES, type NewCode, newCode, type QrCode } from '#service/shapes';
import { BULK_OUTPUT, CODE_OUTPUT, codeOutput, TEMPLATE_COLUMNS } from './code-columns.ts';
import { checkNewDestination, utmOf, utmOptions, withTags } from './destination-flags.ts';
import { PLAN_OUTPUT } from './plan/plan-records.ts';
import { planFirst, type RowsVerb } from './rows/carry-out.ts';
import {
  changeOptions,
  decisionOptions,
  OF_FILE,
  policyOf,
  resultsOptions,
  rowsOptions,
} from './rows/flags.ts';
import { readRowsFile, runFile } from './rows/run-file.ts';

const options = {
  name: text('--name <name>', 'Name of the code'),
  type: choice('--type <type>', 'Code type (default: url)', CODE_TYPES),
  destination: text('--destination <address>', 'Address that the code opens'),
  force: forceOption,
  template: flag('--template', 'Print a template for --from, as CSV or .xlsx', {
    conflicts: [
      '--from',
      '--name',
      '--type',
      '--destination',
      '--force',
      ...UTM_NAMES.map((name) => `--utm-${name}`),
    ],
  }),
  ...utmOptions,
  ...rowsOptions,
  from: { ...rowsOptions.from, conflicts: ['--name', '--type', '--destination'] },
  dryRun: { ...rowsOptions.dryRun, requires: ['--from'] },
  ...resultsOptions,
  ...withExtra(OF_FILE, {
    applyEdits: flag('--apply-edits', 'Update the codes of rows that differ from them', { risky: true }),
    ...decisionOptions,
    ...changeOptions,
    explain: text('--explain <line>', 'Explain the plan of one row; change nothing', {
      conflicts: ['--dry-run', '--offline'],
    }),
  }),
  ...outputOptions,
};

type CreateFlags = Values<typeof options>;

export const command = defineCommand({
  description:
    'Creates one code, or one code per row of a file.\n\n' +
    'The file has the columns name, type and destination. Each row gets exactly one code, also in repeated runs. From then on, edit the ' +
    'results file, and run it with --apply-edits. For a file in git, use `qrctl qr apply`.\n\n' +
    'Rows with an ID or slug are existing codes. If a row differs from its code, decide with --apply-edits or --as-new.',
  options,
  columns: [CODE_OUTPUT, BULK_OUTPUT, ...PLAN_OUTPUT, { when: '--template', columns: TEMPLATE_COLUMNS }],
  examples: [
    ['qrctl qr create --name "Spring menu" --destination https://example.com/menu', 'Create one code'],
    ['qrctl qr create --from codes.csv', 'Create a code per row, with the results in codes.results.csv'],
    ['qrctl qr create --from codes.csv --dry-run', 'Show which rows are new, exist or were edited'],
  ],
  async run(context, { options }) {
    if (options.template) return printTemplate(context, options);
    if (options.from === undefined) return createOne(context, options);
    const policy = policyOf('create', options, { applyEdits: options.applyEdits ?? false });
    const verb = { policy, done: 'created', common: { utm: utmOf(options) } };
    const { from, explain } = options;
    if (explain === undefined) return runFile(context, from, options, verb);
    await explainRow(context, from, { ...options, explain }, verb);
  },
});

async function explainRow(
  context: Context,
  from: string,
  flags: CreateFlags & { explain: string },
  verb: RowsVerb,
): Promise<void> {
  const file = await readRowsFile(context, from, flags, verb);
  const wanted = flags.explain;
  const isWanted = ({ line, key }: { line: number; key?: string }) => key === wanted || `${line}` === wanted;
  if (!file.checked.rows.some(isWanted))
    throw new UsageError(`no row of ${file.input.name} has the line or key ${inQuotes(wanted)}`, {
      hint: 'Specify a line as in the messages of qrctl: the header is line 1.',
    });
  const { plan, listing, ledger } = await planFirst(context, { file, flags, verb });
  const { explainLine } = await import('#codes/engine/results/explain-line');
  const lines = plan.items
    .filter(({ row }) => row && isWanted(row))
    .flatMap((item) => explainLine(item, file.input, { listing, ledger, verb: verb.policy.verb }));
  await context.console.write(context.console.harmless(`${lines.join('\n')}\n`));
}

async function createOne(context: Context, flags: CreateFlags): Promise<void> {
  const { name, type } = flags;
  if (name === undefined || name.trim() === '') {
    throw new UsageError(name === undefined ? 'missing --name' : '--name contains only spaces', {
      hint: 'Run `qrctl qr create --name NAME --destination ADDRESS`, or create many codes with --from FILE.',
    });
  }
  const { output, toRecord } = await codeOutput(context, flags, 'record');
  const utm = utmOf(flags);
  const destination = utm ? withTags(flags.destination ?? '', utm) : flags.destination;
  const wanted = newCode(name, type, destination);
  checkNewDestination(context, wanted, flags.force);
  await output.print([toRecord(await create(context, wanted))]);
}

async function create({ service, signal, console, facts }: Context, wanted: NewCode): Promise<QrCode> {
  let sent = false;
  try {
    const { createCode } = await service();
    const code = await createCode(wanted, async () => {
      sent = true;
    });
    Object.assign(facts, { codes: 1, outcomes: { created: 1 } });
    return code;
  } catch (error) {
    const isUnknown = error instanceof RequestFailure && error.outcome === 'unknown';
    if (error instanceof Failure && !(error instanceof UsageError))
      Object.assign(facts, { codes: 0, outcomes: isUnknown ? { undecided: 1 } : { failed: 1 } });
    if (signal.aborted && sent) console.warn(`${MAYBE}; check with \`${lookFor(wanted.name)}\``);
    if (isUnknown && (error instanceof UnavailableError || error instanceof UnexpectedResponseError)) {
      error.message += `; ${MAYBE}`;
      error.hint = `Before you create the code again, check with \`${lookFor(wanted.name)}\`.`;
    }
    throw error;
  }
}

const MAYBE = 'the code may or may not have been created';

function lookFor(name: string): string {
  if (shown(name) !== name) return 'qrctl qr list --sort created_at:desc --limit 10';
  return `qrctl qr list --name ${inShell(name)} --sort created_at:desc`;
}

async function printTemplate(context: Context, flags: CreateFlags): Promise<void> {
  const { output, overwrite } = flags;
  const format = flags.format ?? (output === undefined ? 'csv' : undefined);
  if (output !== undefined && !overwrite) refuseExisting(output, `the template ${output}`);
  await printRecords(context, [], TEMPLATE_COLUMNS, { ...flags, format });
  if (output !== undefined && output !== '-')
    context.console.note(`Wrote the template ${output}. Fill in one row per code, and pass it with --from`);
}
