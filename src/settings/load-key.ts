/** Reads a key that is not known yet: from a file, or from a command. Every source has the same rules for what a key is. */
import { AuthError } from '../base/errors.ts';
import { keyProblem } from '../base/text/key.ts';
import { commandHint } from './key-command.ts';
import { readKeyFile } from './key-file.ts';
import type { CommandRun } from './run-key-command.ts';
import type { PendingKey, Settings } from './settings.ts';
import type { CommandProblem } from './stored.ts';

/**
 * Returns the settings with their key; those without a pending key as they are. Throws AuthError if its source gives no key, and the errors
 * of `runKeyCommand`. Its messages name the source and never the key.
 */
export async function loadKey(
  settings: Settings,
  run: CommandRun & { note(line: string): void },
): Promise<Settings> {
  const { pendingKey, keySource } = settings;
  if (pendingKey === undefined) return settings;
  // systemd opens a credential to its user by an access list, which shows as permissions of the group.
  const note = keySource === 'credential' ? () => undefined : run.note;
  return { ...settings, apiKey: await readPending(pendingKey, { ...run, note }), pendingKey: undefined };
}

async function readPending(
  pending: PendingKey,
  run: CommandRun & { note(line: string): void },
): Promise<string> {
  if ('command' in pending) {
    if (pending.problem !== undefined) throw untrusted(pending.problem);
    const { runKeyCommand } = await import('./run-key-command.ts');
    const printed = await runKeyCommand(pending.command, run);
    return onlyLine(printed, {
      verb: 'printed',
      origin: 'the key-command',
      hint: commandHint(pending.command),
    });
  }
  const { text, note } = await readKeyFile(pending.path);
  const key = onlyLine(text, {
    verb: 'contains',
    origin: `the key file ${pending.path}`,
    hint: 'Write only the key to the file, on one line.',
  });
  if (note !== undefined) run.note(note);
  return key;
}

/** The only line of a text that is not empty, without a byte order mark and spaces around it, as `qrctl auth login --key-stdin` reads it. */
function onlyLine(
  text: string,
  { verb, origin, hint }: { verb: string; origin: string; hint: string },
): string {
  const lines = text.split('\n').map((line) => line.trim());
  const [key, ...others] = lines.filter((line) => line !== '');
  if (key === undefined)
    throw new AuthError(`${origin} ${verb === 'printed' ? 'printed nothing' : 'is empty'}`, { hint });
  if (others.length > 0) throw new AuthError(`${origin} ${verb} more than one line`, { hint });
  const problem = keyProblem(key);
  if (problem !== undefined) throw new AuthError(`the key from ${origin} ${problem}`, { hint });
  return key;
}

/** The config chooses a command that runs as this user, so only this user may have written it. */
function untrusted({ reason, hint }: CommandProblem): AuthError {
  return new AuthError(`cannot run the key-command: ${reason}`, { hint });
}
