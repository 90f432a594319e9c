/** Generates the completion scripts of all shells. */
import { SCRIPTS, SHELLS, type Shell } from '../../commands/completion-scripts.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { Manual } from './page.ts';
import { powershellScript } from './powershell.ts';
import { zshScript } from './zsh.ts';

/** Script writer of each shell. */
const WRITERS: Readonly<Record<Shell, (manual: Manual) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** Returns the text of each script by its file name under completions/. */
export function completionScripts(manual: Manual): Record<string, string> {
  return Object.fromEntries(SHELLS.map((shell) => [SCRIPTS[shell], WRITERS[shell](manual)]));
}
