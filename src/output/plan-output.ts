/** What the output flags ask for together: checked, and made into one plan. A format is: asked for > the extension > the profile > the place. */
import { UsageError } from '../errors.ts';
import { EXTENSIONS, FORMATS, type Format } from '../settings/settings.ts';
import { type Column, chooseColumns } from './columns.ts';
import type { Shape } from './formatter.ts';

/** The flags, as they were given. */
export interface OutputFlags {
  format?: Format | undefined;
  /** `-` is standard output. */
  output?: string | undefined;
  fields?: readonly string[] | undefined;
  /** False with `--no-header`. */
  header?: boolean | undefined;
  ids?: boolean | undefined;
  rawCells?: boolean | undefined;
  excel?: boolean | undefined;
}

export interface OutputPlan {
  /** `ids`: the ids alone, one a line. */
  format: Format | 'ids';
  columns: readonly Column[];
  shape: Shape;
  /** A person chose the columns. */
  chosen: boolean;
  /** Undefined: standard output. */
  path: string | undefined;
  gzip: boolean;
  header: boolean;
  rawCells: boolean;
  excel: boolean;
}

/** What the flags are planned for. */
export interface PlanContext {
  columns: readonly Column[];
  shape: Shape;
  /** `format` of the profile. */
  setting: Format | undefined;
  /** Standard output is a terminal. */
  isTerminal: boolean;
}

/** Throws UsageError where flags contradict each other or name an unknown field; nothing was sent or opened then. Pure. */
export function planOutput(flags: OutputFlags, context: PlanContext): OutputPlan {
  const { columns, shape } = context;
  const path = flags.output === '-' ? undefined : flags.output;
  const plan = {
    columns: chooseColumns(flags.fields, columns),
    shape,
    chosen: flags.fields !== undefined,
    path,
    gzip: path !== undefined && isCompressed(path),
    header: flags.header ?? true,
    rawCells: flags.rawCells ?? false,
    excel: flags.excel ?? false,
  };
  if (flags.ids) {
    refuseBesideIds(flags, columns);
    return { ...plan, format: 'ids' };
  }
  // Flags that are about CSV ask for it, where nothing more explicit does.
  const cells = flags.excel || flags.rawCells;
  const asked = flags.format ?? (cells && (path === undefined || formatOfPath(path) === undefined) ? 'csv' : undefined);
  const format = chooseFormat(asked, path, context);
  refuseUnsuitable(flags, format, plan.gzip);
  return { ...plan, format };
}

function refuseBesideIds(flags: OutputFlags, columns: readonly Column[]): void {
  const beside = (flag: string) =>
    new UsageError(`--ids prints ids alone, one a line: ${flag} does not go with it`, {
      hint: `leave out --ids or ${flag}`,
    });
  if (!columns.some(({ name }) => name === 'id'))
    throw new UsageError('--ids: there are no ids here', { hint: 'leave out --ids' });
  if (flags.fields) throw beside('--fields');
  if (flags.format) throw beside('--format');
  if (flags.excel) throw beside('--excel');
  if (flags.rawCells) throw beside('--raw-cells');
  const named = flags.output && formatOfPath(flags.output);
  if (named && named !== 'csv') throw beside(`an --output of ${named}`);
}

function refuseUnsuitable({ header, rawCells, excel }: OutputFlags, format: Format, gzip: boolean): void {
  if (excel && rawCells) {
    throw new UsageError('--excel defuses cells that look like formulas, --raw-cells does not', {
      hint: 'leave out one of them',
    });
  }
  const onlyCsv =
    (excel && '--excel') || (rawCells && '--raw-cells') || (header === false && format !== 'table' && '--no-header');
  if (onlyCsv && format !== 'csv') {
    throw new UsageError(`${onlyCsv} is for CSV, and the format is ${format}`, {
      hint: `add --format csv, or leave out ${onlyCsv}`,
    });
  }
  if (format === 'table' && gzip) {
    throw new UsageError('a table is for reading and is not compressed', {
      hint: 'use --format csv, or an --output without .gz',
    });
  }
}

/** The format an output path names by its extension (also with `.gz` behind it), or undefined. */
export function formatOfPath(path: string): Exclude<Format, 'table'> | undefined {
  const extension = /\.([a-z]+)(\.gz)?$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return FORMATS.filter((format) => format !== 'table').find((format) => EXTENSIONS[format].includes(extension));
}

/** Whether an output path asks for compression. */
export function isCompressed(path: string): boolean {
  return /\.gz$/i.test(path);
}

/** The format in force. A table goes into a file only when `--format table` asks for it, never by a profile's habit. */
function chooseFormat(asked: Format | undefined, path: string | undefined, { setting, isTerminal, shape }: PlanContext): Format {
  if (asked) return asked;
  const plain = shape === 'list' ? 'csv' : 'json';
  if (path !== undefined) return formatOfPath(path) ?? (setting === 'table' ? undefined : setting) ?? plain;
  return setting ?? (isTerminal ? 'table' : plain);
}
