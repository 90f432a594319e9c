import { readFile, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LocalError, NotFoundError, UsageError } from '#base/errors';
import { systemClock } from '#base/time/time';
import type { Disk } from '#files/durable/disk';
import { nodeDisk } from '#files/durable/node-disk';
import { formatRecord } from '#files/durable/record-file';
import {
  openTailState,
  parseTailState,
  type TailPosition,
  type TailRun,
  type TailStateFile,
} from '#scans/tail/state-file';
import { createWorkspace } from '#service/workspace';
import { useDirectory } from '../../support/cli.ts';

const WORKSPACE = { baseUrl: 'https://qr.example/api/v1', apiKey: 'qr_live_one', profile: 'shop' };
const AT = { serviceMs: 3000, machineMs: 3500 };
const POSITIONS = new Map<string, TailPosition>([
  ['x', { fromMs: 2000, at: AT, printed: new Map([[7, 2500]]) }],
]);

/** A run of two codes, all of which the service has. */
function run(given: Partial<TailRun> = {}): TailRun {
  return {
    codes: { codes: ['y', 'x'], all: false },
    workspace: createWorkspace(WORKSPACE),
    getCode: async () => ({}),
    movedFrom: undefined,
    sinceMs: 1000,
    ...given,
  };
}

async function usePath(): Promise<string> {
  return join(await useDirectory(), 'tail.json');
}

async function open(path: string, given: { disk?: Disk; signal?: AbortSignal } = {}): Promise<TailStateFile> {
  const file = await openTailState(path, {
    clock: systemClock,
    signal: new AbortController().signal,
    ...given,
  });
  onTestFinished(() => file.close());
  return file;
}

/** Runs to the end: begins, records these positions, and closes. */
async function follow(path: string, given: Partial<TailRun> = {}, positions?: Map<string, TailPosition>) {
  const file = await open(path);
  try {
    const start = await file.begin(run(given));
    if (positions) await file.record(positions);
    return start;
  } finally {
    await file.close();
  }
}

const saved = async (path: string) => parseTailState(await readFile(path));

describe('a state file', () => {
  it('is written when a run begins, and a later run continues from it (S4)', async () => {
    const path = await usePath();
    expect(await follow(path)).toEqual({ sinceMs: 1000, positions: new Map(), isContinued: false });
    expect(await saved(path)).toMatchObject({
      sinceMs: 1000,
      codes: { codes: ['y', 'x'], all: false },
      positions: new Map(),
      workspace: { baseUrl: WORKSPACE.baseUrl, profile: 'shop' },
    });
    expect(await follow(path, { sinceMs: 9000 })).toEqual({
      sinceMs: 1000,
      positions: new Map(),
      isContinued: true,
    });
  });

  it('has the positions that were recorded last (S1)', async () => {
    const path = await usePath();
    await follow(path, {}, POSITIONS);
    expect(await saved(path)).toMatchObject({ sinceMs: 1000, positions: POSITIONS });
    expect(await follow(path)).toEqual({ sinceMs: 1000, positions: POSITIONS, isContinued: true });
    expect((await saved(path)).positions).toEqual(POSITIONS);
  });

  it('keeps its record of the workspace, and gets a new record if the key was rotated', async () => {
    const path = await usePath();
    await follow(path, {}, POSITIONS);
    const { workspace: first } = await saved(path);
    await follow(path);
    expect((await saved(path)).workspace).toEqual(first);
    const asked: string[] = [];
    const getCode = async (id: string) => asked.push(id);
    const workspace = createWorkspace({ ...WORKSPACE, apiKey: 'qr_live_two' });
    expect((await follow(path, { workspace, getCode })).positions).toEqual(POSITIONS);
    const { workspace: rotated } = await saved(path);
    expect([
      asked,
      await workspace.hasKeyOf(rotated.key ?? ''),
      await workspace.hasKeyOf(first.key ?? ''),
    ]).toEqual([...[['y'], true, false]]);
  });

  it('is refused and unchanged for another workspace, and accepted with --moved-from for another base URL (S6)', async () => {
    const path = await usePath();
    const all = { codes: { codes: [], all: true } };
    await follow(path, all, POSITIONS);
    const bytes = await readFile(path);
    const asked: string[] = [];
    const getCode = async (id: string) => {
      asked.push(id);
      throw new NotFoundError('no such code');
    };
    const workspace = createWorkspace({ ...WORKSPACE, apiKey: 'qr_live_other', profile: 'bar' });
    await expect(follow(path, { ...all, workspace, getCode })).rejects.toMatchObject({
      name: UsageError.name,
      hint: 'Use --profile shop, or specify a different file with --state.',
      message: expect.stringContaining(`${path} belongs to another workspace`),
    });
    expect(asked).toEqual(['x']);
    const elsewhere = createWorkspace({ ...WORKSPACE, baseUrl: 'https://qr.example/api/v2' });
    await expect(follow(path, { ...all, workspace: elsewhere })).rejects.toThrow(
      `not to ${elsewhere.baseUrl}`,
    );
    expect(await readFile(path)).toEqual(bytes);
    await follow(path, { ...all, workspace: elsewhere, movedFrom: WORKSPACE.baseUrl });
    expect((await saved(path)).workspace.baseUrl).toBe(elsewhere.baseUrl);
  });

  it('is refused and unchanged for other codes (S6)', async () => {
    const path = await usePath();
    await follow(path, {}, POSITIONS);
    const bytes = await readFile(path);
    await expect(follow(path, { codes: { codes: ['x', 'z'], all: false } })).rejects.toMatchObject({
      name: UsageError.name,
      message: `cannot continue from ${path}: it follows codes x, y, not codes x, z`,
      hint: 'Pass the same codes (x y), or specify a different file with --state.',
    });
    expect(await readFile(path)).toEqual(bytes);
    expect((await follow(path, { codes: { codes: ['x', 'y'], all: false } })).isContinued).toBe(true);
  });

  it.each([
    [
      'damaged',
      (bytes: Buffer) => bytes.subarray(0, -9),
      'it cannot be read (truncated or changed)',
      'Restore the state file from a backup',
    ],
    [
      'empty',
      () => Buffer.alloc(0),
      'it cannot be read (truncated or changed)',
      'Restore the state file from a backup',
    ],
    ['of another version', () => formatRecord({ version: 9 }), 'it has version 9, which', 'Update qrctl'],
  ])('is neither treated as missing nor overwritten if it is %s (S7)', async (_, change, reason, wayOn) => {
    const path = await usePath();
    await follow(path, {}, POSITIONS);
    const good = await readFile(path);
    const bad = change(good);
    await writeFile(path, bad);
    await expect(open(path)).rejects.toMatchObject({
      name: UsageError.name,
      message: expect.stringContaining(`cannot continue from ${path}: ${reason}`),
      hint: `${wayOn}, or specify a different file with --state and start again with --since.`,
      cause: expect.any(Error),
    });
    expect(await readFile(path)).toEqual(bad);
    // The lock is free again.
    await writeFile(path, good);
    expect((await follow(path)).positions).toEqual(POSITIONS);
  });

  it('is read only after the previous run ended (S5)', async () => {
    const path = await usePath();
    const first = await open(path);
    await first.begin(run());
    const opened: string[] = [];
    const second = open(path).finally(() => opened.push('second'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(opened).toEqual([]);
    await first.record(POSITIONS);
    await first.close();
    expect((await (await second).begin(run())).positions).toEqual(POSITIONS);
  });

  it('does not keep an interrupted run waiting for its lock', async () => {
    const path = await usePath();
    await open(path);
    const controller = new AbortController();
    const second = open(path, { signal: controller.signal });
    controller.abort(new Error('stop'));
    await expect(second).rejects.toThrow('stop');
  });

  it('is the file that its path leads to after the wait for the lock', async () => {
    const directory = await useDirectory();
    const [link, first, other] = ['link', 'first', 'other'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    await follow(first);
    await follow(other);
    await symlink(first, link);
    const holder = await open(link);
    const second = open(link);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await unlink(link);
    await symlink(other, link);
    await holder.close();
    // The second run holds the lock of the other file only.
    await second;
    expect((await follow(first)).isContinued).toBe(true);
  });

  it("causes an error with a hint if it can't be opened or written", async () => {
    const path = join(await useDirectory(), 'none', 'tail.json');
    await expect(open(path)).rejects.toMatchObject({
      message: expect.stringContaining(`cannot use the state file ${path}: its directory does not exist`),
      hint: expect.stringContaining('specify a different file with --state'),
    });
    const good = await usePath();
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
    const disk: Disk = {
      ...nodeDisk,
      open: (name, flags, mode) => (flags === 'r' ? nodeDisk.open(name, flags, mode) : Promise.reject(full)),
    };
    const failure = await (await open(good, { disk })).begin(run()).catch((error) => error);
    expect(failure).toBeInstanceOf(LocalError);
    expect(failure).toMatchObject({
      message: `cannot write the state file ${good}: the disk is full (ENOSPC)`,
      hint: expect.stringContaining('The last printed scans may be printed again.'),
    });
  });

  it('is not created by recording positions before the run has begun', async () => {
    const path = await usePath();
    const file = await open(path);
    await expect(file.record(POSITIONS)).rejects.toThrow('the state was not begun');
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });
});
