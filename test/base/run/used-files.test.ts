import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createUsedFiles } from '#base/run/used-files';
import { useDirectory } from '../../support/cli.ts';

type File = Parameters<ReturnType<typeof createUsedFiles>['use']>[0];

async function useFiles() {
  const directory = await useDirectory();
  const at = (name: string) => join(directory, name);
  await writeFile(at('codes.csv'), '');
  await mkdir(at('sub'));
  await link(at('codes.csv'), at('linked.csv'));
  await symlink('codes.csv', at('symlinked.csv'));
  await symlink(at('sub'), at('aside'));
  const reads = (name: string, flag = '--from'): File => ({ flag, path: at(name), writes: false });
  const writes = (name: string, flag = '--results'): File => ({ flag, path: at(name), writes: true });
  return { at, reads, writes };
}

test.each([
  ['the same path', 'codes.csv', 'codes.csv'],
  ['a hard link', 'codes.csv', 'linked.csv'],
  ['a symbolic link', 'codes.csv', 'symlinked.csv'],
  ['a new file in a linked directory', 'sub/new.csv', 'aside/new.csv'],
  ['a new file in a directory that is missing', 'missing/new.csv', 'missing/new.csv'],
])(
  'a file that two flags specify, at least one of which writes it, is refused: %s',
  async (_, read, written) => {
    const { reads, writes } = await useFiles();
    for (const [first, second] of [
      [reads(read), writes(written)],
      [writes(written), reads(read)],
      [writes(read, '--ledger'), writes(written)],
    ] as const) {
      const files = createUsedFiles();
      files.use(first);
      expect(() => files.use(second)).toThrow(
        `${second.flag} can't be the same file as ${first.flag}: ${second.path}`,
      );
      expect([first.flag ?? '', second.flag ?? '', '--output'].map(files.isRefused)).toEqual([
        true,
        true,
        false,
      ]);
    }
  },
);

test('the hint for a file that two flags share names the flag that writes the file, unless its file name is derived', async () => {
  const { reads, writes } = await useFiles();
  const hintOf = (...used: File[]) => {
    try {
      createUsedFiles().use(...used);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  const from = { hint: 'Specify a different file with --from.' };
  const results = { hint: 'Specify a different file with --results.' };
  expect(hintOf(writes('codes.csv'), reads('codes.csv'))).toMatchObject(results);
  expect(hintOf(reads('codes.csv'), writes('codes.csv'))).toMatchObject(results);
  const state = { ...writes('codes.csv', '--output'), what: 'the state of --output' };
  expect(hintOf(state, reads('codes.csv'))).toMatchObject({
    ...from,
    message: expect.stringMatching(/^--from can't be the same file as the state of --output: /),
  });
});

test('new files whose names differ only in case are refused, because some file systems ignore case', async () => {
  const { at, writes } = await useFiles();
  const files = createUsedFiles();
  files.use(writes('New.csv', '--ledger'));
  expect(() => files.use(writes('new.CSV'))).toThrow(
    `--results can't differ only in case from --ledger: ${at('new.CSV')}`,
  );
});

test('files are allowed if they are only read, have the same flag, differ, or are not regular files', async () => {
  const { at, reads, writes } = await useFiles();
  const files = createUsedFiles();
  const devices: File[] = ['--output', '--summary'].flatMap((flag) =>
    ['-', '/dev/null'].map((path) => ({ flag, path, writes: true })),
  );
  files.use(...devices, reads('codes.csv'), reads('linked.csv', '--join'));
  files.use(writes('new.csv'), writes('new.csv'), writes('other.csv', '--output'));
  files.use(writes('sub/new.csv', '--ledger'));
  expect(files.isRefused('--from')).toBe(false);
  // A later read does not replace the flag that writes the file.
  files.use(reads('new.csv', '--results'));
  expect(() => files.use(reads('new.csv', '--join'))).toThrow(
    `--join can't be the same file as --results: ${at('new.csv')}`,
  );
});
