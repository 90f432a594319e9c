import { defineCommand } from '../define.ts';
import { keyArgument, settingKey } from './key-and-value.ts';

export const command = defineCommand({
  description:
    'Changes a setting of the profile in force. A flag or variable still beats it. The API key is not a setting: ' +
    '`qrctl auth login` stores it. short-url is where a printed code leads: a template with {slug} or {id} in it. What draws or lists ' +
    'codes fills it in; it is never guessed, since the service does not tell it.',
  arguments: [keyArgument, { term: '<value>', description: 'its value, as its flag takes it' }],
  options: {},
  examples: [
    { command: 'qrctl config set timezone Europe/Madrid', does: 'days begin at midnight in Madrid' },
    { command: 'qrctl config set reserve 10%', does: 'leave a tenth of the rate limit to others' },
    { command: 'qrctl config set short-url https://HOST/{slug}', does: 'where the printed codes lead to' },
    { command: 'qrctl config set format json --profile ci', does: 'JSON by default in one profile' },
  ],
  async run(context, { args }) {
    const { SETTING_NAMES } = await import('../../settings/sources.ts');
    const { checkSetting } = await import('../../settings/resolve.ts');
    const { changeProfile, openProfile } = await import('../stored.ts');
    const key = settingKey(args);
    const { text, note } = checkSetting(key, args[1] ?? '');
    const { name, profile } = await openProfile(context);
    await changeProfile(context, name, (stored) => ({ ...stored, [SETTING_NAMES[key].field]: text }));
    if (note) context.console.note(note);
    context.console.note(`${key} is ${text} in the profile '${name}'`);
    if (key === 'base-url' && profile.apiKey !== undefined && profile.keyBaseUrl !== text) {
      context.console.warn(
        `its key was stored for ${profile.keyBaseUrl} and is not sent to ${text}; qrctl auth login stores another`,
      );
    }
  },
});
