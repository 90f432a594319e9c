import { constants, fstatSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { platform } from 'node:process';
import { MOST_BYTES } from '#base/bounds';
import { AuthError, systemCode } from '#base/errors';
import { keyProblem } from '#base/text/key';
import { inShellOr } from '#base/text/quote';
import { describeSystemError } from '#files/durable/path-errors';
import { formatMode } from './config-directory.ts';
import { commandHint } from './key-command.ts';
import { OTHERS_WRITE, plantedBy } from './planted.ts';
import type { CommandRun } from './run-key-command.ts';
import type { PendingKey, Settings } from './settings.ts';

/** Reads a pending key, if any. Messages never contain the key. */
export async function loadKey(settings: Settings, run: CommandRun): Promise<Settings> {
  const { pendingKey, keySource } = settings;
  if (pendingKey === undefined) return settings;
  // No note for a credential: systemd grants access by an ACL, which appears as group permissions.
  const noteFile = keySource === 'credential' ? () => undefined : run.note;
  return { ...settings, apiKey: await readPending(pendingKey, run, noteFile), pendingKey: undefined };
}

async function readPending(
  pending: PendingKey,
  run: CommandRun,
  noteFile: (line: string) => void,
): Promise<string> {
  if ('command' in pending) {
    const { command, problem } = pending;
    if (problem) throw new AuthError(`cannot run the key-command: ${problem.reason}`, { hint: problem.hint });
    const { runKeyCommand } = await import('./run-key-command.ts');
    const [first = ''] = (await runKeyCommand(command, run)).split('\n');
    return onlyLine(first, true, 'the key-command', commandHint(command));
  }
  const { text, note } = await readKeyFile(pending.path);
  const hint = 'Write only the key to the file, on one line.';
  const key = onlyLine(text, false, `the key file ${pending.path}`, hint);
  if (note !== undefined) noteFile(note);
  return key;
}

function onlyLine(text: string, isPrinted: boolean, origin: string, hint: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const [key, ...others] = lines.filter((line) => line !== '');
  if (key === undefined)
    throw new AuthError(`${origin} ${isPrinted ? 'printed no key on its first line' : 'is empty'}`, { hint });
  if (others.length > 0) throw new AuthError(`${origin} contains more than one line`, { hint });
  const problem = keyProblem(key);
  if (problem !== undefined) throw new AuthError(`the key from ${origin} ${problem}`, { hint });
  return key;
}

const OTHERS_READ = 0o044;

/** Reads a key file, following links (Kubernetes). Never waits for a device or pipe. Throws AuthError. */
export async function readKeyFile(path: string): Promise<{ text: string; note: string | undefined }> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause: unknown) => {
    const reason = systemCode(cause) === 'ENOENT' ? 'no such file' : describeSystemError(cause);
    throw unreadable(path, reason, cause);
  });
  try {
    const stats = fstatSync(file.fd);
    if (!stats.isFile()) throw unreadable(path, 'it is not a regular file');
    const note = platform === 'win32' ? undefined : checkAccess(path, stats);
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(MOST_BYTES.keyFile + 1) });
    if (bytesRead > MOST_BYTES.keyFile)
      throw unreadable(path, `it is larger than ${MOST_BYTES.keyFile} bytes, the maximum size of a key`);
    return { text: buffer.toString('utf8', 0, bytesRead), note };
  } catch (cause) {
    throw cause instanceof AuthError ? cause : unreadable(path, describeSystemError(cause), cause);
  } finally {
    await file.close();
  }
}

function checkAccess(path: string, stats: Stats): string | undefined {
  const permissions = `permissions ${formatMode(stats.mode)}`;
  if ((stats.mode & OTHERS_WRITE) !== 0) {
    throw new AuthError(`cannot use the key file ${path}: other users can change it (${permissions})`, {
      hint: `Check the key, then run \`chmod 600 ${inShellOr('FILE', path)}\` as the owner of the file.`,
    });
  }
  const owner = plantedBy(path, stats);
  if (owner !== undefined) {
    throw new AuthError(`cannot use the key file ${path}: user ${owner} may have created it`, {
      hint: 'Move the file to a directory that only you can change.',
    });
  }
  if ((stats.mode & OTHERS_READ) === 0) return undefined;
  return `Other users can read the key file ${path} (${permissions})`;
}

function unreadable(path: string, reason: string, cause?: unknown): AuthError {
  const hint = 'Specify a file that contains only the key.';
  return new AuthError(`cannot read the key file ${path}: ${reason}`, { hint, cause });
}
