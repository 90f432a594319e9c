import { UsageError } from '#base/errors';
import { inShellOr } from '#base/text/quote';
import { defineCommand } from '#commands/define';
import { changeProfile, keyArgument, openProfile, settingKey } from '#commands/stored';
import type { Context } from '#context';
import { checkSetting, SETTING_NAMES } from '#settings/resolve';

export const command = defineCommand({
  description:
    'Changes a setting of the current profile.\n\n' +
    'Flags and variables still override the setting. To store an API key, use `qrctl auth login`.\n\n' +
    'The setting short-url is the address of printed codes, with {slug} or {id} as a placeholder. The service does not provide it.\n\n' +
    'The setting key-command is a command that prints the API key, and replaces a stored key. It runs once per command, without a shell, ' +
    'for 30 seconds at most.',
  arguments: [
    keyArgument,
    { term: '<value>', description: 'Value, as for the flag of this name; for accessible, yes or no' },
  ],
  options: {},
  examples: [
    ['qrctl config set timezone Europe/Madrid', 'Start days at midnight in Madrid'],
    ['qrctl config set reserve 10%', 'Reserve a tenth of the rate limit for other clients'],
    ['qrctl config set short-url https://HOST/{slug}', 'Set the address of printed codes'],
    ['qrctl config set format json --profile ci', 'Use JSON by default in one profile'],
  ],
  async run(context, { args }) {
    const key = settingKey(args);
    const { text, note } = checkSetting(key, args[1] ?? '');
    const { name, profile } = await openProfile(context);
    if (key === 'key-command') return setKeyCommand(context, name, text);
    await changeProfile(context, name, (stored) => ({ ...stored, [SETTING_NAMES[key].field]: text }));
    if (note) context.console.note(note);
    context.console.note(`Set ${key} to ${text} in the profile '${name}'`);
    if (
      key === 'base-url' &&
      (profile.apiKey ?? profile.keyCommand) !== undefined &&
      profile.keyBaseUrl !== text
    ) {
      context.console.warn(
        `the key was stored for ${profile.keyBaseUrl} and is not sent to ${text}; store another with \`qrctl auth login\``,
      );
    }
  },
});

async function setKeyCommand(context: Context, name: string, keyCommand: string): Promise<void> {
  let hadKey = false;
  await changeProfile(context, name, (stored) => {
    const { baseUrl, apiKey } = stored;
    if (baseUrl === undefined) {
      throw new UsageError(`cannot store the key-command: the profile '${name}' has no base URL`, {
        hint: `Run \`qrctl auth login --base-url https://HOST/api/v1 --key-command ${inShellOr('COMMAND', keyCommand)}\`.`,
      });
    }
    hadKey = apiKey !== undefined;
    return { ...stored, keyCommand, apiKey: undefined, keyBaseUrl: baseUrl };
  });
  context.console.note(`Set key-command to ${keyCommand} in the profile '${name}'`);
  if (hadKey) context.console.note(`Removed the stored key from the profile '${name}'`);
}
