/**
 * A disk in memory that can fail, or be the end of the process or of the machine, at any step. A killed process leaves what it
 * wrote; a power cut may lose everything that was not flushed, contents and names, in any mixture a journaling disk allows.
 */
import { dirname } from 'node:path';
import type { Disk, DiskFile, DiskStat } from '../../src/durable/disk.ts';

interface Inode {
  ino: number;
  mode: number;
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

export interface MemoryDisk {
  disk: Disk;
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
  names(): string[];
}

export function createMemoryDisk(): MemoryDisk {
  let step = 0;
  let ended = false;
  let nextIno = 1;
  let names = new Map<string, Inode>();
  let flushedNames = new Map<string, Inode>();
  /** Changes of names since the last flush, in order: a journal keeps the order, but may stop anywhere. */
  let journal: ((target: Map<string, Inode>) => void)[] = [];
  const inodes = new Set<Inode>();

  const failure = (code: string) => Object.assign(new Error(`${code}: injected`), { code });
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

  function rename(change: (target: Map<string, Inode>) => void): void {
    change(names);
    journal.push(change);
  }

  const find = (path: string): Inode => {
    alive();
    const inode = names.get(path);
    if (!inode) throw failure('ENOENT');
    return inode;
  };
  const statOf = ({ ino, mode, content }: Inode): DiskStat => ({ ino, mode, dev: 1, size: content.length, isFile: () => true });

  function place(inode: Inode, bytes: Uint8Array, position: number): void {
    const content = Buffer.alloc(Math.max(inode.content.length, position + bytes.length));
    inode.content.copy(content);
    content.set(bytes, position);
    inode.content = content;
  }

  function handle(inode: Inode, path: string): DiskFile {
    return {
      async read(buffer, offset, length, position) {
        alive();
        const bytesRead = inode.content.subarray(position, position + length).copy(buffer, offset);
        return { bytesRead };
      },
      async write(data, offset, length, position) {
        const at = position ?? inode.content.length;
        const half = () => place(inode, data.subarray(offset, offset + (length >> 1)), at);
        const fault = memory.fault(step, `write ${path}`);
        if (fault === 'short' && length > 1) {
          step++;
          half();
          return { bytesWritten: length >> 1 };
        }
        take(`write ${path}`, () => place(inode, data.subarray(offset, offset + length), at), half);
        return { bytesWritten: length };
      },
      async sync() {
        take(`sync ${path}`, () => {
          inode.flushed = inode.content;
        });
      },
      async truncate(size) {
        take(`truncate ${path}`, () => {
          inode.content = Buffer.concat([
            inode.content.subarray(0, size),
            Buffer.alloc(Math.max(size - inode.content.length, 0)),
          ]);
        });
      },
      async chmod(mode) {
        inode.mode = mode;
      },
      stat: async () => statOf(inode),
      async close() {
        alive();
      },
    };
  }

  const disk: Disk = {
    async open(path, flags) {
      if (flags === 'r+') return handle(find(path), path);
      alive();
      if (names.has(path)) throw failure('EEXIST');
      const inode: Inode = { ino: nextIno++, mode: 0o644, content: Buffer.alloc(0), flushed: Buffer.alloc(0) };
      take(`create ${path}`, () => {
        inodes.add(inode);
        rename((target) => target.set(path, inode));
      });
      return handle(inode, path);
    },
    readFile: async (path) => Buffer.from(find(path).content),
    async rename(from, to) {
      const inode = find(from);
      take(`rename ${from}`, () =>
        rename((target) => {
          target.delete(from);
          target.set(to, inode);
        }),
      );
    },
    async unlink(path) {
      find(path);
      take(`unlink ${path}`, () => rename((target) => target.delete(path)));
    },
    stat: async (path) => statOf(find(path)),
    lstat: async (path) => statOf(find(path)),
    async realpath(path) {
      if (path !== '/data') find(path);
      return path;
    },
    async flushDirectory(path) {
      if (path !== dirname('/data/x')) throw failure('ENOENT');
      take(`flush ${path}`, () => {
        flushedNames = new Map(names);
        journal = [];
      });
    },
  };

  const memory: MemoryDisk = {
    disk,
    fault: () => undefined,
    steps: () => step,
    revive(powerCut) {
      ended = false;
      step = 0;
      memory.fault = () => undefined;
      if (!powerCut) return;
      const survived = Math.round(powerCut.keep('names') * journal.length);
      for (const [i, change] of journal.slice(0, survived).entries()) if (i !== powerCut.lost) change(flushedNames);
      names = new Map(flushedNames);
      journal = [];
      for (const inode of inodes) inode.content = inode.flushed = afterPowerCut(inode, powerCut.keep(`inode ${inode.ino}`));
    },
    read: (path) => names.get(path)?.content.toString(),
    write(path, text) {
      const inode = names.get(path) ?? { ino: nextIno++, mode: 0o644, content: Buffer.alloc(0), flushed: Buffer.alloc(0) };
      inodes.add(inode);
      names.set(path, inode);
      flushedNames.set(path, inode);
      inode.content = inode.flushed = Buffer.from(text);
    },
    remove(path) {
      names.delete(path);
      flushedNames.delete(path);
    },
    names: () => [...names.keys()].sort(),
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
