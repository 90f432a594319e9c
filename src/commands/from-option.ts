/** The flag `--from` of commands that choose codes by a file. */
import { type OptionDefinition, text } from './define.ts';

const FROM_CODES =
  'File of codes: CSV, workbook (.xlsx), JSON array or NDJSON with a column id or slug, or a list of ids or slugs, one per line; ' +
  '- is standard input';

/** Declares the flag, in a group of flags. `readCodesOfFile` (codes-of-file.ts) reads what it is given. */
export function fromCodesOption(group?: string): OptionDefinition<string> {
  return text('--from <file|->', FROM_CODES, { group, complete: 'files' });
}
