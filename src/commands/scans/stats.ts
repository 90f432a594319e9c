import { sum } from '#base/collections';
import { fetchInOrder } from '#base/parallel';
import { addFile } from '#base/run/run-summary';
import { CODE_ARGUMENTS, defineCommand, flag } from '#commands/define';
import { FILES_JOINED } from '#commands/input-option';
import { openOutput, outputOptionsWithoutIds, writeAll, writeText } from '#commands/output-options';
import { RANGE_FORMS } from '#commands/range-options';
import type { Context } from '#context';
import { type Column, numberColumn } from '#files/formats/columns';
import type { OutputPlan } from '#files/formats/plan-output';
import type { Row } from '#files/formats/row-sink';
import { openWholeFile } from '#files/formats/whole-file';
import { someFailed } from '#scans/export/code-failures';
import type { CodeLabel } from '#scans/export/export-codes';
import { isRunning } from '#scans/stats/calendar';
import { countAlone } from '#scans/stats/count-scans';
import { crossOf, figuresOfPairs, isCrossApproximate } from '#scans/stats/cross';
import { DIMENSIONS } from '#scans/stats/dimensions';
import { type Figure, figuresOf, type Section, totalOf } from '#scans/stats/figures';
import { describeFilters } from '#scans/stats/filters';
import { cheaperByTotals, planReadings } from '#scans/stats/readings';
import { nameOfPair } from '#scans/stats/tally';
import { MAX_SCANS_PAGE } from '#service/shapes';
import { loadColors } from '#terminal/color';
import { COST_COLUMNS, costRecord, printPlan, rangeRecord } from './columns.ts';
import {
  type CountPlan,
  closingWords,
  codesOf,
  countOptions,
  countScans,
  figuresInput,
  isOver,
  noteCount,
  planCount,
  previousRange,
  readRange,
} from './count.ts';
import type { Drawing } from './draw-figures.ts';

const options = {
  ...countOptions,
  dryRun: flag('--dry-run', 'Preview scans, requests and time without counting'),
  ...outputOptionsWithoutIds,
};

const COLUMNS: readonly Column[] = [
  { name: 'by', importance: 3 },
  { name: 'value', importance: 9 },
  numberColumn('scans', 8),
  { name: 'share', importance: 5, align: 'right', isPercent: true },
  numberColumn('previous', 4),
  { name: 'change', importance: 4, align: 'right', isPercent: true },
  { name: 'name', importance: 3 },
  numberColumn('per_day', 2),
  numberColumn('previous_per_day', 1),
  { name: 'complete', importance: 0 },
];

const PAIR_COLUMNS: readonly Column[] = [
  ...COLUMNS.slice(0, 2),
  { name: 'by2', importance: 3 },
  { name: 'value2', importance: 9 },
  ...COLUMNS.slice(2),
];

const PLAN_COLUMNS: readonly Column[] = [
  ...['codes', 'files', 'since', 'until', 'scans', 'by_totals'].map((name) => ({ name })),
  ...COST_COLUMNS,
];

const TOP_OF_DRAWING = 10;
const FILE_WIDTH = 100;

export const command = defineCommand({
  description:
    'Counts scans by day, country, device and more.\n\n' +
    `The default is --by day. ${FILES_JOINED} ${RANGE_FORMS}\n\n` +
    `The dimensions are ${DIMENSIONS.join(', ')}, and the columns of --join.\n\n` +
    'The counts are verified as complete, like an export, or come from exported files. Periods that differ in length are compared by ' +
    'averages per day.',
  arguments: CODE_ARGUMENTS,
  options,
  columns: [
    { columns: COLUMNS },
    { when: '--by A,B', columns: PAIR_COLUMNS },
    { when: '--dry-run', columns: PLAN_COLUMNS },
  ],
  examples: [
    ['qrctl scans stats spring-menu --during this-month', 'Count scans by day'],
    [
      'qrctl scans stats --all --by code --during last-month --compare previous',
      'Compare the scans of each code with the previous month',
    ],
    [
      'qrctl scans stats --all --join codes.csv --by type --during last-month',
      'Count scans by a column from a code list',
    ],
    [
      'qrctl scans stats --all --where country=DE --where country=AT --by device',
      'Count the devices in two countries',
    ],
    ['qrctl scans stats --input scans.csv --by country --by device', 'Count the scans in a file'],
  ],
  async run(context, { args, options: flags }) {
    const { console, facts } = context;
    const hasPairs = flags.by?.some((by) => by.includes(','));
    const output = await openOutput(context, flags, hasPairs ? PAIR_COLUMNS : COLUMNS);
    const { format, chosen, path } = output.plan;
    const plan = await planCount(context, args, flags, ['day']);
    if (flags.dryRun) {
      const record = plan.logs ? planOfFiles(plan, plan.logs) : await planOfService(context, plan);
      await printPlan(context, output.plan, record, PLAN_COLUMNS);
      console.note('Nothing was counted');
      return;
    }
    const isDrawn = format === 'table' && !chosen;
    const counted = await countScans(context, plan);
    noteCount(context, plan, counted);
    const { zone } = plan.local;
    const input = figuresInput(plan, counted, flags.top ?? (isDrawn ? TOP_OF_DRAWING : undefined));
    const sections = plan.sections.map((group) => figuresOf(group, input));
    noteLimits(console, sections);
    for (const pair of plan.pairs)
      noteLimits(console, [
        { by: nameOfPair(pair), isApproximate: isCrossApproximate(pair, counted.current) },
      ]);
    if (isDrawn) {
      await printDrawing(context, path, {
        sections,
        crosses: plan.pairs.map((pair) => (most: number) => crossOf(pair, input, most)),
        total: totalOf(input),
        isCompared: counted.before !== undefined,
        range: readRange(counted, zone),
        previousRange: previousRange(counted, zone),
        file: plan.table?.name,
        only: describeFilters(plan.filters),
      });
      facts.rows = sum(sections.map(({ rows }) => rows.length));
    } else {
      const tables = [
        ...sections.map((section) => ({
          name: section.by,
          columns: output.plan.columns.filter(({ name }) => !name.endsWith('2')),
          rows: recordsOf(section, isOver(counted)),
        })),
        ...plan.pairs.map((pair) => ({
          name: pair.map(({ by }) => by).join(' by '),
          columns: output.plan.columns,
          rows: figuresOfPairs(pair, input).map((row) => recordOf(row, isOver(counted))),
        })),
      ];
      if (format === 'xlsx' && path !== undefined) await writeWorkbook(context, output.plan, path, tables);
      else await writeAll(await output.open(), [tables.flatMap(({ rows }) => rows)]);
    }
    const isSeen = isDrawn && console.isTerminal && path === undefined;
    console.note(await closingWords(context, plan, [counted], isSeen ? undefined : zone));
    const { failures } = counted;
    if (failures.length > 0)
      throw someFailed(
        failures,
        counted.codes?.length ?? failures.length,
        'could not be counted; the others were',
        'Run the command again, or omit these codes.',
      );
  },
});

async function printDrawing(context: Context, path: string | undefined, drawing: Drawing): Promise<void> {
  const [{ drawFigures }, { SIGNS }] = await Promise.all([
    import('./draw-figures.ts'),
    import('./draw-table.ts'),
  ]);
  const { console, env } = context;
  const plain = env.TERM === 'dumb' ? 'ascii' : 'blocks';
  const text = drawFigures(drawing, {
    width: console.isTerminal && path === undefined ? console.width : FILE_WIDTH,
    signs: SIGNS[console.isAccessible && path === undefined ? 'words' : plain],
    colors: await loadColors(console.color && path === undefined),
  });
  await writeText(context, path, text);
}

const WIDEST_VALUE = 48;

async function writeWorkbook(
  { facts, processes }: Context,
  plan: OutputPlan,
  path: string,
  tables: readonly { name: string; columns: readonly Column[]; rows: readonly Row[] }[],
): Promise<void> {
  const { writeSheets } = await import('#files/formats/xlsx/workbook-sink');
  const widthOf = (name: string, rows: readonly Row[]) =>
    rows.reduce((most, row) => Math.max(most, String(row[name] ?? '').length + 2), 0);
  const sheets = tables.map(({ columns, rows, ...table }) => ({
    ...table,
    rows,
    columns: columns.map((column) => ({
      ...column,
      width: Math.min(WIDEST_VALUE, Math.max(10, widthOf(column.name, rows))),
    })),
  }));
  const file = await openWholeFile(path, { ...plan, processes });
  await writeSheets(file, sheets).finally(file.discard);
  facts.rows = sum(tables.map(({ rows }) => rows.length));
  addFile(facts, path);
}

/**
 * Returns output rows. A row for a period such as a day is complete if its period is over and in the range.
 * Another row is complete if the range is over.
 */
function recordsOf({ kind, by, rows }: Section, isOver: boolean) {
  const hasPeriods = kind === 'time' && isRunning(by);
  return rows.map((row) => recordOf(row, hasPeriods ? !row.isPart : isOver));
}

function recordOf(
  { by, value, by2, value2, scans, share, previous, change, name, perDay, previousPerDay }: Figure,
  complete: boolean,
) {
  return {
    by,
    value,
    ...(by2 !== undefined && { by2, value2 }),
    scans,
    share,
    previous,
    change,
    name,
    per_day: perDay,
    previous_per_day: previousPerDay,
    complete,
  };
}

function noteLimits(
  { note }: Context['console'],
  sections: readonly Pick<Section, 'by' | 'isApproximate' | 'isSparse'>[],
): void {
  for (const { by, isApproximate, isSparse } of sections) {
    if (isApproximate)
      note(`Too many values to count by ${by} exactly: each count is a minimum, and the rest is in "other"`);
    if (isSparse) note(`The range is too long for a row per ${by}. Rows without scans are omitted`);
  }
}

function planOfFiles({ span }: CountPlan, logs: NonNullable<CountPlan['logs']>) {
  return {
    codes: null,
    files: logs.flatMap(({ paths }) => paths).length,
    ...rangeRecord(span.sinceMs, span.untilMs),
    scans: null,
    by_totals: null,
    requests: 0,
    requests_per_minute: null,
    seconds: 0,
  };
}

async function planOfService(context: Context, plan: CountPlan) {
  const service = await context.service();
  const codes = await codesOf(context, plan);
  const there = codes.filter(({ missing }) => !missing);
  let { requests } = service.stats();
  let scans = 0;
  let byTotals = 0;
  const { readings, untilMs } = planReadings(plan, service.nowMs() ?? context.clock.now(), service.nowMs());
  for (const { cuts, range } of readings) {
    const count = (code: CodeLabel) => countAlone(service, code, range);
    for await (const first of fetchInOrder(there, count, service.concurrency)) {
      requests += 1;
      if (!first) continue;
      const isByTotals = cuts !== undefined && cheaperByTotals(first.page, cuts);
      if (isByTotals) byTotals += 1;
      requests += isByTotals ? cuts.length + 1 : Math.max(0, Math.ceil(first.scans / MAX_SCANS_PAGE) - 1);
      scans += first.scans;
    }
  }
  return {
    codes: codes.length,
    files: null,
    ...rangeRecord(readings[0]?.range.sinceMs, untilMs),
    scans,
    by_totals: byTotals,
    ...costRecord(service, requests),
  };
}
