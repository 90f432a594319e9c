/** The completion scripts of all shells. */
import { SCRIPTS, SHELLS, type Shell } from '../../commands/completion-scripts.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { Manual } from './page.ts';
import { powershellScript } from './powershell.ts';
import { zshScript } from './zsh.ts';

/** From all commands to the text of a script. */
const WRITERS: Readonly<Record<Shell, (manual: Manual) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** File name under completions/ → text. */
export function completionScripts(manual: Manual): Record<string, string> {
  return Object.fromEntries(SHELLS.map((shell) => [SCRIPTS[shell], WRITERS[shell](manual)]));
}
