import { readPackaged } from '#files/durable/packaged-files';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof SHELLS)[number];

export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: 'qrctl.bash',
  zsh: '_qrctl',
  fish: 'qrctl.fish',
  powershell: 'qrctl.ps1',
};

export function isShell(word: string | undefined): word is Shell {
  return SHELLS.some((shell) => shell === word);
}

export function readCompletionScript(shell: Shell): string {
  return readPackaged(`completions/${SCRIPTS[shell]}`).toString();
}
