/** In GitHub Actions, rows that fail are annotations at their lines, and no value of a file or of the service is a workflow command. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { describe, expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { HOSTILE } from '../support/hostile-strings.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';
import { COMMANDS, commandsIn } from '../support/workflow-runner.ts';

const TYPO = '00000000-0000-4000-8000-000000000000';

async function useWorkflow(files: Readonly<Record<string, string>>) {
  const workspace = await useDirectory();
  const cwd = join(workspace, 'menus');
  await mkdir(cwd);
  for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content);
  const sandbox = await useSandbox({ codes: 3 });
  const env = { ...sandbox.env, GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: workspace, CI: 'true' };
  const run = async (args: string[], more: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await runByDay(args, { cwd, env: { ...env, ...more } });
    return { code, stdout, stderr, commands: commandsIn(stderr) };
  };
  return { run, sandbox };
}

const at = (file: string, line: number) => ({
  command: 'error',
  properties: { file: `menus/${file}`, line: String(line) },
});

test('invalid rows are reported as annotations at their lines by qr create, check, image, update and apply, and only in GitHub Actions', async () => {
  const { run } = await useWorkflow({
    'new.csv':
      'name,type,destination\nLunch,url,https://example.com\n,menu,https://example.com\nTea,nope,https://example.com\n',
    'codes.csv': 'slug,name\nspring-menu,\nno-such-code,Tea\n',
    'names.csv': 'slug\nspring-menu\nno-such-code\n',
    'keys.csv': 'key,name,type,destination\na,A,menu,https://example.com\na,B,menu,https://example.com\n',
  });
  const created = await run(['qr', 'create', '--from', 'new.csv']);
  expect(created.code).toBe(2);
  expect(created.commands).toMatchObject([at('new.csv', 3), at('new.csv', 4)]);
  expect(created.commands[1]?.data).toContain('column type');
  for (const args of [
    ['qr', 'check'],
    ['qr', 'image', '--output-dir', 'out', '--short-url', 'https://go.example/{slug}'],
  ]) {
    const { code, commands } = await run([...args, '--from', 'names.csv']);
    expect({ code, commands }, args.join(' ')).toMatchObject({ code: 2, commands: [at('names.csv', 3)] });
  }
  const updated = await run(['qr', 'update', '--from', 'codes.csv']);
  expect(updated.commands).toMatchObject([at('codes.csv', 3)]);
  expect(updated.commands[0]?.data).toContain('no-such-code');
  expect((await run(['qr', 'apply', '--from', 'keys.csv', '--dry-run'])).commands).toMatchObject([
    at('keys.csv', 3),
  ]);
  expect((await run(['qr', 'create', '--from', 'new.csv'], { GITHUB_ACTIONS: '' })).commands).toEqual([]);
});

test('rows that fail during a run are also reported as annotations', async () => {
  const { run, sandbox } = await useWorkflow({
    'codes.csv': `id,name\n${TYPO},Tea\n`,
    'dead.csv': 'slug\nspring-menu\n',
  });
  const updated = await run(['qr', 'update', '--from', 'codes.csv']);
  expect(updated.code).not.toBe(0);
  expect(updated.commands).toMatchObject([at('codes.csv', 2)]);
  const [code] = [...sandbox.workspace.codes()].filter(({ slug }) => slug === 'spring-menu');
  sandbox.workspace.update(code?.id ?? '', { destination: 'https://' });
  const checked = await run(['qr', 'check', '--from', 'dead.csv']);
  expect(checked.code).toBe(8);
  expect(checked.commands).toMatchObject([at('dead.csv', 2)]);
  expect(checked.commands[0]?.data).toMatch(/^broken: /);
});

test("rows whose images can't be decoded are reported as annotations, each at its own line", async () => {
  const { run, sandbox } = await useWorkflow({ 'menus.csv': 'slug\nsummer-menu\nspring-menu\n' });
  expect([...sandbox.workspace.codes()].map(({ slug }) => slug)).toContain('summer-menu');
  const image = ['qr', 'image', '--from', 'menus.csv', '--short-url', 'https://go.example/{slug}'];
  const drawn = await run([...image, '--output-dir', 'out', '--force', '--color', '#fff']);
  expect(drawn).toMatchObject({
    code: 8,
    commands: [2, 3].map((line) => ({ ...at('menus.csv', line), data: 'the code cannot be decoded' })),
  });
  expect(drawn.stderr).toContain(
    'qrctl: 2 of 2 images failed verification\n' +
      `  hint: See the reasons in ${join('out', 'manifest.csv')}, and try another --ecc or --size.\n`,
  );
});

describe('untrusted values inject no workflow commands', () => {
  const values = [...COMMANDS, ...Object.values(HOSTILE)];

  test('if they are in a file, in its name, or in an argument', async () => {
    const name = 'a,line=9::##[error].csv';
    const rows = values.map((value) => ({ name: value, type: value, destination: value }));
    const { run } = await useWorkflow({
      [name]: stringify(
        rows.map(({ name, type, destination }) => ({ name, type, destination })),
        { header: true },
      ),
    });
    for (const args of [
      ['qr', 'create', '--from', name],
      ['qr', 'create', '--from', name, '--format', 'json'],
      ['qr', 'apply', '--key', 'name', '--offline', '--from', name],
      ['qr', 'get', '::error::a'],
      ['qr', 'list', '--status', '\n::error::a'],
      ['::add-mask::a'],
    ]) {
      const { code, commands } = await run(args);
      expect(code, args.join(' ')).not.toBe(0);
      expect(commands.length).toBeLessThanOrEqual(10);
      for (const { command, properties, data } of commands) {
        expect(command).toBe('error');
        if (!data.endsWith('with errors'))
          expect(properties.file).toBe('menus/a%2Cline=9%3A%3A##[error].csv');
      }
    }
  });

  test('if the service returns them, and they are printed in a table', async () => {
    const { run, sandbox } = await useWorkflow({});
    for (const [at, code] of [...sandbox.workspace.codes()].entries()) {
      sandbox.workspace.update(code.id, { name: COMMANDS[at] ?? '', destination: COMMANDS[at + 3] ?? '' });
    }
    const listed = await run(['qr', 'list', '--format', 'table', '--fields', 'name,destination']);
    expect(listed).toMatchObject({ code: 0, commands: [] });
    expect(commandsIn(listed.stdout)).toEqual([]);
    const shown = await run(['qr', 'delete', '--all', '--dry-run', '--format', 'table', '--fields', 'name']);
    expect(commandsIn(shown.stdout + shown.stderr)).toEqual([]);
  });
});
