import { isShell, readCompletionScript, SHELLS } from './completion-scripts.ts';
import { defineCommand } from './define.ts';

export const command = defineCommand({
  description:
    'Prints the completion script for a shell.\n\n' +
    'The first lines of the script explain how to install it. The script completes commands, flags and their values, profiles, files, and codes by ' +
    'slug. Codes are fetched at most once per minute.',
  arguments: [{ term: '<shell>', description: 'Shell', choices: SHELLS }],
  options: {},
  examples: [
    ['source <(qrctl completion bash)', 'Enable completion in the current bash session'],
    [
      'qrctl completion fish > ~/.config/fish/completions/qrctl.fish',
      'Enable completion in every fish shell',
    ],
  ],
  async run({ console }, { args: [shell] }) {
    if (isShell(shell)) await console.write(await readCompletionScript(shell));
  },
});
