import { UsageError } from '#base/errors';
import { countOf } from '#base/text/quote';
import { chooseLabelsOfLog, fetchUnlisted } from '#commands/choose-codes';
import {
  type CodeChoice,
  checkChoice,
  choiceOptions,
  everyOf,
  filterOptions,
  movedFromOption,
} from '#commands/code-choice';
import { CODE_ARGUMENTS, defineCommand, directory, flag, rarely, texts, type Values } from '#commands/define';
import { FILES_READ } from '#commands/input-option';
import { openOutput, outputOptionsWithoutIds, writeAll } from '#commands/output-options';
import { type PlannedRange, planRange, RANGE_FORMS, rangeOptions } from '#commands/range-options';
import type { Context } from '#context';
import { type Column, numberColumn, wholeColumn } from '#files/formats/columns';
import { codesOfLogs } from '#scans/append/recorded-log';
import { checkCodesOfLogs, listLogs } from '#scans/verify/scan-log';
import { type LogsJob, planVerify, verifyLogs } from '#scans/verify/verify-logs';
import { closingNotes, failureOf, rowsOf, totalsOf, type VerifiedCode } from '#scans/verify/verify-results';
import { rangeRecord } from './columns.ts';

const { output: _, ...formatOptions } = outputOptionsWithoutIds;

const options = {
  ...choiceOptions,
  ...rarely(filterOptions),
  ...rangeOptions,
  input: texts('--input <log>', 'Exported file to verify, with its rotated files', { complete: 'files' }),
  outputDir: directory('--output-dir <dir>', 'Directory of scan files, or dataset, to verify'),
  repair: flag('--repair', 'Add the missing scans; remove nothing'),
  acceptGone: flag('--accept-gone', 'Stop reporting codes that were deleted on the service', { risky: true }),
  dryRun: flag('--dry-run', 'Preview the comparison or the repair without making changes'),
  movedFrom: movedFromOption,
  ...formatOptions,
};

type VerifyFlags = Values<typeof options>;

const COLUMNS: readonly Column[] = [
  wholeColumn('id', 2),
  wholeColumn('slug', 10),
  { name: 'name', importance: 5, leastWidth: 16 },
  wholeColumn('day', 9),
  wholeColumn('outcome', 11),
  numberColumn('missing', 8),
  numberColumn('gone', 7),
  numberColumn('twice', 6),
  numberColumn('logged', 4),
  { name: 'error', importance: 3, leastWidth: 20 },
];

const PLAN_COLUMNS: readonly Column[] = [
  wholeColumn('id', 1),
  wholeColumn('slug', 5),
  numberColumn('logged', 4),
  { name: 'since', importance: 2 },
  { name: 'until', importance: 3 },
];

export const command = defineCommand({
  description:
    'Compares exported scans with the service. With --repair, it adds missing ones.\n\n' +
    "It exits with code 8 if anything differs, and with code 9 if the service can't be compared. " +
    `${FILES_READ} ${RANGE_FORMS}\n\n` +
    'One request per code returns its total. If it differs from the file, qrctl finds the days that differ and compares only those. ' +
    'It also finds scans that arrived later than the --overlap of an append. Scans in archived or deleted files of a log are not missing.',
  arguments: CODE_ARGUMENTS,
  options,
  columns: [{ columns: COLUMNS }, { when: '--dry-run', columns: PLAN_COLUMNS }],
  examples: [
    ['qrctl scans verify spring-menu --input scans.csv', 'Compare an appended file with the service'],
    ['qrctl scans verify --all --output-dir lake --repair', 'Add missing scans to a dataset'],
    [
      'qrctl scans verify spring-menu --input scans.csv --repair --dry-run',
      'Show the scans that would be added',
    ],
  ],
  async run(context, { args, options: flags }) {
    checkChoice(args, flags);
    const range = await planRange(context, flags);
    const isPlan = flags.dryRun === true && !flags.repair;
    const columns = isPlan ? PLAN_COLUMNS : COLUMNS;
    const output = await openOutput(context, { ...flags, output: undefined }, columns);
    const job = await planJob(context, args, flags, placesOf(flags), range);
    if (isPlan) {
      const planned = await planVerify(context, job);
      const rows = planned.map(({ code: { id, slug = null }, logged, range: { sinceMs, untilMs } }) => {
        return { id, slug, logged, ...rangeRecord(sinceMs, untilMs) };
      });
      await writeAll(await output.open(), [rows]);
      const requests = countOf(rows.length, 'request');
      context.console.note(
        `Would verify ${countOf(rows.length, 'code')} with about ${requests}, and more if the files differ`,
      );
      return;
    }
    const isRepair = flags.repair === true && !flags.dryRun;
    const accepts = flags.acceptGone === true && !flags.dryRun;
    const results = await verifyLogs(context, { ...job, isRepair, accepts });
    const { logged, added } = totalsOf(results);
    Object.assign(context.facts, { codes: results.length, rows: logged + added, added });
    const failure = printClosing(context, job, results, isRepair);
    // With --quiet, prints rows only after a failure or repair, because cron mails them.
    if (failure || added > 0 || !context.flags.quiet)
      await writeAll(await output.open(), [results.flatMap(rowsOf)]);
    if (failure) throw failure;
  },
});

function placesOf({ input = [], outputDir }: VerifyFlags): string[] {
  const places = [...input, ...(outputDir === undefined ? [] : [outputDir])];
  if (places.length > 0) return places;
  throw new UsageError('missing --input or --output-dir', {
    hint: 'Specify the exported file with --input scans.csv, or the directory with --output-dir DIR.',
  });
}

export async function verifyAppended(
  context: Context,
  names: readonly string[],
  flags: CodeChoice & { timezone?: string },
  place: string,
): Promise<void> {
  const range = await planRange(context, { timezone: flags.timezone });
  const job = await planJob(context, names, flags, [place], range);
  const results = await verifyLogs(context, { ...job, isRepair: true });
  const failure = printClosing(context, job, results, true);
  if (failure) throw failure;
}

async function planJob(
  context: Context,
  names: readonly string[],
  flags: CodeChoice & { movedFrom?: string },
  places: readonly string[],
  range: PlannedRange,
): Promise<LogsJob> {
  const service = await context.service();
  const { movedFrom } = flags;
  const logs = await listLogs(context, places);
  const known = codesOfLogs(logs);
  const codes = await chooseLabelsOfLog(context, names, flags, { isWanted: true }, known);
  await checkCodesOfLogs(logs, codes, places, service, movedFrom);
  return {
    logs,
    codes,
    range,
    movedFrom,
    service,
    isAll: everyOf(names, flags) === true,
    fetchUnlisted: (listed, ids) => fetchUnlisted(service, listed, ids),
    isRepair: false,
    accepts: false,
  };
}

function printClosing(
  { console }: Context,
  { logs, range, service }: LogsJob,
  results: readonly VerifiedCode[],
  isRepair: boolean,
): Error | undefined {
  const { requests } = service.stats();
  for (const line of closingNotes(results, { logs, zone: range.zone(), requests })) console.note(line);
  return failureOf(results, { logs, isRepair });
}
