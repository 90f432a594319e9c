/** What happens where a directory is swapped for a link between two steps on it, on the disk of this machine. */
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Disk } from '#files/durable/disk';
import { nodeDisk } from '#files/durable/node-disk';
import { openReplacement } from '#files/durable/replace-file';
import { inDirectory, removeFile } from '#files/durable/trusted-file';
import { useDirectory } from '../../support/cli.ts';

let root: string;
let place: string;
let elsewhere: string;

beforeEach(async () => {
  root = await useDirectory();
  [place, elsewhere] = [join(root, 'place'), join(root, 'elsewhere')];
  for (const path of [place, elsewhere]) mkdirSync(path);
});

function swap(): void {
  if (existsSync(join(root, 'old'))) return;
  renameSync(place, join(root, 'old'));
  symlinkSync(elsewhere, place);
}

/** Swaps the directory right before, or after, the first call of one operation. */
function swapping(operation: 'open' | 'unlink' | 'rename', when: 'before' | 'after'): Disk {
  return {
    ...nodeDisk,
    [operation]: async (...args: never[]) => {
      if (when === 'before') swap();
      const done = await (nodeDisk[operation] as (...given: never[]) => Promise<unknown>)(...args);
      if (when === 'after') swap();
      return done;
    },
  };
}

const LEFTOVER = '.scans.csv.partial';

describe.runIf(platform() === 'linux')('a directory that is swapped during an operation in it', () => {
  it('does not change which temporary file is removed (D16)', async () => {
    for (const directory of [place, elsewhere]) writeFileSync(join(directory, LEFTOVER), '');
    await removeFile(swapping('unlink', 'before'), join(place, LEFTOVER));
    expect(readdirSync(elsewhere)).toEqual([LEFTOVER]);
    expect(readdirSync(join(root, 'old'))).toEqual([]);
  });

  it.each(['before', 'after'] as const)(
    'gets no file if it is swapped right %s a replacement is opened (D16)',
    async (when) => {
      await expect(openReplacement(swapping('open', when), join(place, 'scans.csv'))).rejects.toThrow(
        'was moved or replaced in the meantime',
      );
      expect(readdirSync(elsewhere)).toEqual([]);
      expect(readdirSync(join(root, 'old'))).toEqual([]);
    },
  );

  it('does not change where a replacement is renamed (D16)', async () => {
    for (const name of ['scans.csv', LEFTOVER]) writeFileSync(join(elsewhere, name), 'theirs');
    const replacement = await openReplacement(swapping('rename', 'before'), join(place, 'scans.csv'));
    await replacement.commit();
    expect(readdirSync(elsewhere).sort()).toEqual([LEFTOVER, 'scans.csv']);
    expect(readdirSync(join(root, 'old'))).toEqual(['scans.csv']);
  });

  it('does not change which file is discarded (D16)', async () => {
    let disk = nodeDisk;
    const unlink: Disk['unlink'] = (path) => disk.unlink(path);
    const replacement = await openReplacement({ ...nodeDisk, unlink }, join(place, 'scans.csv'));
    writeFileSync(join(elsewhere, LEFTOVER), 'theirs');
    disk = swapping('unlink', 'before');
    await replacement.discard();
    expect(readdirSync(elsewhere)).toEqual([LEFTOVER]);
    expect(readdirSync(join(root, 'old'))).toEqual([]);
  });
});

it('inDirectory does not follow a link to a directory', async () => {
  symlinkSync(elsewhere, join(root, 'link'));
  await expect(inDirectory(nodeDisk, join(root, 'link'), async () => undefined)).rejects.toMatchObject({
    code: 'ENOTDIR',
  });
});
