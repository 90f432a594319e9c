/** Files that a run replaces only with `--overwrite`: a template that may be filled in, and the results of another command. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useBench } from '../support/bench.ts';

async function useWork() {
  const bench = await useBench(undefined, { codes: 3, scans: 5 });
  return { ...bench, cwd: bench.directory, qr: (...args: string[]) => bench.qr(args) };
}

describe('qr create --template', () => {
  it.each(['menus.csv', 'menus.xlsx'])(
    'does not replace an existing %s unless --overwrite is passed',
    async (name) => {
      const { cwd, qr } = await useWork();
      expect(await qr('create', '--template', '-o', name)).toMatchObject({ code: 0 });
      await writeFile(join(cwd, name), 'filled in by hand');
      const again = await qr('create', '--template', '-o', name);
      expect(again).toMatchObject({ code: 2, stdout: '' });
      expect(again.stderr).toContain(`cannot write the template ${name}: the file exists`);
      expect(again.stderr).toMatch(/different file with --output, or add --overwrite/);
      expect(await readFile(join(cwd, name), 'utf8')).toBe('filled in by hand');
      expect(await readdir(cwd)).toEqual([name]);
      expect(await qr('create', '--template', '-o', name, '--overwrite')).toMatchObject({ code: 0 });
      expect(await readFile(join(cwd, name), 'utf8')).not.toContain('filled in');
    },
  );

  it('writes to standard output and to devices', async () => {
    const { qr } = await useWork();
    expect(await qr('create', '--template', '-o', '-')).toMatchObject({
      code: 0,
      stdout: 'key,name,type,destination\n',
    });
    expect(await qr('create', '--template', '-o', '/dev/null')).toMatchObject({ code: 0 });
  });
});

const BOTH_WAYS = /Specify a different file with --results, or add --overwrite to replace this file/;

describe('a file at the path of the results file', () => {
  it.each(['qr create', 'qr delete', 'qr update'])(
    'is replaced by %s only with --overwrite if it is not a results file',
    async (command) => {
      const { sandbox, qr, write, read } = await useWork();
      const notes = 'name,notes\nmenu,call the printer\n';
      await write(
        'rows.csv',
        command === 'qr create' ? 'name,type\nmenu,sms\n' : `id,name\n${sandbox.codeId(0)},x\n`,
      );
      await write('notes.csv', notes);
      const run = (...more: string[]) =>
        qr(...command.split(' ').slice(1), '--from', 'rows.csv', '--results', 'notes.csv', ...more, ...yes);
      const yes = command === 'qr delete' ? ['--yes'] : [];
      const refused = await run();
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('cannot write notes.csv: it is not a results file');
      expect(refused.stderr).toMatch(BOTH_WAYS);
      expect([sandbox.requests.length, await read('notes.csv')]).toEqual([0, notes]);
      expect(await run('--overwrite')).toMatchObject({ code: 0 });
      expect(await read('notes.csv')).toContain('outcome');
    },
  );

  it("is replaced if it is empty, and leads to exit code 2 if it can't be read", async () => {
    const { cwd, qr, write } = await useWork();
    await write('codes.csv', 'name,type\nmenu,sms\n');
    await write('empty.csv', '');
    expect(await qr('create', '--from', 'codes.csv', '--results', 'empty.csv')).toMatchObject({ code: 0 });
    expect((await stat(join(cwd, 'empty.csv'))).size).toBeGreaterThan(0);
    await write('empty.csv', 'name,id\n"torn');
    const refused = await qr('create', '--from', 'codes.csv', '--results', 'empty.csv');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('empty.csv') });
  });
});
