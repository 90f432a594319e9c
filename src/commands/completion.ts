import { isShell, SHELLS } from './completion-scripts.ts';
import { defineCommand } from './define.ts';

export const command = defineCommand({
  description:
    'Prints the completion script of a shell; its first lines say how to install it. It completes commands, flags and their ' +
    'values, profiles, files, and codes by slug with their names, which are asked for at most once a minute.',
  arguments: [{ term: '<shell>', description: 'the shell', choices: SHELLS }],
  options: {},
  examples: [
    { command: 'source <(qrctl completion bash)', does: 'complete in this bash, or zsh' },
    { command: 'qrctl completion fish > ~/.config/fish/completions/qrctl.fish', does: 'complete in every fish from now on' },
  ],
  async run({ console }, { args: [shell] }) {
    const { readCompletionScript } = await import('./completion-scripts.ts');
    if (isShell(shell)) await console.write(await readCompletionScript(shell));
  },
});
