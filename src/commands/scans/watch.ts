import { PartialError } from '#base/errors';
import { formatClosing } from '#base/run/closing-line';
import { countOutcomes } from '#base/run/outcomes';
import { countOf, formatCount, quote } from '#base/text/quote';
import { chooseCodes, eachOnce } from '#commands/choose-codes';
import { choiceOptions } from '#commands/code-choice';
import { CODE_ARGUMENTS, defineCommand, PERIOD, parsed, text, type Values } from '#commands/define';
import { checkInputChoice, FILES_READ, inputOptions, listInputFiles } from '#commands/input-option';
import { openOutput, outputOptions } from '#commands/output-options';
import { planRange, RANGE_FLAGS, rangeOptions } from '#commands/range-options';
import { type Comparison, openLastRun, printNews, sinceLastOption } from '#commands/since-last';
import type { Context } from '#context';
import { type Column, colorBy, numberColumn, wholeColumn } from '#files/formats/columns';
import { describeFailures } from '#scans/export/code-failures';
import type { CodeFailure } from '#scans/export/export-codes';
import { formatLocalRange } from '#scans/format-local-range';
import { OUTCOMES, type WatchOutcome } from '#scans/watch/judge';
import {
  isFinding,
  isNews,
  isUnjudged,
  type WatchPlan,
  type WatchRow,
  watchCodes,
  watchFiles,
} from '#scans/watch/watch-codes';

const options = {
  ...choiceOptions,
  ...inputOptions,
  quietFor: parsed('--quiet-for <duration>', 'Report codes with no scans for a time such as 7d', PERIOD),
  sinceLast: sinceLastOption,
  until: text('--until <time>', 'Judge as of TIME (default: now, or the last scan with --input)', {
    group: RANGE_FLAGS,
  }),
  timezone: { ...rangeOptions.timezone, description: 'Time zone for weeks, and for times without one' },
  ...outputOptions,
};

type WatchFlags = Values<typeof options>;

const COLUMNS: readonly Column[] = [
  wholeColumn('id', 1),
  wholeColumn('slug', 10),
  { name: 'name', importance: 7, leastWidth: 30 },
  {
    ...wholeColumn('outcome', 11),
    color: colorBy({ red: ['quiet', 'drop'], yellow: ['jump'], dim: ['new'], green: ['ok'] }),
  },
  numberColumn('scans', 9),
  numberColumn('expected', 8),
  numberColumn('low', 4),
  numberColumn('high', 3),
  { name: 'last_scan', importance: 5, isTime: true },
  { name: 'note', importance: 6, below: true },
];

const COMPARISON: Comparison<WatchRow, WatchOutcome> = {
  columns: COLUMNS,
  mark: 'last_scan',
  run: 'a watch',
  isNews,
  read: (text) => OUTCOMES.find((known) => known === text('outcome')),
};

export const command = defineCommand({
  description:
    'Finds codes whose scans stopped, dropped or jumped.\n\n' +
    'Each code is compared with its own past, and judged only if at least 30 scans are expected. Use --quiet-for for codes with fewer scans. ' +
    `It exits with code 8 if it finds quiet, drop or jump. ${FILES_READ}\n\n` +
    'The last seven days are compared with the mean of eight weeks before, and a time without scans with the same hours of earlier weeks. ' +
    'Outcomes are quiet, drop, jump, new and ok. A code that is not judged is ok, and its note states the reason. Paused and expired codes ' +
    'are judged only with --status.\n\n' +
    'It sends one or two requests per code, and none with --input.',
  arguments: CODE_ARGUMENTS,
  options,
  columns: [{ columns: COLUMNS }],
  examples: [
    ['qrctl scans watch --all', 'Compare each code with its usual activity'],
    ['qrctl scans watch --all --quiet-for 7d -o quiet.csv', 'Also report codes without scans for a week'],
    [
      'qrctl scans watch --all --since-last watch.csv --quiet',
      'Print only changes, for example in a nightly cron job',
    ],
    ['qrctl scans watch --input scans.csv --until now', 'Watch the codes in an exported file'],
  ],
  async run(context, { args, options: flags }) {
    const output = await openOutput(context, flags, COLUMNS);
    checkInputChoice(args, flags);
    const range = await planRange(context, { until: flags.until, timezone: flags.timezone });
    const timezone = range.timezone();
    const logs = await listInputFiles(context, args, flags);
    const plan: WatchPlan = { timezone, untilMs: range.untilMs, quietForMs: flags.quietFor };
    const last = await openLastRun(context, flags.sinceLast, COMPARISON);
    try {
      const watched = logs
        ? await watchFiles(context, logs, plan)
        : await watchChosen(context, args, flags, plan);
      const { rows, failures } = watched;
      const outcomes = countOutcomes(rows);
      const facts = { codes: rows.length, outcomes: Object.fromEntries(outcomes), range: watched.range };
      Object.assign(context.facts, facts);
      context.console.note(closingLine(rows, outcomes, formatLocalRange(watched.range, timezone)));
      const printed = await printNews(output, rows, last);
      const found = printed.filter(({ outcome }) => isFinding(outcome));
      if (found.length > 0 || failures.length > 0) throw failureOf(found, failures, rows.length);
    } finally {
      await last?.close();
    }
  },
});

async function watchChosen(context: Context, names: readonly string[], flags: WatchFlags, plan: WatchPlan) {
  const chosen = await chooseCodes(context, names, flags, { mayBeNone: true });
  return watchCodes(context, await context.service(), eachOnce(chosen), plan, flags.status);
}

function closingLine(
  rows: readonly WatchRow[],
  outcomes: ReadonlyMap<string, number>,
  range: string,
): string {
  const unjudged = rows.filter((row) => row.outcome === 'ok' && isUnjudged(row)).length;
  const parts = [...outcomes].map(([outcome, count]) => {
    const without = outcome === 'ok' && unjudged > 0 ? ` (${formatCount(unjudged)} not judged)` : '';
    return `${formatCount(count)} ${outcome}${without}`;
  });
  return formatClosing(`Watched ${[`${countOf(rows.length, 'code')} ${range}`, ...parts].join(', ')}`);
}

function failureOf(found: readonly WatchRow[], failures: readonly CodeFailure[], of: number): PartialError {
  const lines: string[] = [];
  const [first] = found;
  if (first) {
    const example = found.length === 1 ? `: ${quote(first.slug ?? first.id ?? '')} (${first.outcome})` : '';
    lines.push(`the scans of ${countOf(found.length, 'code')} differ from the past${example}`);
  }
  if (failures.length > 0)
    lines.push(
      ...describeFailures(failures, of + failures.length, 'could not be watched; the other codes were'),
    );
  return new PartialError(lines.join('\n'), { hint: hintOf(found), cause: failures[0]?.error });
}

function hintOf(found: readonly WatchRow[]): string {
  if (found.length === 0) return 'Run the command again, or omit these codes.';
  return found.every(({ outcome }) => outcome === 'jump')
    ? 'See where the scans come from: `qrctl scans stats CODE --by referrer --by country --since 7d`.'
    : 'Scan a printed code to test it, and check destinations with `qrctl qr check`.';
}
