/**
 * A disk in memory that can fail, or be the end of the process or of the machine, at any step. A killed process leaves what it
 * wrote; a power cut may lose everything that was not flushed, contents and names, in any mixture a journaling disk allows.
 */
import { basename, dirname, join, resolve } from 'node:path';
import type { Disk, DiskFile, DiskStat } from '#files/durable/disk';

interface Inode {
  ino: number;
  mode: number;
  uid: number;
  gid: number;
  nlink: number;
  mtimeNs: bigint;
  ctimeNs: bigint;
  directory: boolean;
  /** Of a symbolic link. */
  target?: string;
  content: Buffer;
  /** What is on the platter. */
  flushed: Buffer;
}

/** What happens at a step: an error of the system, a write that takes a part, or the end before, in the midst of or after it. */
export type Fault = 'ENOSPC' | 'EIO' | 'short' | 'end-before' | 'end-within' | 'end-after';

/** The process was killed or the power went: no later step of this process has any effect. */
export class Ended extends Error {
  override name = 'Ended';
}

/** A disk on which a test creates links. */
interface DiskWithLinks extends Disk {
  symlink(target: string, path: string): Promise<void>;
}

export interface MemoryDisk {
  disk: DiskWithLinks;
  /** Decides what happens at each step that changes or flushes something; steps count from 0 since `revive`. */
  fault: (step: number, operation: string) => Fault | undefined;
  steps(): number;
  /**
   * A new process on the same disk. After a power cut, `keep(what)` says how much (0 to 1) of what was not flushed survived;
   * `lost` is the place of one change of a name that did not although later ones did, as POSIX allows.
   */
  revive(powerCut?: { keep: (what: string) => number; lost?: number }): void;
  read(path: string): string | undefined;
  write(path: string, text: string | Buffer): void;
  remove(path: string): void;
  /** Who creates files now, and with which umask; 0 may give them away. */
  user: number;
  umask: number;
  /** What the file system takes for the time, ns since the epoch; goes on by 4 ms with each change unless a test says otherwise. */
  timeNs: () => bigint;
  modeOf(path: string): number | undefined;
  userOf(path: string): number | undefined;
  /** The path to which one leads by links, as it is now. */
  realPath(path: string): string;
  /** The files. */
  names(): string[];
}

/** One change of a name. */
interface Change {
  directory: string;
  apply(target: Map<string, Inode>): void;
}

export function createMemoryDisk(): MemoryDisk {
  let step = 0;
  let ended = false;
  let nextIno = 1;
  let nowNs = 1_767_225_600_000_000_000n;
  const inodes = new Set<Inode>();
  const empty = () => ({ content: Buffer.alloc(0), flushed: Buffer.alloc(0) });
  const epoch = { nlink: 1, mtimeNs: 0n, ctimeNs: 0n };
  const root: Inode = { ino: 0, mode: 0o755, uid: 0, gid: 0, directory: true, ...epoch, ...empty() };
  let names = new Map<string, Inode>(['/', '/data'].map((path) => [path, root]));
  let flushedNames = new Map<string, Inode>(names);
  /** Changes of names since the last flush of their directory, in order: a journal keeps the order, but may stop anywhere. */
  let journal: Change[] = [];
  /** How many symbolic links were ever made: without one, a path leads where it says. */
  let links = 0;

  /** Many calls fail as they should; a stack of each would cost more than the call. */
  const failure = (code: string) => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    const error = Object.assign(new Error(`${code}: injected`), { code });
    Error.stackTraceLimit = stackTraceLimit;
    return error;
  };
  const alive = () => {
    if (ended) throw new Ended();
  };

  /** One step: `part` (if any) is what a stop in its midst leaves. */
  function take(operation: string, whole: () => void, part: () => void = () => {}): void {
    alive();
    const fault = memory.fault(step++, operation);
    if (fault === 'ENOSPC' || fault === 'EIO') {
      part();
      throw failure(fault);
    }
    if (fault === 'end-within') part();
    if (fault === 'end-before' || fault === 'end-within') ended = true;
    alive();
    whole();
    if (fault === 'end-after') ended = true;
    alive();
  }

  function makeInode({ mode, directory = false }: { mode: number; directory?: boolean }): Inode {
    const inode: Inode = {
      ino: nextIno++,
      mode,
      uid: memory.user,
      gid: memory.user,
      directory,
      ...epoch,
      ...empty(),
    };
    changed(inode, true);
    inodes.add(inode);
    return inode;
  }

  /** Its times are those of now, as every change makes them; `bytes`: of its contents too. */
  function changed(inode: Inode, bytes: boolean): void {
    inode.ctimeNs = memory.timeNs();
    if (bytes) inode.mtimeNs = inode.ctimeNs;
  }

  function rename(path: string, apply: Change['apply']): void {
    apply(names);
    journal.push({ directory: dirname(path), apply });
  }

  /** Links among the directories of a path, or in all of it, are gone after. */
  const below = (path: string): string =>
    links === 0 || dirname(path) === path ? path : join(follow(dirname(path)), basename(path));
  const follow = (path: string): string => {
    const place = below(path);
    const target = links === 0 ? undefined : names.get(place)?.target;
    return target === undefined ? place : follow(resolve(dirname(place), target));
  };

  const find = (path: string): Inode => {
    alive();
    const inode = names.get(below(path));
    if (!inode) throw failure('ENOENT');
    return inode;
  };
  const parentOf = (path: string): void => {
    if (!find(dirname(path)).directory) throw failure('ENOTDIR');
  };
  const statOf = ({
    ino,
    mode,
    uid,
    gid,
    nlink,
    mtimeNs,
    ctimeNs,
    content,
    directory,
    target,
  }: Inode): DiskStat => ({
    ino: BigInt(ino),
    mode,
    uid,
    gid,
    nlink,
    mtimeNs,
    ctimeNs,
    dev: 1n,
    size: content.length,
    isFile: () => !directory && target === undefined,
    isDirectory: () => directory,
    isSymbolicLink: () => target !== undefined,
  });

  /** At the end, wherever the writer takes that to be: files are opened so. */
  function add(inode: Inode, bytes: Uint8Array): void {
    inode.content = Buffer.concat([inode.content, bytes]);
    changed(inode, true);
  }

  function handle(inode: Inode, path: string): DiskFile {
    const sync = async () =>
      take(`sync ${path}`, () => {
        inode.flushed = inode.content;
      });
    return {
      sync,
      datasync: sync,
      async read(buffer, offset, length, position) {
        alive();
        const bytesRead = inode.content.subarray(position, position + length).copy(buffer, offset);
        return { bytesRead };
      },
      async write(data, offset, length) {
        const half = () => add(inode, data.subarray(offset, offset + (length >> 1)));
        const fault = memory.fault(step, `write ${path}`);
        if (fault === 'short' && length > 1) {
          step++;
          half();
          return { bytesWritten: length >> 1 };
        }
        take(`write ${path}`, () => add(inode, data.subarray(offset, offset + length)), half);
        return { bytesWritten: length };
      },
      async truncate(size) {
        take(`truncate ${path}`, () => {
          inode.content = Buffer.concat([
            inode.content.subarray(0, size),
            Buffer.alloc(Math.max(size - inode.content.length, 0)),
          ]);
          changed(inode, true);
        });
      },
      async chmod(mode) {
        take(`chmod ${path}`, () => {
          inode.mode = mode;
          changed(inode, false);
        });
      },
      async chown(uid, gid) {
        if (memory.user !== 0) throw failure('EPERM');
        take(`chown ${path}`, () => {
          Object.assign(inode, { uid, gid });
          changed(inode, false);
        });
      },
      stat: async () => statOf(inode),
      currentPath: async () => undefined,
      async close() {
        alive();
      },
    };
  }

  /** Takes what is made, renamed or removed by the place at which it stands. */
  const disk: DiskWithLinks = {
    user: () => memory.user,
    async open(named, flags, mode = 0o666) {
      const path = below(named);
      if (flags !== 'wx+') {
        const inode = find(path);
        if (inode.directory) throw failure('EISDIR');
        return handle(inode, path);
      }
      parentOf(path);
      if (names.has(path)) throw failure('EEXIST');
      const inode = makeInode({ mode: mode & ~memory.umask });
      take(`create ${path}`, () => rename(path, (target) => target.set(path, inode)));
      return handle(inode, path);
    },
    readFile: async (path) => Buffer.from(find(path).content),
    async readdir(named) {
      const path = follow(named);
      find(path);
      return [...names.keys()].filter((name) => dirname(name) === path).map((name) => basename(name));
    },
    async openDirectory(path) {
      const inode = find(path);
      if (!inode.directory) throw failure('ENOTDIR');
      return {
        at: (name) => join(path, name),
        names: () => disk.readdir(path),
        stat: async () => statOf(inode),
        currentPath: async () => undefined,
        close: async () => undefined,
      };
    },
    async mkdir(named, mode = 0o777) {
      const path = below(named);
      parentOf(path);
      if (names.has(path)) throw failure('EEXIST');
      const inode = makeInode({ mode: mode & ~memory.umask, directory: true });
      take(`mkdir ${path}`, () => rename(path, (target) => target.set(path, inode)));
    },
    async rename(was, named) {
      const [from, to] = [below(was), below(named)];
      const inode = find(from);
      take(`rename ${from}`, () =>
        rename(to, (target) => {
          target.delete(from);
          target.set(to, inode);
        }),
      );
    },
    async unlink(named) {
      const path = below(named);
      find(path);
      take(`unlink ${path}`, () => rename(path, (target) => target.delete(path)));
    },
    async link(file, named) {
      const path = below(named);
      const inode = find(file);
      parentOf(path);
      if (names.has(path)) throw failure('EEXIST');
      take(`link ${path}`, () => rename(path, (target) => target.set(path, inode)));
    },
    async symlink(target, named) {
      const path = below(named);
      parentOf(path);
      if (names.has(path)) throw failure('EEXIST');
      const inode = { ...makeInode({ mode: 0o777 }), target };
      links++;
      take(`symlink ${path}`, () => rename(path, (after) => after.set(path, inode)));
    },
    stat: async (path) => statOf(find(follow(path))),
    lstat: async (path) => statOf(find(path)),
    async realpath(path) {
      find(follow(path));
      return follow(path);
    },
    async readlink(path) {
      const { target } = find(path);
      if (target === undefined) throw failure('EINVAL');
      return target;
    },
    async mountPoints() {
      return new Set<string>();
    },
    async checkWritable(path) {
      if ((find(path).mode & 0o200) === 0) throw failure('EACCES');
    },
    async flushDirectory(named) {
      const path = follow(named);
      find(path);
      take(`flush ${path}`, () => {
        for (const { directory, apply } of journal) if (directory === path) apply(flushedNames);
        journal = journal.filter(({ directory }) => directory !== path);
      });
    },
  };

  const memory: MemoryDisk = {
    disk,
    fault: () => undefined,
    steps: () => step,
    timeNs: () => {
      nowNs += 4_000_000n;
      return nowNs;
    },
    user: 1000,
    umask: 0o022,
    revive(powerCut) {
      ended = false;
      step = 0;
      memory.fault = () => undefined;
      if (!powerCut) return;
      const survived = Math.round(powerCut.keep('names') * journal.length);
      for (const [i, { apply }] of journal.slice(0, survived).entries())
        if (i !== powerCut.lost) apply(flushedNames);
      // What lies in a directory whose own name is lost is lost with it.
      const isReachable = (path: string): boolean =>
        path === '/' || path === '/data' || (flushedNames.has(path) && isReachable(dirname(path)));
      flushedNames = new Map([...flushedNames].filter(([path]) => isReachable(path)));
      names = new Map(flushedNames);
      journal = [];
      for (const inode of inodes)
        inode.content = inode.flushed = afterPowerCut(inode, powerCut.keep(`inode ${inode.ino}`));
    },
    read: (path) => names.get(path)?.content.toString(),
    write(path, text) {
      const inode = names.get(path) ?? makeInode({ mode: 0o644 });
      names.set(path, inode);
      flushedNames.set(path, inode);
      inode.content = inode.flushed = Buffer.from(text);
      changed(inode, true);
    },
    remove(path) {
      names.delete(path);
      flushedNames.delete(path);
    },
    realPath: follow,
    modeOf: (path) => names.get(path)?.mode,
    userOf: (path) => names.get(path)?.uid,
    names: () =>
      [...names]
        .flatMap(([path, { directory, target }]) => (directory || target !== undefined ? [] : [path]))
        .sort(),
  };
  return memory;
}

/** Blocks reach the platter in any order: the length may be new while the bytes are not yet. */
function afterPowerCut({ content, flushed }: Inode, keep: number): Buffer {
  if (content === flushed || keep === 0) return flushed;
  if (keep === 1) return content;
  const length = Math.round(flushed.length + keep * (content.length - flushed.length));
  const mixed = Buffer.alloc(length);
  flushed.copy(mixed);
  const upTo = Math.round(keep * length);
  content.copy(mixed, 0, 0, Math.min(upTo, content.length));
  return mixed;
}
