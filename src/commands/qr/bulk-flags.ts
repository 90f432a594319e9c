/** The flags that create, update and delete from a file share, which of them go together, and the paths they name. */
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { Decisions } from '../../once/decisions.ts';
import type { OutputFlags } from '../../output/plan-output.ts';
import { flag, text } from '../define.ts';

const GROUP = 'Bulk flags:';

export const bulkOptions = {
  from: text('--from <file|->', 'a CSV with a header row, a JSON array or NDJSON; - is standard input', {
    group: GROUP,
    complete: 'files',
  }),
  results: text('--results <file>', 'where the results go (default: FILE.results.csv beside the input; stdin.results.csv)', {
    group: GROUP,
    complete: 'files',
  }),
  dryRun: flag('--dry-run', 'print what would be done, and what it costs; change nothing', { group: GROUP }),
  failFast: flag('--fail-fast', 'stop at the first row that fails', { group: GROUP }),
};

export const BULK_GROUP = GROUP;

export interface BulkFlags {
  results?: string | undefined;
  output?: string | undefined;
  dryRun?: boolean | undefined;
  failFast?: boolean | undefined;
}

export interface CreateFlags extends BulkFlags, OutputFlags {
  skipExisting?: boolean | undefined;
  adopt?: Decisions['adopt'] | undefined;
  notCreated?: Decisions['notCreated'] | undefined;
}

type Given = Readonly<Record<string, unknown>>;

function firstGiven(flags: Given): string | undefined {
  return Object.keys(flags).find((name) => flags[name] !== undefined);
}

/** Throws UsageError when one of the flags was given beside `other`. */
export function refuseTogether(other: string, flags: Given): void {
  const name = firstGiven(flags);
  if (name) throw new UsageError(`${name} does not go with ${other}`, { hint: `leave out one of them` });
}

/** Throws UsageError when one of the flags was given, which all need `--from`. */
export function requireFrom(flags: Given): void {
  const name = firstGiven(flags);
  if (name)
    throw new UsageError(`${name} goes with --from FILE`, { hint: `name the file of rows with --from, or leave out ${name}` });
}

/**
 * `codes.results.csv` beside `codes.csv`; `stdin.results.csv` here for standard input. Throws UsageError where two of input,
 * results, journal and output are one file, by whatever name: one would be lost to the other.
 */
export function resultsPathOf(from: string, { results, output }: BulkFlags): string {
  const { dir, name } = parse(from === '-' ? 'stdin' : from);
  const path = results ?? join(dir, `${name}.results.csv`);
  const files = [
    { flag: '', what: 'the input file itself', path: from },
    { flag: '--results', what: 'the results file', path },
    { flag: '--results', what: 'the journal of the results', path: `${path}.journal` },
    { flag: '--output', what: 'the output', path: output ?? '-' },
  ].filter((file) => file.path !== '-' && !isDevice(file.path));
  for (const [index, file] of files.entries()) {
    const earlier = files.slice(0, index).find((other) => realTarget(other.path) === realTarget(file.path));
    if (!earlier) continue;
    throw new UsageError(`${file.flag} names ${earlier.what}`, { hint: `name another file, or leave out ${file.flag}` });
  }
  return path;
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

function isDevice(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
}
