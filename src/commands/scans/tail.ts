import { quote } from '#base/text/quote';
import { chooseLabels } from '#commands/choose-codes';
import { checkChoice, choiceOptions, everyOf, isOneCode, movedFromOption } from '#commands/code-choice';
import {
  CODE_ARGUMENTS,
  choice,
  defineCommand,
  integer,
  outputFile,
  PERIOD,
  parsed,
  text,
  type Values,
} from '#commands/define';
import { type Output, openOutput, outputOptions } from '#commands/output-options';
import { planRange } from '#commands/range-options';
import type { Context } from '#context';
import { followCodes } from '#scans/tail/follow-codes';
import { openScanPrinter } from '#scans/tail/scan-printer';
import { openTailState, type TailStateFile } from '#scans/tail/state-file';
import { scanColumns, scanOutputs } from './columns.ts';

const INTERVAL_MS = 10_000;

const options = {
  ...choiceOptions,
  since: text('--since <time>', 'Start with scans at or after TIME (default: now)'),
  state: outputFile('--state <file>', 'Continue after the scans of the last run, recorded in FILE'),
  movedFrom: { ...movedFromOption, requires: ['--state'] },
  interval: parsed(
    '--interval <duration>',
    'Minimum time between requests for the same code (default: 10s)',
    PERIOD,
  ),
  maxEvents: integer('--max-events <n>', 'Exit after N scans', { min: 1 }),
  format: choice('-f, --format <format>', 'Output format (default: csv)', ['csv', 'ndjson']),
  fields: outputOptions.fields,
  header: outputOptions.header,
};

type TailFlags = Values<typeof options>;

export const command = defineCommand({
  description:
    'Prints new scans as they arrive, until you press Ctrl-C.\n\n' +
    'Each scan is printed once; new scans are sorted oldest first. The command keeps running through outages.\n\n' +
    'It includes scans that the service lists up to an hour late. It sends one request per code and interval, and more only if many scans are new.\n\n' +
    'With --state, the next run continues after the last printed scan, also after a crash. If a run is killed between printing and recording, ' +
    'the next one prints at most one batch (500 scans) again. For a file with each scan exactly once, use `qrctl scans export --append`.',
  arguments: CODE_ARGUMENTS,
  options,
  columns: scanOutputs(),
  examples: [
    ['qrctl scans tail spring-menu', 'Follow the scans of a code'],
    ['qrctl scans tail --all -f ndjson --interval 30s', 'Print one JSON object per line for another program'],
    [
      'qrctl scans tail --all -f ndjson --state tail.json',
      'Feed another program, and continue after a restart',
    ],
  ],
  async run(context, { args, options: flags }) {
    checkChoice(args, flags);
    const { sinceMs } = await planRange(context, { since: flags.since });
    const columns = scanColumns(!isOneCode(args, flags));
    const output = await openOutput(context, { ...flags, format: flags.format ?? 'csv' }, columns);
    const state = flags.state === undefined ? undefined : await openTailState(flags.state, context);
    try {
      await follow(context, args, flags, { output, sinceMs, state });
    } finally {
      await state?.close();
    }
  },
});

async function follow(
  context: Context,
  names: readonly string[],
  flags: TailFlags,
  { output, sinceMs, state }: { output: Output; sinceMs?: number; state?: TailStateFile },
): Promise<void> {
  const { console, clock } = context;
  const service = await context.service();
  const list = () => chooseLabels(context, names, flags, { isWanted: true });
  const codes = await list();
  context.facts.codes = codes.length;
  const gone = codes.find(({ missing }) => missing);
  if (gone) throw gone.missing;
  const all = everyOf(names, flags);
  const run = {
    workspace: service.workspace,
    getCode: service.getCode,
    movedFrom: flags.movedFrom,
    sinceMs: sinceMs ?? service.nowMs() ?? clock.now(),
    codes: { all, codes: all === false ? codes.map(({ id }) => id) : [] },
  };
  const printer = await openScanPrinter(state, run, {
    openSink: output.open,
    flush: console.flush,
    now: () => ({ serviceMs: service.nowMs(), machineMs: clock.now() }),
  });
  if (printer.isContinued) {
    const unused = flags.since === undefined ? '' : '; --since applies only to its first run';
    console.note(`Continuing from ${flags.state}${unused}`);
  }
  const which = codes.length === 1 ? quote(codes[0]?.slug ?? '') : `${codes.length} codes`;
  console.note(`Waiting for scans of ${which}. Press Ctrl-C to stop`);
  await followCodes(context, {
    codes,
    service,
    printer,
    hasCodes: !isOneCode(names, flags),
    list: all === false ? undefined : list,
    intervalMs: flags.interval ?? INTERVAL_MS,
    maxScans: flags.maxEvents ?? Infinity,
  });
}
