import { UsageError } from '../base/errors.ts';
import { redactKeys } from '../base/text/key.ts';
import { nearest } from '../base/text/nearest.ts';
import { inShellOr, shown } from '../base/text/quote.ts';
import type { SettingFlags, Variables } from './settings.ts';
import type { Inputs } from './sources.ts';
import { DEFAULT_PROFILE, type Stored } from './stored.ts';

/** In order: --profile, QRCTL_PROFILE, the stored one, `default`. The profile may not be stored. */
export function profileName(flags: SettingFlags, env: Variables, stored: Stored): string {
  return flags.profile ?? (env.QRCTL_PROFILE || (stored.current ?? DEFAULT_PROFILE));
}

/** Throws UsageError for a specified profile that is not stored. */
export function chooseInputs(flags: SettingFlags, env: Variables, stored: Stored): Inputs {
  const name = profileName(flags, env, stored);
  const typed = flags.profile !== undefined || Boolean(env.QRCTL_PROFILE);
  if (typed && !stored.profiles.has(name)) throw unknownProfile(name, stored);
  const profile = stored.profiles.get(name) ?? {};
  return { flags, env, name, profile, commandProblem: stored.commandProblem };
}

/**
 * Returns the name that a login stores under. Throws UsageError for a key, and for a name that is hard to
 * type.
 */
export function newProfileName(flags: SettingFlags, env: Variables, stored: Stored): string {
  const name = profileName(flags, env, stored);
  if (redactKeys(name) !== name)
    throw new UsageError('expected a profile name, not an API key', {
      hint: 'Specify a profile name. `qrctl auth login` prompts for the key.',
    });
  if (!/^(?!-)[^\p{C}\p{Z}'"\\]{1,64}$/u.test(name))
    throw new UsageError(
      'invalid profile name (expected 1 to 64 visible characters without spaces, quotes or backslashes, not starting with -)',
    );
  return name;
}

export function unknownProfile(name: string, stored: Stored): UsageError {
  return new UsageError(`there is no profile '${shown(redactKeys(name))}'`, {
    hint: hintFor(name, [...stored.profiles.keys()]),
  });
}

function hintFor(name: string, names: readonly string[]): string {
  if (redactKeys(name) !== name)
    return 'The name looks like an API key. Run `qrctl auth login` and enter the key when prompted.';
  const similar = nearest(name, names);
  return similar === undefined
    ? `Run \`qrctl auth login --profile ${inShellOr('NAME', name)}\` to create it.`
    : `Did you mean '${similar}'? Run \`qrctl auth list\` to see all profiles.`;
}
