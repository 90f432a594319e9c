import { MOST_BYTES } from '#base/bounds';
import { AuthError, UnavailableError, UsageError } from '#base/errors';
import { checkKey, hasLivePrefix, keyPrefix } from '#base/text/key';
import { inShellOr } from '#base/text/quote';
import { askUntil } from '#commands/ask-until';
import { defineCommand, flag, negation, text } from '#commands/define';
import { changeProfile, changeStore, openStore, warnOfProfileVariable } from '#commands/stored';
import type { ConnectedSettings, Context } from '#context';
import { commandHint, parseKeyCommand } from '#settings/key-command';
import { checkSetting, newProfileName, profileName, resolveInputs } from '#settings/resolve';
import { outsideKey } from '#settings/resolve-key';
import type { Settings } from '#settings/settings';
import type { Store } from '#settings/store';

export const command = defineCommand({
  description:
    'Stores an API key and its base URL in a profile.\n\n' +
    'One request verifies the key before it is stored. The first profile becomes the current one; `qrctl auth use` switches.\n\n' +
    'On a terminal, qrctl prompts for missing values and reads the key without echo. Without a terminal, pass the key on standard input with ' +
    '--key-stdin. No flag accepts a key, because other users of the machine can read arguments.\n\n' +
    'With --key-command, the profile stores a command instead of a key. Each run of qrctl executes the command once, without a shell, and uses the ' +
    'line that it prints. Shell completion does not run the command.',
  options: {
    keyStdin: flag('--key-stdin', 'Read the key from the first line of standard input'),
    keyCommand: text(
      '--key-command <command>',
      'Store a command that prints the key, such as `op read …`, instead of the key',
      { conflicts: ['--key-stdin'] },
    ),
    verify: negation('--no-verify', 'Store the key without verifying it', { risky: true }),
  },
  examples: [
    ['qrctl auth login --base-url https://qr.example/api/v1', 'Prompt for the key and store it'],
    ['qrctl auth login --profile work --key-stdin < key.txt', 'Store a key from a file in the profile work'],
    [
      "qrctl auth login --key-command 'op read op://ops/qrctl/key'",
      'Read the key from 1Password on every run',
    ],
  ],
  async run(context, { options }) {
    const { keyCommand } = options;
    const store = await openStore(context);
    const name = newProfileName(context.flags, context.env, store);
    const settings = await resolveLogin(context, store, name);
    const { baseUrl } = settings;
    const isVerified = options.verify !== false;
    const verify = async (key: string) => {
      if (isVerified) await verifyKey(context, { ...settings, apiKey: key });
    };
    if (keyCommand !== undefined) {
      parseKeyCommand(keyCommand);
      if (isVerified) await verify(await printedKey(context, settings, keyCommand));
    }
    const apiKey =
      keyCommand === undefined ? await readKey(context, baseUrl, verify, options.keyStdin) : undefined;
    const { current } = await changeStore(context, (stored) => {
      const profile = { ...stored.profiles.get(name), baseUrl, apiKey, keyCommand, keyBaseUrl: baseUrl };
      // Keeps an existing current profile, because cron jobs without --profile must not switch workspaces.
      const before = profileName({}, {}, stored);
      const current = stored.profiles.has(before) ? before : name;
      return { current, profiles: new Map([...stored.profiles, [name, profile]]) };
    });
    noteStored(context, name, { current, baseUrl, apiKey });
    if (settings.shortUrl === undefined && !options.keyStdin) await askShortUrl(context, name);
  },
});

async function resolveLogin(context: Context, store: Store, name: string) {
  const inputs = {
    flags: context.flags,
    env: { ...context.env, QRCTL_API_KEY: '', QRCTL_API_KEY_FILE: '', CREDENTIALS_DIRECTORY: '' },
    name,
    profile: { ...store.profiles.get(name), apiKey: undefined, keyCommand: undefined },
  };
  let settings = resolveInputs(inputs);
  if (settings.baseUrl === undefined && context.console.canAsk) {
    const ask = () => context.console.ask('Base URL (https://…/api/v1): ');
    settings = await askUntil(context, ask, (reply) =>
      resolveInputs({ ...inputs, flags: { ...context.flags, baseUrl: reply.trim() } }),
    );
  }
  for (const note of settings.notes) context.console.note(note);
  const { baseUrl } = settings;
  const hint = 'Add --base-url https://HOST/api/v1.';
  if (baseUrl === undefined) throw new UsageError('missing --base-url', { hint });
  return { ...settings, baseUrl };
}

async function printedKey(context: Context, settings: Settings, command: string): Promise<string> {
  try {
    return (await context.withKey({ ...settings, pendingKey: { command } })).apiKey ?? '';
  } catch (error) {
    if (error instanceof AuthError) error.hint = commandHint(command, 'passed');
    throw error;
  }
}

async function readKey(
  context: Context,
  baseUrl: string,
  verify: (key: string) => Promise<void>,
  fromStdin = false,
): Promise<string> {
  const { console } = context;
  const accept = async (text: string) => {
    const key = checkKey(text.trim(), 'the key');
    if (!hasLivePrefix(key))
      console.note('Unlike other keys of the service, the key does not begin with svc_live_');
    await verify(key);
    return key;
  };
  if (fromStdin) return accept(await firstLine(context));
  if (!console.canAsk) {
    throw new UsageError('cannot prompt for the key: not a terminal', {
      hint: 'Pass the key on standard input, as in `qrctl auth login --key-stdin < FILE`.',
    });
  }
  return askUntil(context, () => console.askSecret(`API key for ${new URL(baseUrl).host}: `), accept);
}

async function firstLine({ stdin, signal }: Context): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    signal.throwIfAborted();
    chunks.push(chunk);
    length += chunk.length;
    // Stops at the end of the line, because input from a terminal does not end.
    if (length > MOST_BYTES.keyStream || chunk.includes(0x0a)) break;
  }
  return Buffer.concat(chunks).toString('utf8').split('\n', 1)[0] ?? '';
}

export async function verifyKey(
  { connect }: Pick<Context, 'connect'>,
  settings: ConnectedSettings,
): Promise<void> {
  const service = await connect(settings);
  try {
    await service.listCodes({ page: 1, limit: 1 });
  } catch (error) {
    if (error instanceof UnavailableError) {
      error.message += '; nothing was stored';
      error.hint = 'Try again, or add --no-verify to store the key without verifying it.';
    }
    throw error;
  } finally {
    await service.close();
  }
}

async function askShortUrl(context: Context, name: string): Promise<void> {
  if (!context.console.canAsk) return;
  const later = () =>
    context.console.note('To set it later, run `qrctl config set short-url https://HOST/{slug}`');
  try {
    const question = 'Address of your short links, such as https://HOST/{slug} (Enter to skip): ';
    const reply = await context.console.ask(question);
    if (reply.trim() === '') return later();
    const { text, note } = checkSetting('short-url', reply.trim());
    await changeProfile(context, name, (stored) => ({ ...stored, shortUrl: text }));
    if (note) context.console.note(note);
    context.console.note(`Set short-url to ${text} in the profile '${name}'`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    context.console.warn(`no short-url was stored: ${error.message}`);
    later();
  }
}

function noteStored(
  context: Context,
  name: string,
  { current = name, baseUrl, apiKey }: { current?: string; baseUrl: string; apiKey: string | undefined },
): void {
  const { console, env, flags } = context;
  const what = apiKey === undefined ? 'key-command' : `key ${keyPrefix(apiKey)}`;
  console.note(`Stored the ${what} for ${baseUrl}`);
  const other = inShellOr('NAME', name);
  const how =
    current === name ? '' : `. To use '${name}', add --profile ${other}, or run \`qrctl auth use ${other}\``;
  console.note(`The current profile is ${how && 'still '}'${current}'${how}`);
  warnOfProfileVariable(context, current);
  const outside = outsideKey(env);
  if (outside !== undefined) console.warn(`${outside} is set and overrides the stored key`);
  if (env.QRCTL_BASE_URL && flags.baseUrl)
    console.warn('QRCTL_BASE_URL is set and overrides the stored base URL');
}
