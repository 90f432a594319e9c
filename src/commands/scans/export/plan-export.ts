/** Combines the flags of `scans export` to a plan, and checks them before any request. */
import { join } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { chooseTimeZone } from '../../../base/time/time-zone.ts';
import { createFileNames, type FileNames } from '../../../codes/listing/file-names.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import { SCAN_FORMATS } from '../../../files/formats/formats.ts';
import { ORDINARY_FILES } from '../../../files/formats/kept-file.ts';
import { type OutputPlan, planOutput } from '../../../files/formats/plan-output.ts';
import type { Partitioning } from '../../../scans/dataset/partitions.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import { SCAN_FIELDS } from '../../../service/shapes.ts';
import { checkChoice, everyOf, isOneCode } from '../../code-choice.ts';
import { checkInputChoice } from '../../input-option.ts';
import { type PlannedRange, planRange } from '../../range-options.ts';
import { LABELS } from '../labels.ts';
import { LOCAL_TIME } from './added-columns.ts';
import { type ExportFlags, options as exportFlags } from './flags.ts';

export const DEFAULT_OVERLAP_MS = 3_600_000;
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

/** Labels that require a request for a code specified by ID. */
const OF_CODE: ReadonlySet<string> = new Set(['qr_slug', 'qr_name']);

/** Half of an id or a time is worth nothing. */
const WHOLE: ReadonlySet<string> = new Set(['qr_id', 'qr_slug', 'id', 'ts', LOCAL_TIME]);

export interface ExportPlan extends PlannedRange {
  /** Every code, or a text: every code that passes these filters. */
  all: boolean | string;
  /** Rows begin with `qr_id,qr_slug,qr_name`: several codes share one output. */
  labelled: boolean;
  /** Whether labels are written that an ID alone does not provide: slugs or names. */
  named: boolean;
  output: OutputPlan;
  /** Time zone of `ts_local`, if it is among the columns. */
  localZone: string | undefined;
  /** Requests by time whether there are rows beyond the last page, whatever the total is. */
  proveBeyond: boolean;
  /** One file a code goes here. */
  directory: string | undefined;
  fileNames: FileNames;
  append:
    | { path: string; overlapMs: number; restart: boolean; rotated: boolean; movedFrom: string | undefined }
    | undefined;
  /** Files that `--append` keeps may be replaced. */
  overwrite: boolean;
  /** The directory is a dataset, divided so. */
  partition: Partitioning | undefined;
}

/** Throws UsageError on flags that contradict each other, unknown fields, and times that are none. */
export async function planExport(
  context: Context,
  names: readonly string[],
  flags: ExportFlags,
): Promise<ExportPlan> {
  const settings = await context.settings();
  refuseContradictions(names, flags);
  const directory = flags.outputDir;
  const isDataset = flags.partitionBy !== undefined;
  const labelled = isDataset || (directory === undefined && !isOneCode(names, flags));
  const planned = planOutput(flags, {
    columns: columns(labelled, flags.fields !== undefined),
    shape: 'list',
    formats: SCAN_FORMATS,
    settings,
    isTerminal: context.console.isTerminal && directory === undefined && !flags.append,
  });
  // In addition to the exact time, one that spreadsheets recognize as a time.
  const isForPeople = planned.excel || planned.format === 'xlsx';
  const shown = isForPeople && !planned.chosen ? { ...planned, columns: columns(labelled, true) } : planned;
  const output: OutputPlan = {
    ...shown,
    timezone: flags.timezone,
    replaces: flags.overwrite ? [...ORDINARY_FILES, 'log'] : ORDINARY_FILES,
  };
  if (directory !== undefined && output.format === 'table') {
    throw new UsageError("--output-dir can't be used with --format table", { hint: 'Add --format csv.' });
  }
  const partition = planPartition(flags, output, settings.timezone);
  const append = flags.append ? planAppend(context, flags, output) : undefined;
  const fileNames = flags.fileNames ?? 'id';
  const proveBeyond = flags.proveBeyond ?? false;
  const range = await planRange(context, flags, settings.timezone);
  const isLocal = output.columns.some(({ name }) => name === LOCAL_TIME);
  const zones = { flag: flags.timezone, setting: settings.timezone, TZ: context.env.TZ };
  const localZone = isLocal ? chooseTimeZone(zones) : undefined;
  return {
    all: everyOf(names, flags),
    labelled,
    named:
      fileNames === 'slug' ||
      (output.format !== 'ids' && output.columns.some(({ name }) => OF_CODE.has(name))),
    output,
    localZone,
    directory,
    fileNames,
    append,
    partition,
    overwrite: flags.overwrite ?? false,
    proveBeyond,
    ...range,
  };
}

function columns(labelled: boolean, withLocal: boolean): Column[] {
  const fields = SCAN_FIELDS.flatMap((name) => (withLocal && name === 'ts' ? [name, LOCAL_TIME] : [name]));
  return [...(labelled ? LABELS : []), ...fields].map((name) => {
    // The column means the same in each format: a workbook that is saved as CSV is read by --input.
    const isTime = name === 'ts' ? ('utc' as const) : name === LOCAL_TIME;
    return { name, importance: IMPORTANCE[name] ?? 1, keepWhole: WHOLE.has(name), isTime };
  });
}

function refuseContradictions(names: readonly string[], flags: ExportFlags): void {
  const {
    fileNames,
    output,
    outputDir,
    append,
    restart,
    rotated,
    movedFrom,
    overlap,
    overwrite,
    partitionBy,
  } = flags;
  if (flags.input) refuseWithInput(names, flags);
  else checkChoice(names, flags);
  if (output !== undefined && outputDir !== undefined)
    throw new UsageError("--output can't be used with --output-dir", {
      hint: 'Omit either --output or --output-dir.',
    });
  if (append && outputDir === undefined && (output === undefined || output === '-')) {
    throw new UsageError('--append requires --output or --output-dir', {
      hint: 'Add -o scans.csv, or --output-dir DIR for one file per code.',
    });
  }
  if (fileNames !== undefined && outputDir === undefined)
    throw new UsageError('--file-names requires --output-dir', {
      hint: 'Add --output-dir DIR, or omit --file-names.',
    });
  if (rotated && !append)
    throw new UsageError('--rotated requires --append', { hint: 'Add --append, or omit --rotated.' });
  if (restart && !append)
    throw new UsageError('--restart requires --append', { hint: 'Add --append, or omit --restart.' });
  if (flags.verify && !append)
    throw new UsageError('--verify requires --append', {
      hint: 'Add --append, or use `qrctl scans verify`.',
    });
  if (movedFrom !== undefined && !append)
    throw new UsageError('--moved-from requires --append', { hint: 'Omit --moved-from, or add --append.' });
  if (overwrite && append)
    throw new UsageError("--overwrite can't be used with --append", {
      hint: 'Omit --overwrite. To export everything again, add --restart.',
    });
  if (overwrite && partitionBy !== undefined)
    throw new UsageError("--overwrite can't replace a dataset: readers would see parts of two datasets", {
      hint: 'Add --append to add new scans, or specify a different directory with --output-dir.',
    });
  if (overlap !== undefined && !append)
    throw new UsageError('--overlap requires --append', { hint: 'Add --append, or omit --overlap.' });
}

/** Flags that select scans of the service, or determine how to read them. */
const OF_SERVICE = ['since', 'until', 'during', 'append', 'dryRun', 'verify', 'proveBeyond'] as const;

/** Logs are converted as a whole, and words behind --input are files. */
function refuseWithInput(names: readonly string[], flags: ExportFlags): void {
  if (flags.partitionBy === undefined || flags.outputDir === undefined)
    throw new UsageError('--input requires --output-dir and --partition-by', {
      hint: 'Add --output-dir DIR --partition-by month to convert logs to a dataset. To select codes from a file, use --from.',
    });
  checkInputChoice(names, flags);
  const other = OF_SERVICE.find((name) => flags[name] !== undefined);
  if (other === undefined) return;
  const words = exportFlags[other].flags.split(' ')[0];
  throw new UsageError(`${words} can't be used with --input`, {
    hint: `Omit ${words} to convert all scans of the files. Then add new scans with --append.`,
  });
}

/** Without --timezone, days are in UTC, wherever the machine is: a dataset may have readers anywhere. */
function planPartition(
  flags: ExportFlags,
  output: OutputPlan,
  setting: string | undefined,
): Partitioning | undefined {
  const { partitionBy: by, timezone: flag } = flags;
  if (by === undefined) return undefined;
  if (flags.outputDir === undefined) {
    throw new UsageError('--partition-by requires --output-dir', { hint: 'Add --output-dir DIR.' });
  }
  if (flags.restart) {
    throw new UsageError("--restart can't be used with --partition-by", {
      hint: 'Export to a new directory with --output-dir, then replace the old one.',
    });
  }
  if (!['csv', 'ndjson', 'parquet'].includes(output.format)) {
    throw new UsageError(`--partition-by can't be used with the format ${output.format}`, {
      hint: 'Add --format parquet, csv or ndjson.',
    });
  }
  if (!output.header)
    throw new UsageError("--no-header can't be used with --partition-by", { hint: 'Omit --no-header.' });
  requireFields(output, ['qr_id', 'id', 'ts'], 'a dataset requires the fields qr_id, id and ts');
  return { by, timezone: chooseTimeZone({ flag, setting, TZ: 'UTC' }) };
}

function requireFields({ columns }: OutputPlan, names: readonly string[], message: string): void {
  const missing = names.find((name) => !columns.some((column) => column.name === name));
  if (missing !== undefined) throw new UsageError(message, { hint: `Add ${missing} to --fields.` });
}

function planAppend({ files }: Context, flags: ExportFlags, output: OutputPlan): ExportPlan['append'] {
  if (output.gzip)
    throw new UsageError("--append can't be used with a compressed file", {
      hint: 'Use a file name without .gz.',
    });
  if (output.format === 'parquet' && flags.partitionBy === undefined) {
    throw new UsageError("--append can't be used with a single Parquet file", {
      hint: 'Write a dataset with --output-dir DIR --partition-by day.',
    });
  }
  if (output.format !== 'csv' && output.format !== 'ndjson' && output.format !== 'parquet') {
    throw new UsageError(`--append can't be used with the format ${output.format}`, {
      hint: 'Add --format csv or --format ndjson.',
    });
  }
  requireFields(output, ['id', 'ts'], '--append requires the fields id and ts');
  if (output.path !== undefined)
    files.use({
      what: 'the state of --append',
      flag: '--output',
      path: `${output.path}.state.json`,
      writes: true,
    });
  return {
    path: flags.output ?? '',
    overlapMs: flags.overlap ?? DEFAULT_OVERLAP_MS,
    restart: flags.restart ?? false,
    rotated: flags.rotated ?? false,
    movedFrom: flags.movedFrom,
  };
}

/** Returns the path of the file of each code in `--output-dir`. */
export function filesOf(
  { directory = '', fileNames, output }: ExportPlan,
  codes: readonly CodeLabel[],
): (code: CodeLabel) => string {
  const nameOf = createFileNames(codes, fileNames);
  const extension = extensionOf({ output });
  return (code) => join(directory, `${nameOf(code)}.${extension}`);
}

/** Of those files. */
export function extensionOf({ output: { format } }: Pick<ExportPlan, 'output'>): string {
  return format === 'ids' ? 'txt' : format;
}
