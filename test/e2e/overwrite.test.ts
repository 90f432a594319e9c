/** Files that a run replaces only with `--overwrite`: a template that may be filled in, and the results of another command. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

async function useWork() {
  const sandbox = await useSandbox({ codes: 3, scans: 5 });
  const cwd = await useDirectory();
  return {
    sandbox,
    cwd,
    qr: (...args: string[]) => runByDay(['qr', ...args], { cwd, env: sandbox.env }),
    write: (name: string, text: string) => writeFile(join(cwd, name), text),
    read: (name: string) => readFile(join(cwd, name), 'utf8'),
  };
}

describe('qr create --template', () => {
  it.each(['menus.csv', 'menus.xlsx'])('keeps a %s that exists, unless --overwrite is given', async (name) => {
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
  });

  it('prints to standard output and devices as ever', async () => {
    const { qr } = await useWork();
    expect(await qr('create', '--template', '-o', '-')).toMatchObject({ code: 0, stdout: 'name,type,destination\n' });
    expect(await qr('create', '--template', '-o', '/dev/null')).toMatchObject({ code: 0 });
  });
});

const BOTH_WAYS = /Specify a different file with --results, or add --overwrite to replace this file/;

describe('the results of another command', () => {
  it('stay where qr update would replace those of qr create', async () => {
    const { sandbox, qr, write, read } = await useWork();
    await write('codes.csv', 'name,destination\nmenu,https://example.com/a\n');
    expect(await qr('create', '--from', 'codes.csv')).toMatchObject({ code: 0 });
    const created = await read('codes.results.csv');
    await write('codes.csv', `id,name\n${sandbox.codeId(0)},changed\n`);
    const asked = sandbox.requests.length;
    const refused = await qr('update', '--from', 'codes.csv');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('cannot write codes.results.csv: it holds the results of `qr create`');
    expect(refused.stderr).toMatch(BOTH_WAYS);
    expect([sandbox.requests.length, await read('codes.results.csv')]).toEqual([asked, created]);
    // A dry run writes nothing, and so refuses nothing.
    expect(await qr('update', '--from', 'codes.csv', '--dry-run')).toMatchObject({ code: 0 });
    expect(await qr('update', '--from', 'codes.csv', '--results', 'other.csv')).toMatchObject({ code: 0 });
    expect(await qr('update', '--from', 'codes.csv', '--overwrite')).toMatchObject({ code: 0 });
    expect(await read('codes.results.csv')).toContain(',unchanged,');
  });

  it.each([
    ['qr update', 'id,slug,outcome,error\n1,a,updated,\n'],
    ['qr delete', 'id,slug,outcome,error\n1,a,deleted,\n2,b,failed,no such code\n'],
    ['qr update --due', 'id,slug,outcome,error\n1,a,unchanged,\n1,a,later,\n'],
  ])('stay where qr create would replace those of %s', async (command, text) => {
    const { sandbox, qr, write, read } = await useWork();
    await write('codes.csv', 'name,type\nmenu,sms\n');
    await write('codes.results.csv', text);
    const refused = await qr('create', '--from', 'codes.csv');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`it holds the results of \`${command}\``) });
    expect(refused.stderr).toMatch(BOTH_WAYS);
    expect([sandbox.requests.length, await read('codes.results.csv')]).toEqual([0, text]);
    expect(await qr('create', '--from', 'codes.csv', '--overwrite')).toMatchObject({ code: 0 });
    expect(await read('codes.results.csv')).toContain(',created,');
  });

  it('stay where their journal is beside them: --overwrite is not proposed, and does not help', async () => {
    const { sandbox, qr, write } = await useWork();
    await write('list.csv', `id\n${sandbox.codeId(0)}\n`);
    expect(await qr('delete', '--from', 'list.csv', '--yes')).toMatchObject({ code: 0 });
    await write('list.csv', 'name,type\nmenu,sms\n');
    for (const more of [[], ['--overwrite']]) {
      const refused = await qr('create', '--from', 'list.csv', ...more);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('it holds the results of `qr delete`');
      expect(refused.stderr).toContain('Specify a different file with --results');
      expect(refused.stderr).not.toContain('--overwrite');
    }
  });

  it.each(['qr create', 'qr delete', 'qr update'])('%s keeps a file that is not a results file', async (command) => {
    const { sandbox, qr, write, read } = await useWork();
    const notes = 'name,notes\nmenu,call the printer\n';
    await write('rows.csv', command === 'qr create' ? 'name,type\nmenu,sms\n' : `id,name\n${sandbox.codeId(0)},x\n`);
    await write('notes.csv', notes);
    const run = (...more: string[]) =>
      qr(...command.split(' ').slice(1), '--from', 'rows.csv', '--results', 'notes.csv', ...more, ...yes);
    const yes = command === 'qr delete' ? ['--yes'] : [];
    const refused = await run();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`cannot write notes.csv: it is not a results file of \`${command}\``);
    expect(refused.stderr).toMatch(BOTH_WAYS);
    expect([sandbox.requests.length, await read('notes.csv')]).toEqual([0, notes]);
    expect(await run('--overwrite')).toMatchObject({ code: 0 });
    expect(await read('notes.csv')).toContain('outcome');
  });

  it('an empty file is nobody’s, and of one that cannot be read qr create says what O22 says', async () => {
    const { cwd, qr, write } = await useWork();
    await write('codes.csv', 'name,type\nmenu,sms\n');
    await write('empty.csv', '');
    expect(await qr('create', '--from', 'codes.csv', '--results', 'empty.csv')).toMatchObject({ code: 0 });
    expect((await stat(join(cwd, 'empty.csv'))).size).toBeGreaterThan(0);
    await rm(join(cwd, 'empty.csv.journal'));
    await write('empty.csv', 'name,id\n"torn');
    const refused = await qr('create', '--from', 'codes.csv', '--results', 'empty.csv', '--overwrite');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot read the results') });
  });
});

it('a second run of the same command replaces its own results, and qr update says whose it replaced', async () => {
  const { sandbox, qr, write } = await useWork();
  const [a, b] = [sandbox.codeId(0), sandbox.codeId(1)];
  await write('sale.csv', `id,name\n${a},one\n${b},two\n`);
  const first = await qr('update', '--from', 'sale.csv');
  expect(first.code).toBe(0);
  expect(first.stderr).not.toContain('Replaced');
  const second = await qr('update', '--from', 'sale.csv');
  expect(second).toMatchObject({ code: 0 });
  expect(second.stderr).toContain('Replaced the results of an earlier run in sale.results.csv: 2 updated');
});
