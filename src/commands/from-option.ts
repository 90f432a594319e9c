/** Declares the flag `--from` of commands that select codes by a file. */
import { type OptionDefinition, text } from './define.ts';

const FROM_CODES = 'File of codes: CSV, .xlsx, JSON, NDJSON or one ID or slug per line (- for standard input)';

/** Declares the flag in a group of flags; `readCodesOfFile` (codes-of-file.ts) reads the file. */
export function fromCodesOption(group?: string): OptionDefinition<string> {
  return text('--from <file|->', FROM_CODES, { group, complete: 'files' });
}
