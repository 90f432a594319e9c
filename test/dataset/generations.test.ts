/** Removing what is left of generations, in a directory where somebody else swaps what is removed. */
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createGeneration, ensureGeneration, removeGenerations, showGeneration } from '../../src/dataset/generations.ts';
import { type Disk, nodeDisk } from '../../src/durable/disk.ts';
import { useDirectory } from '../support/cli.ts';

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

const removeAll = (disk: Disk) => removeGenerations(disk, lake, () => true);

describe('generations that are removed', () => {
  it.runIf(platform() === 'linux')('lead nowhere else when they are swapped for a link at the first removal (P16)', async () => {
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
  });

  it('lose parts, leftovers and the manifest, and nothing else (P16)', async () => {
    const partition = makeGeneration('000099', [...FILES, 'notes.txt', 'part-1.csv.bak']);
    for (const name of ['_qrctl.json', '._qrctl.json.partial', 'id_rsa']) writeFileSync(join(partition, '..', name), '');
    await removeAll(nodeDisk);
    expect(readdirSync(partition)).toEqual(['_qrctl.json', 'notes.txt', 'part-1.csv.bak']);
    expect(readdirSync(join(partition, '..'))).toEqual([PARTITION, 'id_rsa']);
    makeGeneration('000098', ['part-000001.csv', '.part-000002.csv.partial']);
    await removeAll(nodeDisk);
    expect(readdirSync(root)).not.toContain('.lake.000098');
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
    await showGeneration(nodeDisk, lake, 1);
    await ensureGeneration(nodeDisk, lake);
    const { uid } = await nodeDisk.lstat(root);
    await expect(ensureGeneration({ ...nodeDisk, user: () => uid + 1 }, lake)).rejects.toThrow(
      /belongs to user|made to what is not/,
    );
  });

  it('is not merged in a shared directory where no directory can be held open (P16)', async () => {
    const openDirectory: Disk['openDirectory'] = async (path) => {
      const held = await nodeDisk.openDirectory(path);
      return { ...held, isHeld: false, stat: async () => ({ ...(await held.stat()), mode: 0o1777 }) };
    };
    await expect(ensureGeneration({ ...nodeDisk, openDirectory }, lake)).rejects.toThrow('other users can write in');
    expect(readdirSync(root)).toEqual(['secrets']);
  });

  it('is not built in a directory that is there already (P16)', async () => {
    makeGeneration('000002');
    await expect(createGeneration(nodeDisk, lake, 2)).rejects.toThrow('is there already');
  });
});
