import { readPackaged } from '#files/durable/packaged-files';

export const SCRIPTS = {
  bash: 'qrctl.bash',
  zsh: '_qrctl',
  fish: 'qrctl.fish',
  powershell: 'qrctl.ps1',
};

type Shell = keyof typeof SCRIPTS;

export const SHELLS = Object.keys(SCRIPTS) as Shell[];

export function isShell(word: string | undefined): word is Shell {
  return SHELLS.some((shell) => shell === word);
}

export function readCompletionScript(shell: Shell): string {
  return readPackaged(`completions/${SCRIPTS[shell]}`).toString();
}
