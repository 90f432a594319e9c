/** Declares the flags that create, update and delete from a file share, and resolves the paths of their files. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import type { InputForm } from '../../bulk/input.ts';
import { UsageError } from '../../errors.ts';
import { DATA_FORMATS } from '../../rows/formats.ts';
import { formatOfPath, refuseForeignExtension } from '../../rows/plan-output.ts';
import { flag, type Options, text, type Values } from '../define.ts';
import type { outputOptions } from '../output-options.ts';
import { fromCodesOptions, movedFromOption, overwriteOption, workbookOptions } from '../shared-flags.ts';

export const BULK_GROUP = 'Bulk flags:';

export const bulkOptions = {
  from: text('--from <file|->', 'File of rows: CSV, .xlsx, JSON, NDJSON (or -)', { group: BULK_GROUP, complete: 'files' }),
  results: text('--results <file>', 'Write results to FILE (default: NAME.results.EXT)', {
    group: BULK_GROUP,
    complete: 'files',
  }),
  overwrite: overwriteOption,
  movedFrom: { ...movedFromOption, group: BULK_GROUP },
  ...workbookOptions(BULK_GROUP),
  dryRun: flag('--dry-run', 'Show changes and request count; change nothing', { group: BULK_GROUP }),
  offline: flag('--offline', 'Check only the file; no API key required', { group: BULK_GROUP }),
  strict: flag('--strict', 'Treat warnings about the file as errors (exit 2)', { group: BULK_GROUP }),
  failFast: flag('--fail-fast', 'Stop at the first row that fails', { group: BULK_GROUP }),
};

/** Bulk flags of commands whose rows refer to existing codes. */
export const bulkCodesOptions = { ...bulkOptions, ...fromCodesOptions(BULK_GROUP) };

export type BulkFlags = Values<typeof bulkOptions & typeof outputOptions>;

type Given = Readonly<Record<string, unknown>>;

/** Throws UsageError when one of the options, which all need `--from`, was given. */
export function requireFrom(options: Options, given: Given): void {
  const key = Object.keys(options).find((option) => option !== 'from' && given[option] !== undefined);
  if (key === undefined) return;
  const [name] = options[key]?.flags.split(' ', 1) ?? [];
  throw new UsageError(`${name} requires --from FILE`, { hint: `Add --from FILE, or omit ${name}` });
}

/** Returns the results file of a run that needs its journal; `flag` is the reason. Throws UsageError if there is none. */
export function requireResults(path: string | undefined, flag: string): string {
  if (path !== undefined) return path;
  throw new UsageError(`${flag} requires a journal, but a run from standard input has none`, {
    hint: 'Save the rows in a file and use --from FILE, or add --results FILE.',
  });
}

/** Returns whether an input can be read only once: standard input, or a pipe. */
function isStream(from: string): boolean {
  return from === '-' || isDevice(from);
}

/**
 * Returns the path of the results: `codes.results.csv` next to `codes.csv`, and so with other extensions; undefined for standard input and
 * pipes, which cannot be read twice, unless `--results` is set. Throws UsageError if two of input, results, journal and output are one
 * file, whatever their names: one would overwrite the other.
 */
export function resultsPathOf(from: string, { results, output }: BulkFlags, form?: InputForm): string | undefined {
  // The next run reads them back.
  if (results !== undefined) refuseForeignExtension(results, DATA_FORMATS, 'results');
  else if (isStream(from)) return undefined;
  const path = results ?? besideInput(from, form);
  refuseSameFile([
    { flag: '', what: 'the input', path: from },
    { flag: '--results', what: 'the results', path },
    { flag: '--results', what: 'the journal of the results', path: journalOf(path) },
    { flag: '--output', what: 'the output', path: output ?? '-' },
  ]);
  return path;
}

interface NamedFile {
  /** The flag that specifies it. */
  flag: string;
  what: string;
  /** `-`: none. */
  path: string;
}

/** Throws UsageError if two of these files are one, under any name: one would be lost to the other. */
export function refuseSameFile(given: readonly NamedFile[]): void {
  const files = given.filter((file) => file.path !== '-' && !isDevice(file.path));
  for (const [index, file] of files.entries()) {
    const earlier = files.slice(0, index).find((other) => realTarget(other.path) === realTarget(file.path));
    if (!earlier) continue;
    throw new UsageError(`${file.what} can't be the same file as ${earlier.what}`, {
      hint: `Specify a different file with ${file.flag}, or omit the flag.`,
    });
  }
}

/** The extension is the input's: the same program opens both. */
function besideInput(from: string, form: InputForm | undefined): string {
  const { dir, name, ext } = parse(from.replace(/\.gz$/i, ''));
  const start = join(dir, `${name}.results`);
  const own = formatOfPath(ext) === form?.is ? ext : `.${form?.is ?? 'csv'}`;
  // Earlier versions wrote .csv for every input: a run that was started then continues in its own journal.
  const isBegun = !existsSync(journalOf(start + own)) && existsSync(journalOf(`${start}.csv`));
  return start + (isBegun ? '.csv' : own);
}

/** The journal of the run with these results. */
export function journalOf(resultsPath: string): string {
  return `${resultsPath}.journal`;
}

/** With every symbolic link followed, as writing does. */
function realTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realTarget(parent), basename(path));
  }
}

/** Opening it reports the error. */
function isDevice(path: string): boolean {
  try {
    return !statSync(path).isFile();
  } catch {
    return false;
  }
}
