import type { Context } from '../context.ts';
import { configFile } from '../settings/store.ts';
import type { Options, Values } from './define.ts';

/**
 * Adds the files of the flags to the files of the run. Throws UsageError if a flag would write to the file of
 * another flag, to the config, or to the file of the key.
 */
export async function useFlags(
  { files, env, flags }: Context,
  options: Options,
  given: Values<Options>,
): Promise<void> {
  const named = Object.entries(options).flatMap(([key, { flags: form, complete, writes = false }]) => {
    const paths = complete === 'files' ? [given[key] ?? []].flat() : [];
    return paths.map((path) => ({ flag: /--[a-z-]+/.exec(form)?.[0], path: String(path), writes }));
  });
  if (flags.summary !== undefined) named.push({ flag: '--summary', path: flags.summary, writes: true });
  if (!named.some(({ writes }) => writes)) return;
  // Without a home directory there is no config.
  const config = await configFile(env).catch(() => '-');
  files.use(
    { what: 'the config file', path: config, writes: false },
    { what: 'the file of the API key', path: env.QRCTL_API_KEY_FILE || '-', writes: false },
    ...named,
  );
}
