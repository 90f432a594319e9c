import { UnexpectedResponseError, UsageError } from '#base/errors';
import { quote } from '#base/text/quote';
import type { UtmTags } from '#base/text/utm';
import { chooseTimeZone } from '#base/time/time-zone';
import { contradictions, endsByRow, itemsByRow, nameOf, planDue } from '#codes/dated/due-plan';
import type { Plan, PlanInput } from '#codes/engine/plan/model';
import { reasonOf } from '#codes/engine/results/explain';
import type { CommonChanges } from '#codes/input/check-rows';
import type { RowOutcome } from '#codes/input/outcomes';
import {
  CODE_ARGUMENTS,
  choice,
  defineCommand,
  flag,
  forceOption,
  text,
  type Values,
  withExtra,
} from '#commands/define';
import { openOutput, outputOptions } from '#commands/output-options';
import type { Context } from '#context';
import type { Source } from '#files/formats/read/input';
import { CODE_STATUSES, type CodeChanges, type QrCode } from '#service/shapes';
import { BULK_OUTPUT, CODE_OUTPUT, codeOutput, NAMED_COLUMNS } from './code-columns.ts';
import {
  refuseDestination,
  utmOf,
  utmOptions,
  warnOfDestination,
  withoutUndefined,
  withTags,
} from './destination-flags.ts';
import { DUE_PLAN_COLUMNS, PLAN_OUTPUT } from './plan/plan-records.ts';
import { changeOptions, codesFrom, OF_FILE, policyOf, resultsOptions, rowsOptions } from './rows/flags.ts';
import { runFile } from './rows/run-file.ts';
import { findNamed, type NamedVerb, previewNamed, printNamed, runNamed } from './rows/run-named.ts';

const options = {
  name: text('--name <name>', 'New name of the code'),
  destination: text('--destination <address>', "New address that the code opens ('' for none)", {
    empty: true,
  }),
  status: choice('--status <status>', 'New status of the code', CODE_STATUSES),
  force: forceOption,
  ...utmOptions,
  keepUtm: flag('--keep-utm', 'Keep the UTM tags of the old destination', {
    requires: [['--destination', '--from']],
  }),
  ...withExtra(OF_FILE, {
    due: flag('--due', 'Apply only rows whose `at` time has passed', { conflicts: ['--ignore-dates'] }),
    ignoreDates: flag('--ignore-dates', 'Apply every row now, ignoring the `at` column', { rare: true }),
    timezone: text('--timezone <zone>', "Time zone of `at` (default: the profile's)", {
      rare: true,
      requires: ['--due'],
    }),
  }),
  ...rowsOptions,
  from: codesFrom,
  ...resultsOptions,
  ...changeOptions,
  ...outputOptions,
};

type UpdateFlags = Values<typeof options>;

export const command = defineCommand({
  description:
    'Updates one or more codes, or each row of a file.\n\n' +
    'Each row has an ID or slug, and the new values. If a cell is empty, the value of the flag applies, or the field stays unchanged.\n\n' +
    'Unchanged rows require no update request, so you can safely run the command again.',
  arguments: CODE_ARGUMENTS,
  options,
  columns: [
    CODE_OUTPUT,
    { when: 'CODE CODE…', columns: NAMED_COLUMNS },
    BULK_OUTPUT,
    ...PLAN_OUTPUT,
    { when: '--from --due --dry-run', columns: DUE_PLAN_COLUMNS },
  ],
  examples: [
    [
      'qrctl qr update spring-menu --destination https://example.com/summer',
      'Change the destination of a printed code',
    ],
    ['qrctl qr update --from changes.csv --dry-run', 'Show the old and new values of every row'],
    [
      'qrctl qr update --from plan.csv --due',
      'Apply the rows that are due, for example in an hourly cron job',
    ],
  ],
  async run(context, { args: codes, options }) {
    const { from, force, ignoreDates, keepUtm } = options;
    if (from === undefined && codes.length === 0)
      throw new UsageError('no code specified', {
        hint: 'Run `qrctl qr update CODE… --status paused`, or update many codes with --from FILE.',
      });
    const [changes, utm] = [changesOf(options), utmOf(options)];
    if (from !== undefined) {
      const common = { changes, utm, keepUtm, force, ignoreDates };
      if (options.due) return updateDue(context, from, common, options);
      const policy = policyOf('update', options);
      return runFile(context, from, options, { policy, done: 'updated', bareNames: true, common });
    }
    if (!utm && Object.keys(changes).length === 0)
      throw new UsageError('no change specified', {
        hint: 'Add --name, --destination, --status or a --utm-… flag.',
      });
    await updateNamed(context, codes, { changes, utm }, options);
  },
});

function changesOf({ name, destination, status }: UpdateFlags): CodeChanges {
  if (name?.trim() === '')
    throw new UsageError('--name contains only spaces', { hint: 'Specify a visible name.' });
  return withoutUndefined({ name, destination, status });
}

interface NamedChanges {
  changes: CodeChanges;
  utm?: UtmTags;
}

const VERB: NamedVerb = { verb: 'update', done: 'updated' };

async function updateNamed(
  context: Context,
  names: readonly string[],
  wanted: NamedChanges,
  flags: UpdateFlags,
): Promise<void> {
  const isOne = names.length === 1;
  const single = isOne && !flags.dryRun ? await codeOutput(context, flags, 'record') : undefined;
  const list = isOne || flags.dryRun ? undefined : await openOutput(context, flags, NAMED_COLUMNS);
  const wish = wishOf(wanted);
  const utm = wish.destination === undefined ? wanted.utm : undefined;
  const named = await findNamed(context, names, { wish, utm, keepUtm: flags.keepUtm });
  refuseTags(named.codes, utm);
  const { destination } = wish;
  if (destination !== undefined && !flags.force) refuseDestination(named.codes, destination);
  if (flags.dryRun) return previewNamed(context, named, VERB, flags);
  const end = await runNamed(context, named, VERB, flags);
  if (destination !== undefined)
    for (const [, one] of end.ends)
      if (one?.outcome === 'updated' && one.code) warnOfDestination(context, one.code);
  const [[, only] = []] = end.ends;
  if (list) return printNamed(list, end);
  if (!single || !only?.code || end.failure !== undefined) throw end.failure;
  const altered = reasonOf(only);
  if (altered !== undefined) context.console.warn(altered);
  await single.output.print([single.toRecord(only.code)]);
}

function wishOf({ changes, utm }: NamedChanges): CodeChanges {
  const { destination } = changes;
  if (utm === undefined || destination === undefined) return changes;
  return { ...changes, destination: withTags(destination, utm) };
}

function refuseTags(codes: readonly QrCode[], utm: UtmTags | undefined): void {
  if (utm === undefined) return;
  for (const { slug, destination } of codes)
    withTags(destination ?? '', utm, `the destination of ${quote(slug)}`);
}

const NO_NEWS = new Set<RowOutcome>(['later', 'unchanged', 'not-attempted']);

/**
 * Applies the due rows of a dated plan. Throws UnexpectedResponseError if rows exist and the service sends no
 * time.
 */
async function updateDue(
  context: Context,
  from: string,
  common: CommonChanges,
  flags: UpdateFlags,
): Promise<void> {
  const zone = await defaultZone(context, flags);
  const { readAt } = await import('#codes/dated/read-at');
  await runFile(context, from, flags, {
    policy: policyOf('update', flags, { isDated: true }),
    done: 'updated',
    common: { ...common, readAt: (cell) => readAt(cell, zone) },
    plan: planDated,
    faultsOf: (input, rows) => contradictions(input, rows, nameOf),
    itemsByRow,
    endsByRow,
    isNews: ({ outcome }) => !NO_NEWS.has(outcome),
    columns: DUE_PLAN_COLUMNS,
  });
}

function planDated(input: PlanInput, file: Source, nowMs: number | undefined): Plan {
  if (nowMs !== undefined || input.rows.length === 0) return planDue(input, { nowMs: nowMs ?? 0, file });
  throw new UnexpectedResponseError('cannot determine which rows are due: the service sends no Date header', {
    hint: 'Check the service with `qrctl doctor`.',
  });
}

/** Returns the zone for times without one, if set. Ignores the machine's zone, because plans are shared. */
async function defaultZone(context: Context, { timezone: flag }: UpdateFlags): Promise<string | undefined> {
  const { timezone: setting } = await context.settings();
  return flag === undefined && setting === undefined ? undefined : chooseTimeZone({ flag, setting });
}
