/** Files that come with the program. Beside main.ts, so that `..` is the package both from src/ and from dist/. */
import { readFile } from 'node:fs/promises';
import { SCRIPTS, type Shell } from './help/shells.ts';

/** The completion script of a shell, as checked in under completions/. */
export function readCompletionScript(shell: Shell): Promise<string> {
  return readFile(new URL(`../completions/${SCRIPTS[shell]}`, import.meta.url), 'utf8');
}
