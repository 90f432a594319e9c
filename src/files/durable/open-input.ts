import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { env } from 'node:process';
import { isSwitchedOn } from '#base/text/switched-on';
import { checked, ifPresent } from './disk.ts';
import { ROOT } from './follow-links.ts';
import { describeOpen, nodeDisk } from './node-disk.ts';
import { expectAtPath, withoutLinks } from './trusted-file.ts';

/**
 * Opens an input. D17: as root or in GitHub Actions, refuses untrusted links and links out of the workspace,
 * because messages quote inputs.
 */
export async function openInput(path: string): Promise<FileHandle> {
  const real = await realInput(path);
  if (real === undefined) return open(path, 'r');
  const found = await nodeDisk.lstat(real);
  // Opens links to nameless pipes, as for /dev/stdin and process substitutions.
  const isNameless = found.isSymbolicLink() && [ROOT, nodeDisk.user()].includes(found.uid);
  if (isNameless) return open(real, 'r');
  return checked(await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)), (file) =>
    expectAtPath(nodeDisk, describeOpen(file), real, 'read'),
  );
}

/** Returns an input's real path; undefined if this run may follow all links. */
export async function realInput(path: string): Promise<string | undefined> {
  const workspace = isSwitchedOn(env.GITHUB_ACTIONS) ? env.GITHUB_WORKSPACE : undefined;
  const within = workspace ? await ifPresent(nodeDisk.realpath(workspace)) : undefined;
  if (nodeDisk.user() !== ROOT && within === undefined) return undefined;
  return withoutLinks(nodeDisk, resolve(path), 'read', within);
}
