/** Generations in a directory where another user may swap what is there: which are made, shown and removed. */
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Disk } from '../../../src/files/durable/disk.ts';
import { nodeDisk } from '../../../src/files/durable/node-disk.ts';
import {
  createGeneration,
  ensureGeneration,
  publishedGeneration,
  publishGeneration,
  removeGenerations,
} from '../../../src/scans/dataset/generations.ts';
import { useDirectory } from '../../support/cli.ts';

const PARTITION = 'dt=2026-01-01';
const FILES = ['.part-000003.csv.partial', '_qrctl.json', 'part-000001.csv', 'part-000002.parquet'];

let root: string;
let lake: string;
let secrets: string;

beforeEach(async () => {
  root = await useDirectory();
  lake = join(root, 'lake');
  secrets = join(root, 'secrets');
  mkdirSync(secrets);
  for (const name of FILES) writeFileSync(join(secrets, name), '');
});

/** An unfinished generation with one partition; gives the path of that. */
function makeGeneration(number: string, files: readonly string[] = FILES): string {
  const partition = join(root, `.lake.${number}`, PARTITION);
  mkdirSync(partition, { recursive: true });
  for (const name of files) writeFileSync(join(partition, name), '');
  return partition;
}

const removeAll = (disk: Disk) => removeGenerations(disk, lake, { isOld: () => true, isOurs: () => true });

describe('generations that are removed', () => {
  it.runIf(platform() === 'linux')(
    'lead nowhere else when they are swapped for a link at the first removal (P16)',
    async () => {
      const partition = makeGeneration('000099');
      let removed = 0;
      const unlink: Disk['unlink'] = async (path) => {
        await nodeDisk.unlink(path);
        removed += 1;
        if (removed > 1) return;
        renameSync(partition, join(root, 'old'));
        symlinkSync(secrets, partition);
      };
      await removeAll({ ...nodeDisk, unlink });
      expect(removed).toBeGreaterThan(1);
      expect(readdirSync(secrets).sort()).toEqual(FILES);
    },
  );

  it('lose parts, leftovers and the manifest, and nothing else (P16)', async () => {
    const partition = makeGeneration('000099', [...FILES, 'notes.txt', 'part-1.csv.bak']);
    for (const name of ['_qrctl.json', '._qrctl.json.partial', 'id_rsa'])
      writeFileSync(join(partition, '..', name), '');
    await removeAll(nodeDisk);
    expect(readdirSync(partition)).toEqual(['_qrctl.json', 'notes.txt', 'part-1.csv.bak']);
    expect(readdirSync(join(partition, '..'))).toEqual([PARTITION, 'id_rsa']);
    makeGeneration('000098', ['part-000001.csv', '.part-000002.csv.partial']);
    await removeAll(nodeDisk);
    expect(readdirSync(root)).not.toContain('.lake.000098');
  });

  it('are not another dataset of this user that somebody renamed (P16)', async () => {
    const partition = makeGeneration('000099');
    writeFileSync(join(partition, '..', '_qrctl.json'), 'other');
    await removeGenerations(nodeDisk, lake, {
      isOld: () => true,
      isOurs: (manifest) => manifest?.toString() !== 'other',
    });
    expect(readdirSync(partition)).toEqual(FILES);
  });

  it('are none of another user, nor such as others may write in (P16)', async () => {
    const partition = makeGeneration('000099');
    const { uid } = await nodeDisk.lstat(root);
    await removeAll({ ...nodeDisk, user: () => uid + 1 });
    expect(readdirSync(partition)).toEqual(FILES);
  });
});

describe('a dataset', () => {
  it('is not merged where its generation is of another user (P16)', async () => {
    await createGeneration(nodeDisk, lake, 1);
    await publishGeneration(nodeDisk, lake, 1);
    await ensureGeneration(nodeDisk, lake);
    const { uid } = await nodeDisk.lstat(root);
    await expect(ensureGeneration({ ...nodeDisk, user: () => uid + 1 }, lake)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(`^cannot merge parts in ${lake}: .*belongs to user`),
      hint: expect.stringMatching(/^Run the command as the user who owns the dataset\. /),
    });
  });

  it('goes on in the generation that a killed run left empty', async () => {
    await createGeneration(nodeDisk, lake, 1);
    await createGeneration(nodeDisk, lake, 1);
    expect(readdirSync(join(root, '.lake.000001'))).toEqual([]);
  });

  it('may have a name that ends like that of a generation', async () => {
    const place = join(root, 'lake.000009');
    await ensureGeneration(nodeDisk, place);
    await createGeneration(nodeDisk, place, 2);
    expect(await publishedGeneration(nodeDisk, place)).toBe(1);
    await removeGenerations(nodeDisk, place, { isOld: (number) => number === 2, isOurs: () => true });
    expect(readdirSync(root)).toEqual(['.lake.000009.000001', 'lake.000009', 'secrets']);
  });

  it('leaves no directory open', async () => {
    let [opened, closed] = [0, 0];
    const openDirectory: Disk['openDirectory'] = async (path) => {
      const held = await nodeDisk.openDirectory(path);
      opened += 1;
      const close = () => {
        closed += 1;
        return held.close();
      };
      return { ...held, close };
    };
    makeGeneration('000099');
    const disk = { ...nodeDisk, openDirectory };
    await ensureGeneration(disk, lake);
    await removeGenerations(disk, lake, { isOld: (number) => number === 99, isOurs: () => true });
    expect(opened).toBeGreaterThan(4);
    expect(closed).toBe(opened);
  });

  it.each<[string, { isHeld: boolean; user: number | undefined; uid: number; mode: number }, boolean]>([
    ['shared, where none can be held open', { isHeld: false, user: 1000, uid: 0, mode: 0o1777 }, false],
    ['of a group that may write', { isHeld: false, user: 1000, uid: 1000, mode: 0o775 }, false],
    ['of another user', { isHeld: false, user: 1000, uid: 1001, mode: 0o755 }, false],
    ['shared, and held open', { isHeld: true, user: 1000, uid: 0, mode: 0o1777 }, true],
    [
      'on Windows, where users have no numbers',
      { isHeld: false, user: undefined, uid: 0, mode: 0o777 },
      true,
    ],
    ['of this user alone', { isHeld: false, user: 1000, uid: 1000, mode: 0o755 }, true],
    ['of root alone', { isHeld: false, user: 1000, uid: 0, mode: 0o755 }, true],
  ])(
    'in a directory %s: merged only if nobody else decides about its names (P16)',
    async (_, { isHeld, user, uid, mode }, isMade) => {
      const openDirectory: Disk['openDirectory'] = async (path) => {
        const held = await nodeDisk.openDirectory(path);
        const stat = async () => ({
          ...(await held.stat()),
          ...(path === root ? { uid, mode } : { uid: user ?? 0 }),
        });
        return { ...held, isHeld, stat };
      };
      const made = ensureGeneration({ ...nodeDisk, openDirectory, user: () => user }, lake);
      if (isMade) await made;
      else await expect(made).rejects.toThrow('other users can write to');
      expect(readdirSync(root)).toEqual(isMade ? ['.lake.000001', 'lake', 'secrets'] : ['secrets']);
    },
  );

  it('is not built in a directory that is there already (P16)', async () => {
    makeGeneration('000002');
    await expect(createGeneration(nodeDisk, lake, 2)).rejects.toThrow('already exists');
  });
});
