/**
 * Answers that come with the program as files, or with it: what scripts and shells ask for often is printed before commander or
 * anything else is loaded. They are whole command lines; reading one is the work of commands/program.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../package.json';
import type { Terminal } from './help/command-help.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** The completion scripts under completions/, each by the name under which its shell looks for it by itself. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: 'qrctl.bash',
  zsh: '_qrctl',
  fish: 'qrctl.fish',
  powershell: 'qrctl.ps1',
};

export function isShell(word: string | undefined): word is Shell {
  return SHELLS.some((shell) => shell === word);
}

/** The answer to exactly this command line, where it lies ready; `terminal` tells where it would be read. */
export function readyAnswer(argv: readonly string[], terminal: () => Terminal): string | undefined {
  const [word = '', shell] = argv;
  if (argv.length === 1 && ['--version', '-V'].includes(word)) return `${version}\n`;
  if (argv.length === 1 && ['--help', '-h', 'help'].includes(word)) return readHelp(terminal());
  if (argv.length === 2 && word === 'completion' && isShell(shell)) return readCompletionScript(shell);
  return undefined;
}

/** The completion script of a shell, as checked in under completions/. */
export function readCompletionScript(shell: Shell): string {
  return readFileSync(join(import.meta.dirname, '..', 'completions', SCRIPTS[shell]), 'utf8');
}

/** What `qrctl --help` prints, as the build laid it out; undefined where it did not, or for another kind of terminal. */
function readHelp({ columns = 80, colour }: Terminal): string | undefined {
  if (columns < 80) return undefined;
  try {
    const text = readFileSync(join(import.meta.dirname, 'help.txt'), 'utf8');
    return colour ? text : text.replace(/\x1b\[\d+m/g, '');
  } catch {
    return undefined; // run from the sources
  }
}
