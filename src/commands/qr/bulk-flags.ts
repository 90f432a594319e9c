/** Declares the flags that create, update and delete from a file share, and resolves the paths of their files. */
import { existsSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import type { UsedFiles } from '../../base/run/used-files.ts';
import { DATA_FORMATS } from '../../files/formats/formats.ts';
import { formatOfPath, refuseForeignExtension } from '../../files/formats/plan-output.ts';
import type { InputForm } from '../../files/formats/read/input.ts';
import { flag, type Options, text, type Values } from '../define.ts';
import type { outputOptions } from '../output-options.ts';
import { fromCodesOptions, movedFromOption, overwriteOption, workbookOptions } from '../shared-flags.ts';

export const BULK_GROUP = 'Bulk flags:';

export const bulkOptions = {
  from: text('--from <file|->', 'File of rows: CSV, .xlsx, JSON, NDJSON (or -)', { group: BULK_GROUP, complete: 'files' }),
  results: text('--results <file>', 'Write results to FILE (default: NAME.results.EXT)', {
    group: BULK_GROUP,
    complete: 'files',
    writes: true,
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
  // Reading a missing file reports it.
  return from === '-' || statSync(from, { throwIfNoEntry: false })?.isFile() === false;
}

/**
 * Returns the path of the results: `codes.results.csv` next to `codes.csv`, and so with other extensions; undefined for standard input and
 * pipes, which cannot be read twice, unless `--results` is set. Throws UsageError if it or its journal is another file of this run.
 */
export function resultsPathOf(files: UsedFiles, from: string, { results }: BulkFlags, form?: InputForm): string | undefined {
  // The next run reads them back.
  if (results !== undefined) refuseForeignExtension(results, [...DATA_FORMATS, 'xlsx'], 'results');
  else if (isStream(from)) return undefined;
  const path = results ?? besideInput(from, form);
  files.use(
    { what: 'the results file', flag: '--results', path, writes: true },
    { what: 'the journal', flag: '--results', path: journalOf(path), writes: true },
  );
  return path;
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
