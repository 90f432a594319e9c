/** D17: which links an input may have. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { UsageError } from '#base/errors';
import { followLinks } from '#files/durable/follow-links';
import { nodeDisk } from '#files/durable/node-disk';
import { openInput, realInput } from '#files/durable/open-input';
import { useDirectory } from '../../support/cli.ts';

let directory: string;
let workspace: string;
beforeEach(async () => {
  directory = await nodeDisk.realpath(await useDirectory());
  workspace = join(directory, 'work');
  for (const name of ['work', 'work2']) mkdirSync(join(directory, name));
  for (const name of ['work/a', 'work2/b']) writeFileSync(join(directory, name), name);
  symlinkSync('a', join(workspace, 'inner'));
  symlinkSync('../work2/b', join(workspace, 'outer'));
  symlinkSync('outer', join(workspace, 'twice'));
  symlinkSync('work/a', join(directory, 'inward'));
  symlinkSync('missing', join(workspace, 'dangling'));
});

function setWorkspace(actions: string, path: string): void {
  const before = { GITHUB_ACTIONS: env.GITHUB_ACTIONS, GITHUB_WORKSPACE: env.GITHUB_WORKSPACE };
  Object.assign(env, { GITHUB_ACTIONS: actions, GITHUB_WORKSPACE: path });
  onTestFinished(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete env[name];
      else env[name] = value;
    }
  });
}

async function read(path: string): Promise<string> {
  const file = await openInput(join(directory, path));
  return file.readFile('utf8').finally(() => file.close());
}

describe.skipIf(platform() === 'win32')('an input', () => {
  it('in GitHub Actions may have links within the workspace and into it, but not out of it', async () => {
    setWorkspace('true', workspace);
    expect(await read('work/a')).toBe('work/a');
    expect(await read('work/inner')).toBe('work/a');
    expect(await read('inward')).toBe('work/a');
    expect(await read('work2/b')).toBe('work2/b');
    expect(await realInput(join(workspace, 'inner'))).toBe(join(workspace, 'a'));
    for (const name of ['outer', 'twice']) {
      const reading = read(`work/${name}`);
      await expect(reading).rejects.toThrow(UsageError);
      await expect(reading).rejects.toMatchObject({
        message: `cannot read ${join(workspace, name)}: ${join(workspace, 'outer')} is a symbolic link that leads out of ${workspace}`,
        hint: 'Pass the path of the file itself, without links that another user can change.',
      });
    }
    await expect(read('work/dangling')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is not opened if a link replaces it in the meantime', async () => {
    setWorkspace('true', workspace);
    const path = join(workspace, 'a');
    const { lstat } = nodeDisk;
    let looks = 0;
    const spy = vi.spyOn(nodeDisk, 'lstat').mockImplementation(async (name) => {
      const found = await lstat(name);
      // The first look is for links in the path, the second one is for the file itself.
      if (name === path && ++looks === 2) {
        rmSync(path);
        symlinkSync('../work2/b', path);
      }
      return found;
    });
    onTestFinished(() => spy.mockRestore());
    await expect(read('work/a')).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it.each([
    ['false', 'work'],
    ['', 'work'],
    ['true', 'missing'],
  ])(
    'may have a link of the same user to another directory if GITHUB_ACTIONS is %j and the workspace is %s',
    async (actions, name) => {
      setWorkspace(actions, join(directory, name));
      expect(await read('work/outer')).toBe('work2/b');
      const real = await realInput(join(workspace, 'outer'));
      expect(real).toBe(nodeDisk.user() === 0 ? join(directory, 'work2', 'b') : undefined);
    },
  );
});

describe('the links of a path', () => {
  function follow(path: string, links: Record<string, [uid: number, to?: string]>, within?: string) {
    const steps = followLinks(path, { user: 5, within });
    let step = steps.next();
    while (!step.done) {
      const [uid = 0, to] = links[step.value] ?? [];
      step = steps.next(step.value in links ? { uid, to } : undefined);
    }
    return step.value;
  }

  it.skipIf(platform() === 'win32')(
    'may lead to the workspace itself and within it, and not to a directory with a similar name',
    () => {
      const links: Record<string, [number, string?]> = {
        '/w/up': [5, '..'],
        '/w/own': [5, '.'],
        '/w/near': [5, '/w2'],
        '/w': [5],
        '/w2': [5],
        '/': [0],
      };
      expect(follow('/w/own/x', links, '/w')).toEqual({ real: '/w/x' });
      expect(follow('/w/near/x', links, '/w')).toMatchObject({ leaving: '/w/near' });
      expect(follow('/w/up/x', links, '/w')).toMatchObject({ leaving: '/w/up' });
      expect(follow('/w/near/x', links, '/')).toEqual({ real: '/w2/x' });
      expect(follow('/w/near/x', links)).toEqual({ real: '/w2/x' });
      expect(follow('/w/own/near/x', links, '/w')).toMatchObject({ leaving: '/w/near' });
    },
  );
});
