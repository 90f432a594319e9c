/**
 * Follows the links on the way to a file, name by name: the system's own `realpath` could follow a link that was put there after it was
 * looked for. A generator, because start-up looks synchronously and everything else through a Disk.
 */
import { dirname, join, parse, resolve, sep } from 'node:path';

export const ROOT = 0;

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/** What is at a path, without following it: its owner, and where it leads if it is a symbolic link. */
export interface Seen {
  uid: number;
  to: string | undefined;
}

interface Followed {
  /** Path without links, except for one that leads nowhere at its end. */
  real: string;
  /** A link on the way that another user made to what is not theirs; `real` is then not to be used. */
  lure?: { at: string; uid: number };
}

/**
 * Asks for what is at each path that it yields (undefined: nothing) and returns where an absolute path leads. D14: a link of root's or of
 * `user` is trusted, and anybody may link to what is theirs. Throws an error with the code ELOOP.
 */
export function* followLinks(
  path: string,
  user: number | undefined,
  most = MAX_LINKS,
): Generator<string, Followed, Seen | undefined> {
  if (most === 0) throw Object.assign(new Error(`too many links on the way to ${path}`), { code: 'ELOOP' });
  const { root } = parse(path);
  let real = root;
  for (const name of path.slice(root.length).split(sep)) {
    const at = join(real, name);
    const link = yield at;
    real = at;
    if (link?.to === undefined) continue;
    const end = yield* followLinks(resolve(dirname(at), link.to), user, most - 1);
    if (end.lure) return end;
    const target = yield end.real;
    if (!target) continue;
    if (![ROOT, user, target.uid].includes(link.uid)) return { real, lure: { at, uid: link.uid } };
    real = end.real;
  }
  return { real };
}
