import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { orUndefined, UsageError } from '#base/errors';
import { formatClosing } from '#base/run/closing-line';
import { addFile } from '#base/run/run-summary';
import { cleanCsv, cleanJson } from '#base/text/clean';
import { countOf } from '#base/text/quote';
import { chooseTimeZone } from '#base/time/time-zone';
import type { Context } from '#context';
import type { Column } from '#files/formats/columns';
import { createDocumentSink, type DocumentSink, stdoutBytes } from '#files/formats/document-sink';
import { ENDINGS, FORMATS, SCAN_FORMATS } from '#files/formats/formats';
import type { Formatter, Shape } from '#files/formats/formatter';
import type { OutputFlags, OutputPlan } from '#files/formats/plan-output';
import type { Row, RowSink } from '#files/formats/row-sink';
import { VALUES } from '#settings/values';
import { loadColors } from '#terminal/color';
import {
  choice,
  flag,
  inGroup,
  negation,
  type OptionDefinition,
  outputFile,
  parsed,
  text,
} from './define.ts';

export const OUTPUT_FLAGS = 'Output flags:';

export const outputOptionsWithoutIds = inGroup(OUTPUT_FLAGS, {
  format: choice('-f, --format <format>', 'Output format', FORMATS),
  output: outputFlag('.md'),
  fields: {
    flags: '--fields <a,b,c>',
    description: 'Columns to print, in this order',
    parse: parseFields,
  } satisfies OptionDefinition<string[]>,
  delimiter: parsed(
    '--delimiter <,|;|tab>',
    'Delimiter: comma, semicolon, tab (default: ,)',
    VALUES.delimiter,
  ),
  header: negation('--no-header', 'Omit the header row of CSV'),
  rawCells: flag('--raw-cells', "Don't escape formulas in CSV or unescape --from", { risky: true }),
  excel: flag('--excel', 'Write CSV for Excel, with BOM and CRLF', { conflicts: ['--raw-cells'] }),
});

export const outputOptions = {
  ...outputOptionsWithoutIds,
  ids: flag('--ids', 'Print only IDs, one per line', {
    group: OUTPUT_FLAGS,
    conflicts: ['--fields', '--format', '--excel', '--raw-cells', '--delimiter'],
  }),
};

export const timezoneOption = inGroup(OUTPUT_FLAGS, {
  timezone: text('--timezone <zone>', "Time zone of dates in .xlsx (default: the profile's)"),
});

export const scanOutputOptions = {
  ...outputOptions,
  ...inGroup(OUTPUT_FLAGS, {
    format: choice('-f, --format <format>', 'Output format', SCAN_FORMATS),
    output: outputFlag('.parquet'),
  }),
};

function outputFlag(last: string): OptionDefinition<string> {
  const endings = `${ENDINGS.join(', ')}, each also with .gz; .xlsx, ${last}`;
  return outputFile('-o, --output <file>', `Write to FILE (${endings})`);
}

function parseFields(raw: string): string[] {
  const fields = raw.split(',').map((field) => field.trim());
  if (fields.includes('')) throw new InvalidArgumentError('names separated by commas, such as id,name');
  return fields;
}

/** Throws UsageError for an existing file. Opening the output reports other faults. */
export function refuseExisting(path: string, what = path): void {
  const found = orUndefined(() => statSync(path));
  if (!found?.isFile()) return;
  throw new UsageError(`cannot write ${what}: the file exists`, {
    hint: 'Specify a different file with --output, or add --overwrite to replace this file.',
  });
}

/** Plans the output. Throws UsageError for invalid flags or an unwritable file. */
export async function planOutput(
  context: Context,
  options: OutputFlags,
  columns: readonly Column[],
  shape: Shape,
): Promise<OutputPlan> {
  const [settings, { planOutput: combine }] = await Promise.all([
    context.settings(),
    import('#files/formats/plan-output'),
  ]);
  const plan = combine(options, { columns, shape, settings, isTerminal: context.console.isTerminal });
  if (plan.path !== undefined)
    await (await import('#files/formats/whole-file')).checkWholeFile(plan.path, plan);
  return plan;
}

export async function loadFormatter({ console }: Context, plan: OutputPlan): Promise<Formatter> {
  const { format, columns, chosen, path } = plan;
  if (format === 'parquet') {
    const { createParquetFormatter } = await import('#files/formats/parquet/parquet');
    return createParquetFormatter(columns.map(({ name }) => name));
  }
  if (format === 'xlsx') throw new Error('a workbook is no text');
  if (format !== 'table') {
    const { createFormatter } = await import('#files/formats/create-formatter');
    return createFormatter(format, { ...plan, keepExtra: !chosen });
  }
  const { createTableFormatter, createRecordFormatter } = await import('#terminal/table');
  const colors = await loadColors(console.color && path === undefined);
  if (plan.shape === 'record') return createRecordFormatter({ columns, colors, extra: !chosen });
  return createTableFormatter({
    ...plan,
    colors,
    width: console.isTerminal && path === undefined ? console.width : Infinity,
    ruled: !console.isAccessible || path !== undefined,
    mayDrop: !chosen,
    onDropped: (names) =>
      console.note(`Hidden columns (terminal too narrow): ${names.join(', ')}. Choose columns with --fields`),
  });
}

export async function openSink(context: Context, plan: OutputPlan): Promise<DocumentSink> {
  const sink = await openPlain(context, plan);
  const { facts } = context;
  let rows = 0;
  return {
    ...sink,
    async write(batch) {
      const count = await sink.write(batch);
      rows += count;
      if (plan.path === undefined) facts.rows = rows;
      return count;
    },
    async commit() {
      await sink.commit();
      facts.rows = rows;
      if (plan.path !== undefined) addFile(facts, plan.path);
    },
  };
}

async function openPlain(context: Context, plan: OutputPlan): Promise<DocumentSink> {
  const { format, path } = plan;
  if (path === undefined) {
    const formatter = await loadFormatter(context, plan);
    return createDocumentSink(stdoutBytes(context.console, guardOf(context, plan)), formatter);
  }
  const { openWholeFile } = await import('#files/formats/whole-file');
  const openFile = () => openWholeFile(path, { ...plan, processes: context.processes });
  if (format !== 'xlsx') {
    const formatter = await loadFormatter(context, plan);
    return createDocumentSink(await openFile(), formatter);
  }
  const [{ createWorkbookSink }, { createLocalTime }] = await Promise.all([
    import('#files/formats/xlsx/workbook-sink'),
    import('#base/time/local-time'),
  ]);
  const { timezone: setting } = await context.settings();
  const zone = createLocalTime(chooseTimeZone({ flag: plan.timezone, setting, TZ: context.env.TZ }));
  return createWorkbookSink(await openFile(), { columns: plan.columns, zone });
}

/** Prints a text, without commands for GitHub Actions, or writes it to the file `path`. */
export async function writeText(context: Context, path: string | undefined, text: string): Promise<void> {
  const { console, processes, facts } = context;
  if (path === undefined) return console.write(console.harmless(text));
  const { writeWholeFile } = await import('#files/formats/whole-file');
  await writeWholeFile(path, text, { processes });
  addFile(facts, path);
}

function guardOf({ console }: Context, { format }: OutputPlan): ((text: string) => string) | undefined {
  if (format !== 'table' && !console.isTerminal) return undefined;
  if (format === 'json' || format === 'ndjson') return cleanJson;
  return format === 'csv' || format === 'ids' ? cleanCsv : console.harmless;
}

type Batch = readonly Row[];
type Batches = Batch | AsyncIterable<Batch>;

interface ListWords {
  none?: string;
  thing?: string;
}

export type Output = ReturnType<typeof outputOf>;

export async function openOutput(
  context: Context,
  options: OutputFlags,
  columns: readonly Column[],
  shape: Shape = 'list',
): Promise<Output> {
  return outputOf(context, await planOutput(context, options, columns, shape));
}

export function outputOf(context: Context, plan: OutputPlan) {
  const open = () => openSink(context, plan);
  return {
    plan,
    open,
    async print(records: Batches, { none = 'No results', thing }: ListWords = {}) {
      const count = await writeAll(await open(), Symbol.asyncIterator in records ? records : [records]);
      if (plan.shape === 'record') return;
      if (count === 0 && plan.format === 'table') context.console.note(none);
      else if (thing !== undefined && (plan.format === 'table' || plan.path !== undefined)) {
        const things = countOf(count, thing);
        const { path } = plan;
        context.console.note(
          path === undefined ? things : formatClosing(`Wrote ${things}`, [], `File: ${path}`),
        );
      }
    },
  };
}

export async function printRecords(
  context: Context,
  records: Batches,
  columns: readonly Column[],
  options: OutputFlags,
  words?: ListWords,
): Promise<void> {
  await (await openOutput(context, options, columns)).print(records, words);
}

/** Writes rows and returns their number. If a batch fails, discards the output. */
export async function writeAll(
  output: RowSink,
  batches: AsyncIterable<Batch> | Iterable<Batch | Promise<Batch>>,
): Promise<number> {
  try {
    let count = 0;
    for await (const batch of batches) count += await output.write(batch);
    await output.commit();
    return count;
  } finally {
    await output.discard();
  }
}
