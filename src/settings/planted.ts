/** Detects another user's config, because the config controls where keys are sent. */
import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { geteuid } from 'node:process';
import { inShellOr } from '#base/text/quote';
import { followLinks, type LinkEntry, ROOT } from '#files/durable/follow-links';

export interface CommandProblem {
  reason: string;
  hint: string;
  /** Whether other users can write the config. Correcting its permissions would hide this. */
  isOpen: boolean;
}

export const OTHERS_WRITE = 0o022;
const ALL_WRITE = 0o002;
const STICKY = 0o1000;

/**
 * Returns another user's ID if that user may have created the file. Trusts an owner who also owns the
 * directory (root with HOME kept by sudo), except below a directory open to all (/tmp).
 */
export function plantedBy(file: string, { uid, nlink }: Stats): number | undefined {
  const ours = geteuid?.();
  if (ours === undefined) return undefined;
  const { real, untrusted } = withoutLinks(resolve(file), ours);
  if (untrusted) return untrusted.uid;
  const directory = statSync(dirname(real));
  const isOurs = (user: number) => user === ROOT || user === ours;
  if (isOurs(directory.uid) && (directory.mode & OTHERS_WRITE) === 0) return undefined;
  // Distrusts hard links in another user's directory: they may lead to files of this user.
  if (isOurs(uid)) return nlink > 1 && !isOurs(directory.uid) ? directory.uid : undefined;
  return directory.uid === uid && !isSharedAbove(dirname(real), uid) ? undefined : uid;
}

/**
 * Returns why key-commands must not run, if so. Stricter than `plantedBy`, because root with another user's
 * HOME would run that user's commands.
 */
export function commandProblem(file: string, { uid, mode }: Stats): CommandProblem | undefined {
  const ours = geteuid?.();
  if (ours === undefined) return undefined;
  const names = [resolve(file), withoutLinks(resolve(file), ours).real];
  const above = [...new Set(names.flatMap(directoriesAbove))];
  const directories = above.map((path) => ({ path, stats: statSync(path) }));
  const unsafe = directories.find(({ stats }) => stats.uid !== ours && stats.uid !== ROOT);
  if (unsafe || (uid !== ours && uid !== ROOT)) {
    const owner = unsafe?.stats.uid ?? uid;
    const what = unsafe ? `the directory ${unsafe.path} above the config file` : `the config file ${file}`;
    const hint = `Run qrctl as user ${owner}, or set QRCTL_CONFIG_DIR to a directory of your own.`;
    return { reason: `${what} belongs to user ${owner}`, hint, isOpen: false };
  }
  // With umask 002, a group can write. Above the config's directory, only root distrusts that.
  const writers = ours === ROOT ? OTHERS_WRITE : ALL_WRITE;
  const nearest = names.map((name) => dirname(name));
  const isOpen = ({ path, stats }: (typeof directories)[number]) =>
    (stats.mode & (nearest.includes(path) ? OTHERS_WRITE : writers)) !== 0 && (stats.mode & STICKY) === 0;
  const open = directories.filter(isOpen).map(({ path }) => path);
  if ((mode & OTHERS_WRITE) !== 0) open.push(file);
  if (open.length === 0) return undefined;
  const paths = open.map((path) => inShellOr('PATH', path)).join(' ');
  const hint = `Check the key-commands in the file, then run \`chmod go-w ${paths}\`.`;
  return { reason: `other users were able to change the config file ${file}`, hint, isOpen: true };
}

function directoriesAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...directoriesAbove(above)];
}

function isSharedAbove(directory: string, uid: number): boolean {
  const above = dirname(directory);
  const found = statSync(above);
  if (found.uid !== uid) return (found.mode & ALL_WRITE) !== 0;
  return above !== directory && isSharedAbove(above, uid);
}

function withoutLinks(path: string, ours: number) {
  const steps = followLinks(path, { user: ours });
  let step = steps.next();
  while (!step.done) step = steps.next(lookAt(step.value));
  return step.value;
}

function lookAt(path: string): LinkEntry | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats && { uid: stats.uid, to: stats.isSymbolicLink() ? readlinkSync(path) : undefined };
}
