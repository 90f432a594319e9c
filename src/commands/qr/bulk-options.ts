/** The flags that create, update and delete from a file share. */
import { join, parse, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { flag, text } from '../define.ts';

const GROUP = 'Bulk flags:';

export const bulkOptions = {
  from: text('--from <file|->', 'a CSV with a header row, a JSON array or NDJSON; - is standard input', {
    group: GROUP,
    complete: 'file',
  }),
  results: text('--results <file>', 'where the results go (default: FILE.results.csv beside the input)', {
    group: GROUP,
    complete: 'file',
  }),
  dryRun: flag('--dry-run', 'print what would be done, and what it costs; change nothing', { group: GROUP }),
  failFast: flag('--fail-fast', 'stop at the first row that fails', { group: GROUP }),
};

export const BULK_GROUP = GROUP;

export interface BulkFlags {
  results?: string | undefined;
  dryRun?: boolean | undefined;
  failFast?: boolean | undefined;
}

/** `codes.results.csv` beside `codes.csv`; `stdin.results.csv` here for standard input. Throws UsageError. */
export function resultsPathOf(from: string, { results }: BulkFlags): string {
  const { dir, name } = parse(from === '-' ? 'stdin' : from);
  const path = results ?? join(dir, `${name}.results.csv`);
  if (from === '-' || resolve(path) !== resolve(from)) return path;
  throw new UsageError('--results names the input file itself', { hint: 'name another file, or leave out --results' });
}
