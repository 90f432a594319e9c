import { join } from 'node:path';
import { UsageError } from '#base/errors';
import { chooseTimeZone } from '#base/time/time-zone';
import { createFileNames, FILE_NAMES } from '#codes/listing/file-names';
import { choiceOptions, everyOf, isOneCode, movedFromOption } from '#commands/code-choice';
import {
  choice,
  directory,
  duration,
  flag,
  inGroup,
  overwriteOption,
  rarely,
  texts,
  type Values,
  withExtra,
} from '#commands/define';
import { CHOOSING_FLAGS, checkInputChoice } from '#commands/input-option';
import { scanOutputOptions } from '#commands/output-options';
import { planRange, rangeOptions } from '#commands/range-options';
import type { Context } from '#context';
import type { Column } from '#files/formats/columns';
import { SCAN_FORMATS } from '#files/formats/formats';
import { ORDINARY_FILES } from '#files/formats/kept-file';
import { type OutputPlan, planOutput } from '#files/formats/plan-output';
import type { Partitioning } from '#scans/append/identity';
import { OVERLAP_MS } from '#scans/append/overlap';
import { CODE_COLUMNS, LOCAL_TIME } from '#scans/export/added-columns';
import { type ExportPlan, extensionOf } from '#scans/export/export-plan';
import { SCAN_FIELDS } from '#service/shapes';

const APPEND_GROUP = 'Append and dataset flags:';

const OF_SERVICE = ['--since', '--until', '--during', '--append', '--dry-run', '--verify', '--prove-beyond'];

export const options = {
  ...choiceOptions,
  ...rangeOptions,
  outputDir: directory('--output-dir <dir>', 'Write one file per code to DIR', { conflicts: ['--output'] }),
  ...inGroup(APPEND_GROUP, {
    partitionBy: choice('--partition-by <unit>', 'Write a dataset to DIR, partitioned by', ['day', 'month'], {
      requires: ['--output-dir'],
      conflicts: ['--restart', '--no-header', '--overwrite'],
    }),
    input: texts('--input <file>', 'Convert exported files to a dataset', {
      complete: 'files',
      requires: ['--output-dir', '--partition-by'],
      conflicts: [...CHOOSING_FLAGS, ...OF_SERVICE],
    }),
  }),
  fileNames: choice('--file-names <by>', 'Name of each file in DIR (default: id)', FILE_NAMES, {
    requires: ['--output-dir'],
    rare: true,
  }),
  ...withExtra(
    { group: APPEND_GROUP, requires: ['--append'] },
    {
      append: flag('--append', 'Add only scans that are new since the last run', {
        requires: [['--output', '--output-dir']],
        conflicts: ['--overwrite'],
      }),
      ...rarely({
        restart: flag('--restart', 'Export again; keep FILE.old if scans would be lost', { risky: true }),
        rotated: flag('--rotated', 'Continue in a new file if the old one was moved'),
        overlap: duration('--overlap <duration>', 'Period to search for late scans (default: 1h)'),
      }),
      verify: flag('--verify', 'Compare with the service and add missing scans'),
      movedFrom: movedFromOption,
    },
  ),
  proveBeyond: flag('--prove-beyond', 'Detect capped totals (one extra request per code)', { rare: true }),
  dryRun: flag('--dry-run', 'Preview scans, requests and time without exporting'),
  ...scanOutputOptions,
  overwrite: overwriteOption,
};

export type ExportFlags = Values<typeof options>;

const IMPORTANCE: Readonly<Record<string, number>> = {
  ts: 9,
  ts_local: 9,
  id: 8,
  qr_slug: 7,
  country: 6,
  device: 5,
  city: 4,
  os: 3,
  browser: 2,
};

/** Columns that cost a request if the code was specified by ID. */
const OF_CODE = new Set(['qr_slug', 'qr_name']);

const WHOLE = new Set(['qr_id', 'qr_slug', 'id', 'ts', LOCAL_TIME]);

export async function planExport(
  context: Context,
  names: readonly string[],
  flags: ExportFlags,
): Promise<ExportPlan> {
  const settings = await context.settings();
  checkInputChoice(names, flags);
  if (flags.append && flags.output === '-')
    throw new UsageError("--append can't be used with standard output", {
      hint: 'Add -o scans.csv, or --output-dir DIR for one file per code.',
    });
  const { outputDir: directory, fileNames = 'id' } = flags;
  const labeled = flags.partitionBy !== undefined || (directory === undefined && !isOneCode(names, flags));
  const planned = planOutput(flags, {
    columns: columns(labeled, flags.fields !== undefined),
    shape: 'list',
    formats: SCAN_FORMATS,
    settings,
    isTerminal: context.console.isTerminal,
    directory,
  });
  const isForPeople = planned.excel || planned.format === 'xlsx';
  const output: OutputPlan = {
    ...planned,
    columns: isForPeople && !planned.chosen ? columns(labeled, true) : planned.columns,
    timezone: flags.timezone,
    replaces: flags.overwrite ? [...ORDINARY_FILES, 'log'] : ORDINARY_FILES,
  };
  if (directory !== undefined && output.format === 'table') {
    throw new UsageError("--output-dir can't be used with --format table", { hint: 'Add --format csv.' });
  }
  const partition = planPartition(flags, output, settings.timezone);
  const append = flags.append ? planAppend(context, flags, output) : undefined;
  const range = await planRange(context, flags);
  const isLocal = output.columns.some(({ name }) => name === LOCAL_TIME);
  return {
    ...range,
    all: everyOf(names, flags),
    labeled,
    named:
      fileNames === 'slug' ||
      (output.format !== 'ids' && output.columns.some(({ name }) => OF_CODE.has(name))),
    output,
    localZone: isLocal ? range.timezone() : undefined,
    directory,
    fileNames,
    filesOf(codes) {
      const nameOf = createFileNames(codes, fileNames);
      return (code) => join(directory ?? '', `${nameOf(code)}.${extensionOf({ output })}`);
    },
    append,
    partition,
    overwrite: flags.overwrite ?? false,
    proveBeyond: flags.proveBeyond ?? false,
  };
}

function columns(labeled: boolean, withLocal: boolean): Column[] {
  const fields = SCAN_FIELDS.flatMap((name) => (withLocal && name === 'ts' ? [name, LOCAL_TIME] : [name]));
  return [...(labeled ? CODE_COLUMNS : []), ...fields].map((name) => {
    // In workbooks, too, `ts` is in UTC, because a workbook may be saved as CSV.
    const isTime = name === 'ts' ? ('utc' as const) : name === LOCAL_TIME;
    return { name, importance: IMPORTANCE[name] ?? 1, keepWhole: WHOLE.has(name), isTime };
  });
}

/** Plans a dataset, if any. Ignores the machine's zone, because readers may be anywhere. */
function planPartition(
  flags: ExportFlags,
  output: OutputPlan,
  setting: string | undefined,
): Partitioning | undefined {
  const { partitionBy: by, timezone: flag } = flags;
  if (by === undefined) return undefined;
  if (!['csv', 'ndjson', 'parquet'].includes(output.format))
    throw new UsageError(`--partition-by can't be used with the format ${output.format}`, {
      hint: 'Add --format parquet, csv or ndjson.',
    });
  requireFields(output, ['qr_id', 'id', 'ts'], 'a dataset requires the fields qr_id, id and ts');
  return { by, timezone: chooseTimeZone({ flag, setting, TZ: 'UTC' }) };
}

function requireFields({ columns }: OutputPlan, names: readonly string[], message: string): void {
  const missing = names.filter((name) => !columns.some((column) => column.name === name));
  if (missing.length > 0) throw new UsageError(message, { hint: `Add ${missing.join(',')} to --fields.` });
}

function planAppend({ files }: Context, flags: ExportFlags, output: OutputPlan): ExportPlan['append'] {
  if (output.gzip)
    throw new UsageError("--append can't be used with a compressed file", {
      hint: 'Use a file name without .gz.',
    });
  if (output.format === 'parquet' && flags.partitionBy === undefined)
    throw new UsageError("--append can't be used with a single Parquet file", {
      hint: 'Write a dataset with --output-dir DIR --partition-by day.',
    });
  if (output.format !== 'csv' && output.format !== 'ndjson' && output.format !== 'parquet')
    throw new UsageError(`--append can't be used with the format ${output.format}`, {
      hint:
        output.path === undefined
          ? 'Use --format csv or --format ndjson.'
          : `Use a name that ends in .csv or .ndjson with --output${flags.format === undefined ? '' : ', and omit --format'}.`,
    });
  requireFields(output, ['id', 'ts'], '--append requires the fields id and ts');
  const what = 'the state of --append';
  if (output.path !== undefined)
    files.use({ what, flag: '--output', path: `${output.path}.state.json`, writes: true });
  return {
    path: flags.output ?? '',
    overlapMs: flags.overlap ?? OVERLAP_MS,
    restart: flags.restart ?? false,
    rotated: flags.rotated ?? false,
    movedFrom: flags.movedFrom,
  };
}
