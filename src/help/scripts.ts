/** The completion scripts of all shells. */

import { SCRIPTS } from '../packaged.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { Manual } from './page.ts';
import { powershellScript } from './powershell.ts';
import { zshScript } from './zsh.ts';

/** File name under completions/ → text. */
export function completionScripts(manual: Manual): Record<string, string> {
  return {
    [SCRIPTS.bash]: bashScript(manual),
    [SCRIPTS.zsh]: zshScript(manual),
    [SCRIPTS.fish]: fishScript(manual),
    [SCRIPTS.powershell]: powershellScript(manual),
  };
}
