/** Follows links one by one to check them: `realpath` could follow a link created after a check (TOCTOU). */
import { dirname, join, parse, resolve, sep } from 'node:path';
import { systemError } from './path-errors.ts';

export const ROOT = 0;

const MAX_LINKS = 40;

export interface LinkEntry {
  uid: number;
  to: string | undefined;
}

interface Followed {
  real: string;
  /** Another user's link to a file that is not theirs. If set, `real` must not be used. */
  untrusted?: { at: string; uid: number };
  leaving?: string;
}

/** Follows links of root, `user` or the target's owner, but not out of `within`. Yields paths to look up. */
export function* followLinks(
  path: string,
  { user, within }: { user: number | undefined; within?: string | undefined },
  most = MAX_LINKS,
): Generator<string, Followed, LinkEntry | undefined> {
  if (most === 0) throw systemError('ELOOP', `too many links on the way to ${path}`);
  const { root } = parse(path);
  let real = root;
  for (const name of path.slice(root.length).split(sep)) {
    const at = join(real, name);
    const link = yield at;
    real = at;
    if (link?.to === undefined) continue;
    const end = yield* followLinks(resolve(dirname(at), link.to), { user, within }, most - 1);
    if (end.untrusted || end.leaving !== undefined) return end;
    if (within !== undefined && isIn(at, within) && !isIn(end.real, within)) return { real, leaving: at };
    const target = yield end.real;
    if (!target) continue;
    if (![ROOT, user, target.uid].includes(link.uid)) return { real, untrusted: { at, uid: link.uid } };
    real = end.real;
  }
  return { real };
}

function isIn(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
