import { statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { countBy } from '#base/collections';
import type { UsedFiles } from '#base/run/used-files';
import { parseLines } from '#codes/engine/plan/identify';
import type { Decisions, Policy } from '#codes/engine/plan/model';
import { COLUMN_FIELDS } from '#codes/input/header-words';
import { fromCodesOptions, workbookOptions } from '#commands/code-choice';
import {
  anyOf,
  choice,
  duration,
  flag,
  inputFile,
  outputFile,
  overwriteOption,
  parsed,
  repeated,
  type Values,
  withExtra,
} from '#commands/define';
import type { outputOptions } from '#commands/output-options';
import { DATA_FORMATS } from '#files/formats/formats';
import { formatOfPath, refuseForeignExtension } from '#files/formats/plan-output';
import { fold, type Input } from '#files/formats/read/input';
import { VALUES } from '#settings/values';

export const ROWS_GROUP = 'Bulk flags:';
const OF_ROWS = { group: ROWS_GROUP };
export const OF_FILE = { ...OF_ROWS, requires: ['--from'] };

export const rowsOptions = {
  from: inputFile('--from <file|->', 'File of rows: CSV, .xlsx, JSON, NDJSON (or -)', OF_ROWS),
  ...workbookOptions(ROWS_GROUP),
  dryRun: flag('--dry-run', 'Preview the run without making changes', OF_ROWS),
  column: repeated('--column <field=header>', 'Header of a field, as in name=Titel', parseColumn, OF_FILE),
  ...withExtra(
    { ...OF_FILE, rare: true },
    {
      exitCode: flag('--exit-code', 'Exit with code 8 for changes, 9 for decisions or a refused plan', {
        requires: ['--from', '--dry-run'],
      }),
      offline: flag('--offline', 'Check only the file; no API key required'),
      strict: flag('--strict', 'Treat warnings about the file as errors (exit 2)'),
      failFast: flag('--fail-fast', 'Stop at the first row that fails'),
      ledger: outputFile('--ledger <file>', 'Ledger (default: in the state directory)'),
    },
  ),
  overwrite: overwriteOption,
};

export const resultsOptions = {
  results: outputFile('--results <file>', 'Write results to FILE (default: NAME.results.EXT)', OF_FILE),
};

export const codesFrom = fromCodesOptions(ROWS_GROUP).from;

export const changeOptions = withExtra(OF_FILE, {
  // words-ok: ask is a value
  conflicts: choice('--conflicts <side>', 'Side that wins (default: ask)', ['ask', 'file', 'service'], {
    risky: true,
  }),
  maxChanges: parsed('--max-changes <n|n%>', 'Maximum changes (default: 30%, at least 10)', {
    parse: parseMost,
    forms: 'a number of codes, or a percentage such as 30%',
  }),
});

export const decisionOptions = withExtra(OF_FILE, {
  adopt: repeated('--adopt <row=code>', 'Assign CODE to ROW, a line or key', parseAdoption, { risky: true }),
  asNew: repeated('--as-new <row>', 'Create a new code for ROW, or all', parseAsNew, { risky: true }),
  settle: duration('--settle <duration>', 'Visibility delay of new codes (default: 10s)', { rare: true }),
});

export type RowsFlags = Values<typeof outputOptions> &
  Partial<
    Values<typeof rowsOptions & typeof resultsOptions & typeof changeOptions & typeof decisionOptions>
  > & {
    force?: true;
  };

function parseColumn(raw: string): [readonly [string, string]] {
  const [, name = '', header = ''] = /([^=]*)=(.*)/s.exec(raw) ?? [];
  const field = COLUMN_FIELDS.find((one) => one === fold(name));
  if (field === undefined || header.trim() === '')
    throw new InvalidArgumentError(`FIELD=HEADER, with the field ${anyOf(COLUMN_FIELDS)}`);
  return [[field, header.trim()]];
}

function parseAdoption(raw: string): [readonly [string, string]] {
  const at = raw.lastIndexOf('=');
  const [row, code] = [raw.slice(0, Math.max(0, at)).trim(), raw.slice(at + 1).trim()];
  if (row === '' || code === '')
    throw new InvalidArgumentError('ROW=CODE, with a line or key, and the ID or slug of a code');
  return [[row, code]];
}

const MOST_LINES = 1_000_000;

function parseAsNew(raw: string): string[] {
  const row = raw.trim();
  const count = parseLines(row)?.count ?? 1;
  if (count < 1 || count > MOST_LINES)
    throw new InvalidArgumentError('a line, a range of lines such as 15-20, a key, or all');
  return [row];
}

function parseMost(raw: string): Policy['maxChanges'] {
  const most = VALUES.reserve.parse(raw);
  return most && 'requests' in most ? { count: most.requests } : most;
}

function decisionsOf({ adopt = [], asNew = [] }: RowsFlags): Decisions {
  const rows = asNew.filter((row) => row !== 'all');
  return { adopt: new Map(adopt), asNew: countBy(rows, (row) => row), asNewAll: rows.length < asNew.length };
}

export function policyOf(verb: Policy['verb'], flags: RowsFlags, own: Partial<Policy> = {}): Policy {
  return {
    verb,
    conflicts: flags.conflicts ?? (verb === 'apply' ? 'file' : 'ask'),
    isDated: false,
    applyEdits: false,
    adoptExisting: false,
    removed: 'report',
    maxChanges: flags.maxChanges,
    force: flags.force ?? false,
    decisions: decisionsOf(flags),
    ...own,
  };
}

/** Returns the path for results, or undefined for standard input and pipes without `--results`. */
export function resultsPathOf(
  files: UsedFiles,
  from: string,
  { results }: RowsFlags,
  input: Input,
): string | undefined {
  if (results !== undefined) refuseForeignExtension(results, [...DATA_FORMATS, 'xlsx'], 'results');
  else if (from === '-' || statSync(from, { throwIfNoEntry: false })?.isFile() === false) return undefined;
  const path = results ?? resultsPathBeside(from, input);
  const flag = path === from ? '--from' : '--results';
  files.use({ what: 'the results file', flag, path, writes: true });
  return path;
}

/**
 * Returns `codes.results.csv` for `codes.csv`, and the path of a results file unchanged. An extension that
 * fits the content is kept, because the same program opens both files.
 */
export function resultsPathBeside(from: string, { form, columns }: Pick<Input, 'form' | 'columns'>): string {
  const { dir, name, ext } = parse(from.replace(/\.gz$/i, ''));
  const isOwn = formatOfPath(ext) === form?.is;
  const names = new Set(columns.map(fold));
  const isResults = ['outcome', 'base', 'decision'].every((column) => names.has(column));
  if (isOwn && (isResults || /.\.results$/i.test(name))) return from;
  return join(dir, `${name}.results${isOwn ? ext : `.${form?.is ?? 'csv'}`}`);
}
