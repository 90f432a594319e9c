import { UsageError } from '#base/errors';
import { type Column, chooseColumns } from './columns.ts';
import type { CsvOptions } from './csv.ts';
import {
  DATA_FORMATS,
  type Delimiter,
  EXTENSIONS,
  type FileFormat,
  FOREIGN_EXTENSIONS,
  FORMATS,
  type Format,
} from './formats.ts';
import type { Shape } from './formatter.ts';
import { type FileKind, kindOfTable, ORDINARY_FILES } from './kept-file.ts';

export interface OutputFlags {
  format?: Format;
  output?: string;
  fields?: readonly string[];
  header?: boolean;
  ids?: boolean;
  rawCells?: boolean;
  excel?: boolean;
  delimiter?: Delimiter;
  timezone?: string;
}

export interface OutputPlan
  extends Required<Pick<OutputFlags, 'header' | 'rawCells' | 'excel'>>,
    Pick<CsvOptions, 'delimiter' | 'bom' | 'lineEnd'> {
  format: Format | FileFormat | 'ids';
  columns: readonly Column[];
  shape: Shape;
  chosen: boolean;
  path: string | undefined;
  elsewhere?: string;
  replaces?: readonly FileKind[];
  beforeReplace?: () => Promise<void>;
  gzip: boolean;
  timezone?: string;
}

export interface PlanContext {
  columns: readonly Column[];
  shape: Shape;
  settings: { format?: Format; delimiter?: Delimiter };
  isTerminal: boolean;
  /** Directory of the files, if they are not named one by one. */
  directory?: string | undefined;
  formats?: readonly Format[];
}

/**
 * Combines the output flags. Without `--ids`, the format comes from `--format`, the extension, flags that
 * require CSV, the profile or the default, in this order. Throws UsageError for invalid combinations.
 */
export function planOutput(flags: OutputFlags, context: PlanContext): OutputPlan {
  const { columns, shape } = context;
  const { header = true, rawCells = false, excel = false, timezone } = flags;
  const path = flags.output === '-' ? undefined : flags.output;
  const named = path === undefined ? undefined : outputFormatOfPath(path);
  const chosen = chooseColumns(flags.fields, columns);
  const names = (of: readonly Column[]) => of.map(({ name }) => name);
  const plan = {
    columns: chosen,
    shape,
    chosen: flags.fields !== undefined,
    path,
    gzip: path !== undefined && isCompressed(path),
    header,
    rawCells,
    excel,
    timezone,
    // Allows tables with all or with the chosen columns, which the same command may have written.
    replaces: [...ORDINARY_FILES, kindOfTable(names(columns)), kindOfTable(names(chosen))],
  };
  if (path !== undefined) refuseForeignExtension(path, [...(context.formats ?? FORMATS), 'xlsx']);
  if (flags.ids) {
    refuseBesideIds(named, columns);
    return { ...plan, format: 'ids', delimiter: ',' };
  }
  const cells = flags.excel || flags.rawCells || flags.delimiter !== undefined;
  const requested = flags.format ?? (cells && named === undefined ? 'csv' : named);
  const isFile = (path ?? context.directory) !== undefined;
  const format = requested ?? defaultFormat(isFile, context);
  refuseUnsuitable(flags, format, plan.gzip);
  if (format === 'parquet' && !isFile && context.isTerminal)
    throw new UsageError('cannot print Parquet to a terminal: it is a binary format', {
      hint: 'Add -o scans.parquet to write it to a file.',
    });
  if (named !== undefined && named !== format)
    throw new UsageError(`format ${format} doesn't match the extension of ${path}`, {
      hint: 'Omit --format, or use a different extension with --output.',
    });
  return { ...plan, format, delimiter: chooseDelimiter(flags.delimiter, path, context) };
}

function refuseBesideIds(named: FileFormat | undefined, columns: readonly Column[]): void {
  if (!columns.some(({ name }) => name === 'id'))
    throw new UsageError('--ids requires records with an ID', { hint: 'Omit --ids.' });
  if (named && named !== 'csv')
    throw new UsageError(`--ids prints only IDs, one per line, and can't be used with ${named} output`, {
      hint: 'Omit --ids, or use the extension .csv or .txt with --output.',
    });
}

const NAMES: Readonly<Record<FileFormat, string>> = {
  csv: 'CSV',
  json: 'JSON',
  ndjson: 'NDJSON',
  parquet: 'Parquet',
  markdown: 'Markdown',
  xlsx: 'a workbook',
};

/** Throws UsageError if the extension is for an unsupported format, or one not in `formats`. */
export function refuseForeignExtension(
  path: string,
  formats: readonly (Format | 'xlsx')[],
  records = 'scans',
): void {
  const extension = extensionOf(path);
  const format = outputFormatOfPath(path);
  if (format && !formats.includes(format)) {
    const what = format === 'parquet' ? 'only scans can' : `${records} can't`;
    throw new UsageError(`cannot write ${path}: ${what} be written as ${NAMES[format]}`, {
      hint: 'Use the extension .csv.',
    });
  }
  if (!FOREIGN_EXTENSIONS.has(extension)) return;
  const known = FILE_FORMATS.filter((name) => formats.includes(name));
  const extensions = known.flatMap((name) => EXTENSIONS[name]).map((name) => `.${name}`);
  throw new UsageError(`cannot write ${path}: .${extension} is not supported`, {
    hint: `Use one of these extensions: ${extensions.join(', ')}. CSV and JSON may have .gz after it.`,
  });
}

function chooseDelimiter(
  flag: Delimiter | undefined,
  path: string | undefined,
  { settings }: PlanContext,
): Delimiter {
  const ofName = delimiterOfPath(path ?? '');
  if (flag === undefined || flag === ofName) return ofName ?? settings.delimiter ?? ',';
  if (ofName === undefined) return flag;
  throw new UsageError(`--delimiter ${flag} can't be used with .tsv, which is tab-separated`, {
    hint: 'Omit --delimiter, or use the extension .csv.',
  });
}

function refuseUnsuitable(
  { header, rawCells, excel, delimiter }: OutputFlags,
  format: Format | FileFormat,
  gzip: boolean,
): void {
  const onlyCsv =
    (excel && '--excel') ||
    (rawCells && '--raw-cells') ||
    (delimiter && '--delimiter') ||
    (header === false && format !== 'table' && '--no-header');
  if (onlyCsv && format !== 'csv') {
    throw new UsageError(`${onlyCsv} requires CSV, but the format is ${format}`, {
      hint: `Add --format csv, or omit ${onlyCsv}.`,
    });
  }
  if (gzip && (format === 'table' || format === 'markdown'))
    throw new UsageError('tables cannot be compressed', {
      hint: 'Use --format csv, or omit .gz from the file name.',
    });
  if (gzip && (format === 'parquet' || format === 'xlsx'))
    throw new UsageError(`${format === 'xlsx' ? '.xlsx' : 'Parquet'} files are already compressed`, {
      hint: 'Omit .gz from the file name.',
    });
}

const FILE_FORMATS = Object.keys(EXTENSIONS) as FileFormat[];

function outputFormatOfPath(path: string): FileFormat | undefined {
  return FILE_FORMATS.find((format) => EXTENSIONS[format].includes(extensionOf(path)));
}

const LIST_FORMATS = [...DATA_FORMATS, 'xlsx'] as const satisfies readonly FileFormat[];

export function formatOfPath(path: string): (typeof LIST_FORMATS)[number] | undefined {
  const format = outputFormatOfPath(path);
  return LIST_FORMATS.find((known) => known === format);
}

export function delimiterOfPath(path: string): Delimiter | undefined {
  return extensionOf(path) === 'tsv' ? '\t' : undefined;
}

function extensionOf(path: string): string {
  return /\.([a-z0-9]+)(\.gz)?$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}

export function isCompressed(path: string): boolean {
  return /\.gz$/i.test(path);
}

function defaultFormat(
  isFile: boolean,
  { settings, isTerminal, shape, formats = FORMATS }: PlanContext,
): Format {
  const setting = formats.find((format) => format === settings.format);
  if (setting && !(isFile && setting === 'table')) return setting;
  if (!isFile && isTerminal) return 'table';
  return shape === 'list' ? 'csv' : 'json';
}
