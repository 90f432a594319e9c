/** The shells there are completions for, and what their scripts are called under completions/. */

/** The names are those under which each shell looks for a script by itself. */
export const SCRIPTS = {
  bash: 'qrctl.bash',
  zsh: '_qrctl',
  fish: 'qrctl.fish',
  powershell: 'qrctl.ps1',
} as const;

export type Shell = keyof typeof SCRIPTS;

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const satisfies readonly Shell[];

export function isShell(word: string | undefined): word is Shell {
  return SHELLS.some((shell) => shell === word);
}
