/** Replacing a file as a whole, with the process, the machine or the disk failing at each step of it. */
import { describe, expect, it } from 'vitest';
import { LocalError } from '#base/errors';
import type { Disk } from '#files/durable/disk';
import {
  openReplacement,
  type Processes,
  type ReplaceOptions,
  replaceFile,
  temporaryOf,
} from '#files/durable/replace-file';
import { createMemoryDisk, Ended, type MemoryDisk } from '../../support/memory-disk.ts';
import { atEveryStep, POWER_CUTS } from './every-step.ts';

const FILE = '/data/out.csv';
const TEMPORARY = '/data/.out.csv.partial';
const NEW = 'new content, in pieces';
const bytes = (text: string) => Buffer.from(text);
const nothing = () => undefined;

/** Replaces the file by NEW, which is written in pieces, some of which are taken back. */
async function work({ disk }: MemoryDisk, options: ReplaceOptions = {}): Promise<void> {
  const replacement = await openReplacement(disk, FILE, options);
  try {
    await replacement.write(bytes('new content'));
    const rewind = replacement.checkpoint();
    await replacement.write(bytes('! not this one'));
    await rewind();
    await replacement.write(bytes(', in pieces'));
    await replacement.commit();
  } finally {
    await replacement.discard();
  }
}

const scenarios = [
  { name: 'a new file', old: undefined, prepare: nothing },
  { name: 'an old file', old: 'old', prepare: (memory: MemoryDisk) => memory.write(FILE, 'old') },
  {
    name: 'an old file that another user owns, replaced by root next to leftovers from a killed run',
    old: 'old',
    async prepare(memory: MemoryDisk) {
      memory.write(FILE, 'old');
      memory.write(TEMPORARY, 'torn');
      memory.user = 0;
      await (await memory.disk.open(FILE, 'r+')).chmod(0o640);
    },
  },
];

describe.each(scenarios)('$name', ({ old, prepare }) => {
  it('has the old or the new content if the process is killed at any step, and the next run removes leftovers (D7)', async () => {
    const steps = await atEveryStep(
      prepare,
      work,
      ['end-before', 'end-within', 'end-after'],
      async ({ memory, error }) => {
        expect(error).toBeInstanceOf(Ended);
        memory.revive();
        expect([old, NEW]).toContain(memory.read(FILE));
        await work(memory);
        expect(memory.read(FILE)).toBe(NEW);
        expect(memory.names()).toEqual([FILE]);
      },
    );
    expect(steps).toBeGreaterThanOrEqual(7);
  });

  it.each(POWER_CUTS)(
    'has the old or the new content after a power cut at any step with pattern %# of lost writes (D1)',
    async (keep) => {
      await atEveryStep(prepare, work, ['end-before', 'end-within', 'end-after'], async ({ memory }) => {
        memory.revive({ keep });
        expect([old, NEW]).toContain(memory.read(FILE));
        await work(memory);
        expect(memory.names()).toEqual([FILE]);
      });
    },
  );

  it('keeps the new content after a power cut at the end (D2)', async () => {
    const memory = createMemoryDisk();
    await prepare(memory);
    await work(memory);
    memory.revive({ keep: () => 0 });
    expect(memory.read(FILE)).toBe(NEW);
  });

  it('is unchanged if the disk is full or fails at any step before the rename', async () => {
    let replaced = 0;
    await atEveryStep(prepare, work, ['ENOSPC', 'EIO'], ({ memory, error }) => {
      if (memory.read(FILE) === NEW) replaced++;
      else expect(memory.read(FILE)).toBe(old);
      if (memory.read(FILE) !== NEW)
        expect(error).toMatchObject({ code: expect.stringMatching(/ENOSPC|EIO/) });
    });
    // Of both faults only that of the very last step, and one of the owner's, find the new file in its place.
    expect(replaced).toBeLessThanOrEqual(4);
  });

  it('is complete after partial writes (D5)', async () => {
    await atEveryStep(prepare, work, ['short'], ({ memory, error }) => {
      expect(error).toBeUndefined();
      expect(memory.read(FILE)).toBe(NEW);
    });
  });
});

/** The first step of that kind fails, and none after it. */
function once(operation: string): MemoryDisk['fault'] {
  let first: number | undefined;
  return (step, name) => {
    if (name.startsWith(operation)) first ??= step;
    return step === first ? 'EIO' : undefined;
  };
}

describe('a failure', () => {
  it.each(['write', 'sync'])(
    'in a %s makes later writes and the commit fail, and keeps the old file (D3)',
    async (operation) => {
      const memory = createMemoryDisk();
      memory.write(FILE, 'old');
      const replacement = await openReplacement(memory.disk, FILE);
      memory.fault = once(operation);
      const first = replacement.write(bytes('one')).then(() => replacement.commit());
      await expect(first).rejects.toThrow('EIO');
      await expect(replacement.write(bytes('two'))).rejects.toMatchObject({ code: 'EIO' });
      await expect(replacement.commit()).rejects.toMatchObject({ code: 'EIO' });
      expect(memory.read(FILE)).toBe('old');
      await replacement.discard();
      await replacement.discard();
      expect(memory.names()).toEqual([FILE]);
    },
  );

  it('in an early flush makes the commit fail (D3)', async () => {
    const memory = createMemoryDisk();
    memory.write(FILE, 'old');
    const replacement = await openReplacement(memory.disk, FILE);
    memory.fault = once('sync');
    await replacement.write(Buffer.alloc(16 * 1024 * 1024));
    await expect(replacement.commit()).rejects.toThrow('EIO');
    expect(memory.read(FILE)).toBe('old');
  });

  it('remains after a rollback, and makes the commit fail', async () => {
    const memory = createMemoryDisk();
    const replacement = await openReplacement(memory.disk, FILE);
    const rewind = replacement.checkpoint();
    memory.fault = () => 'ENOSPC';
    await expect(replacement.write(bytes('one'))).rejects.toThrow('ENOSPC');
    await rewind();
    memory.fault = () => undefined;
    await expect(replacement.commit()).rejects.toThrow('ENOSPC');
  });

  it('in the check before the rename keeps the old file (D3)', async () => {
    const memory = createMemoryDisk();
    memory.write(FILE, 'old');
    const beforeRename = () => {
      throw new Error('not yet');
    };
    await expect(replaceFile(memory.disk, FILE, bytes('new'), { beforeRename })).rejects.toThrow('not yet');
    expect(memory.read(FILE)).toBe('old');
    expect(memory.names()).toEqual([FILE]);
  });
});

describe('a run that shares the file with other runs', () => {
  const processes = (pid: number): Processes => ({ pid, isRunning: (other) => other === pid || other === 7 });
  const mine = '/data/.out.csv.6.partial';

  it('removes temporary files from ended runs, and keeps temporary files from running processes (D7)', async () => {
    const memory = createMemoryDisk();
    const living = '/data/.out.csv.7.partial';
    const dead = ['/data/.out.csv.8.partial', '/data/.out.csv.88.partial'];
    const others = [
      '.other.csv.8.partial',
      '.out.csv.x.partial',
      '.out.csv.x8.partial',
      '.out.csv.8.partial.csv',
    ].map((name) => `/data/${name}`);
    for (const path of [mine, living, ...dead, ...others]) memory.write(path, 'torn');
    await replaceFile(memory.disk, FILE, bytes('new'), { processes: processes(6) });
    expect(memory.names()).toEqual([FILE, living, ...others].sort());
    expect(memory.read(FILE)).toBe('new');
  });

  it('continues if a temporary file cannot be removed, or the directory cannot be listed', async () => {
    const memory = createMemoryDisk();
    memory.write('/data/.out.csv.8.partial', 'torn');
    memory.fault = (_, name) => (name.startsWith('unlink') ? 'EIO' : undefined);
    await replaceFile(memory.disk, FILE, bytes('new'), { processes: processes(6) });
    const openDirectory: Disk['openDirectory'] = async (path) => ({
      ...(await memory.disk.openDirectory(path)),
      names: () => Promise.reject(new Error('EACCES')),
    });
    const unlisted = { ...memory.disk, openDirectory };
    await replaceFile(unlisted, FILE, bytes('newer'), { processes: processes(6) });
    expect(memory.read(FILE)).toBe('newer');
  });

  it('neither renames nor removes a temporary file that another run has replaced (D4)', async () => {
    const memory = createMemoryDisk();
    memory.write(FILE, 'old');
    const replacement = await openReplacement(memory.disk, FILE, { processes: processes(6) });
    await replacement.write(bytes('mine'));
    memory.remove(mine);
    memory.write(mine, 'theirs');
    await expect(replacement.commit()).rejects.toThrow(
      new LocalError(`${mine} was replaced by another process`, {
        hint: 'Run the same command again. Only one run at a time can write to the file.',
      }),
    );
    await replacement.discard();
    expect([memory.read(FILE), memory.read(mine)]).toEqual(['old', 'theirs']);
  });

  it('fails without creating the file if its temporary file was removed (D4)', async () => {
    const memory = createMemoryDisk();
    const replacement = await openReplacement(memory.disk, FILE, { processes: processes(6) });
    memory.remove(mine);
    await expect(replacement.commit()).rejects.toThrow(LocalError);
    expect(memory.names()).toEqual([]);
  });

  it('does not mistake a file on another disk for its own, even with the same inode number (D4)', async () => {
    const memory = createMemoryDisk();
    const { disk } = memory;
    let dev = 1n;
    const moved = {
      ...disk,
      lstat: async (path: string) => ({ ...(await disk.lstat(path)), ...(path === TEMPORARY && { dev }) }),
    };
    const replacement = await openReplacement(moved, FILE);
    dev = 2n;
    await expect(replacement.commit()).rejects.toThrow(LocalError);
    await replacement.discard();
    expect(memory.names()).toEqual([TEMPORARY]);
  });

  it('removes no file if it discards its replacement after the commit', async () => {
    const memory = createMemoryDisk();
    const replacement = await openReplacement(memory.disk, FILE);
    await replacement.commit();
    const { disk } = memory;
    await disk.rename(FILE, TEMPORARY); // as odd as can be: the very file under the very name
    await replacement.discard();
    expect(memory.names()).toEqual([TEMPORARY]);
  });
});

describe('owner and permissions', () => {
  /** A file of user 1000 with this mode. */
  async function withOld(mode: number) {
    const memory = createMemoryDisk();
    memory.write(FILE, 'old');
    await (await memory.disk.open(FILE, 'r+')).chmod(mode);
    return memory;
  }

  it('are those of the old file if root replaces the file (D6)', async () => {
    const memory = await withOld(0o640);
    memory.user = 0;
    await replaceFile(memory.disk, FILE, bytes('new'));
    expect([memory.userOf(FILE), memory.modeOf(FILE)]).toEqual([1000, 0o640]);
  });

  it('are root and the requested permissions if root requests any, but an owner of both the old file and the directory is kept (D6)', async () => {
    for (const [owner, kept] of [
      [1000, 1000],
      [0, 0],
      [1001, 0],
    ] as const) {
      const memory = await withOld(0o640);
      memory.user = 0;
      const openDirectory: Disk['openDirectory'] = async (path) => {
        const held = await memory.disk.openDirectory(path);
        return { ...held, stat: async () => ({ ...(await held.stat()), uid: owner }) };
      };
      await replaceFile({ ...memory.disk, openDirectory }, FILE, bytes('new'), { mode: 0o600 });
      expect([memory.userOf(FILE), memory.modeOf(FILE)]).toEqual([kept, 0o600]);
    }
  });

  it('are this user and the old permissions if a user other than root replaces the file (D6)', async () => {
    const memory = await withOld(0o666);
    memory.user = 1001;
    await replaceFile(memory.disk, FILE, bytes('new'));
    expect([memory.userOf(FILE), memory.modeOf(FILE)]).toEqual([1001, 0o666]);
  });

  it('have no set-uid bits (D6)', async () => {
    const memory = await withOld(0o4755);
    await replaceFile(memory.disk, FILE, bytes('new'));
    expect(memory.modeOf(FILE)).toBe(0o755);
  });

  it('include exactly the requested permissions, regardless of the umask and the old file (D6)', async () => {
    for (const umask of [0o000, 0o022, 0o777]) {
      const memory = await withOld(0o644);
      memory.umask = umask;
      await replaceFile(memory.disk, FILE, bytes('new'), { mode: 0o600 });
      expect(memory.modeOf(FILE)).toBe(0o600);
    }
  });

  it('of a new file follow the umask', async () => {
    const memory = createMemoryDisk();
    memory.umask = 0o027;
    await replaceFile(memory.disk, FILE, bytes('new'));
    expect(memory.modeOf(FILE)).toBe(0o640);
  });

  it('give other users no access at any step (D6)', async () => {
    const prepare = async (memory: MemoryDisk) => {
      memory.umask = 0;
      memory.write(FILE, 'old');
      await (await memory.disk.open(FILE, 'r+')).chmod(0o640);
    };
    await atEveryStep(prepare, work, ['end-after'], ({ memory }) => {
      for (const path of memory.names()) expect((memory.modeOf(path) ?? 0) & 0o007).toBe(0);
    });
  });

  it('make the replacement fail without leftovers if they cannot be set', async () => {
    const memory = await withOld(0o666);
    memory.fault = (_, name) => (name.startsWith('chmod') ? 'EIO' : undefined);
    await expect(replaceFile(memory.disk, FILE, bytes('new'))).rejects.toThrow('EIO');
    expect(memory.names()).toEqual([FILE]);
  });
});

it('a failed openReplacement keeps a file that another run created under the temporary name (D4)', async () => {
  const memory = createMemoryDisk();
  memory.write(FILE, 'old');
  memory.fault = (_, name) => {
    if (!name.startsWith('chmod')) return undefined;
    memory.remove(TEMPORARY);
    memory.write(TEMPORARY, 'theirs');
    return 'EIO';
  };
  await expect(openReplacement(memory.disk, FILE)).rejects.toThrow('EIO');
  expect(memory.read(TEMPORARY)).toBe('theirs');
});

describe('temporary names', () => {
  it('begin with a dot, end in `.partial`, and are in the directory of the file', () => {
    expect(temporaryOf(FILE)).toBe(TEMPORARY);
    expect(temporaryOf(FILE, 6)).toBe('/data/.out.csv.6.partial');
  });

  it('have at most 255 bytes, and are distinct', () => {
    const long = (end: string) => temporaryOf(`/data/${'東'.repeat(80)}${end}`, 4_194_304);
    expect(Buffer.byteLength(long('a.csv').slice('/data/'.length))).toBeLessThanOrEqual(255);
    expect(long('a.csv')).not.toBe(long('b.csv'));
    expect(temporaryOf(`/data/${'x'.repeat(200)}`)).toBe(`/data/.${'x'.repeat(200)}.partial`);
    expect(temporaryOf(`/data/${'x'.repeat(201)}`)).toMatch(/^\/data\/\.[0-9a-f]{64}\.partial$/);
  });
});
