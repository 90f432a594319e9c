/** Files that come with the program. Beside main.ts, so that `..` is the package both from src/ and from dist/. */
import { readFileSync } from 'node:fs';
import { SCRIPTS, type Shell } from './help/shells.ts';

/** The completion script of a shell, as checked in under completions/. */
export function readCompletionScript(shell: Shell): string {
  return readFileSync(new URL(`../completions/${SCRIPTS[shell]}`, import.meta.url), 'utf8');
}
