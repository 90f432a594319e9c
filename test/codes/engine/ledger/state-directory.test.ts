import { describe, expect, it } from 'vitest';
import { makeStateDirectory, stateDirectory } from '#codes/engine/ledger/choose-ledger';
import { createMemoryDisk } from '../../../support/memory-disk.ts';

describe('the state directory', () => {
  it.each([
    [
      'QRCTL_STATE_DIR, on every system',
      { QRCTL_STATE_DIR: '/mine', XDG_STATE_HOME: '/xdg', HOME: '/home/u' },
      'linux',
      '/mine',
    ],
    ['XDG_STATE_HOME', { XDG_STATE_HOME: '/xdg', HOME: '/home/u' }, 'linux', '/xdg/qrctl'],
    ['.local/state', { HOME: '/home/u' }, 'linux', '/home/u/.local/state/qrctl'],
    [
      'a relative XDG_STATE_HOME is ignored',
      { XDG_STATE_HOME: 'xdg', HOME: '/home/u' },
      'linux',
      '/home/u/.local/state/qrctl',
    ],
    [
      'empty variables are ignored',
      { QRCTL_STATE_DIR: '', XDG_STATE_HOME: '', HOME: '/u' },
      'linux',
      '/u/.local/state/qrctl',
    ],
    ['Library on macOS', { HOME: '/Users/u' }, 'darwin', '/Users/u/Library/Application Support/qrctl'],
    ['LOCALAPPDATA on Windows', { LOCALAPPDATA: '/local', HOME: '/home/u' }, 'win32', '/local/qrctl'],
    ['undefined on Windows without LOCALAPPDATA', { HOME: '/home/u' }, 'win32', undefined],
    ['undefined with a relative HOME', { HOME: 'home' }, 'linux', undefined],
    ['undefined without HOME', {}, 'linux', undefined],
  ])('depends on the environment variables and the operating system (%s)', (_, env, system, path) => {
    expect(stateDirectory(env, system)).toBe(path);
  });

  it('is created, with its parent directories, accessible only to this user', async () => {
    const memory = createMemoryDisk();
    memory.user = 0;
    expect(await makeStateDirectory(memory.disk, { XDG_STATE_HOME: '/data/state' })).toBe(
      '/data/state/qrctl',
    );
    expect(memory.modeOf('/data/state/qrctl')).toBe(0o700);
    expect(memory.modeOf('/data/state')).toBe(0o700);
  });

  it("is not created in another user's home directory, unless QRCTL_STATE_DIR specifies it", async () => {
    const memory = createMemoryDisk();
    await expect(makeStateDirectory(memory.disk, { HOME: '/data' })).rejects.toThrow(
      '/data belongs to another user',
    );
    expect(await makeStateDirectory(memory.disk, { QRCTL_STATE_DIR: '/data/mine' })).toBe('/data/mine');
  });

  it('is created on a system without user IDs, such as Windows', async () => {
    const { disk } = createMemoryDisk();
    const windows = { ...disk, user: () => undefined };
    expect(await makeStateDirectory(windows, { HOME: '/data' })).toBe('/data/.local/state/qrctl');
  });

  it('cannot be created without a home directory', async () => {
    await expect(makeStateDirectory(createMemoryDisk().disk, {})).rejects.toThrow(
      'there is no home directory',
    );
  });
});
