/** `qrctl help --json`: one document that agrees with its schema, with completion, and with what commands print. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { candidatesFor } from '#cli/completion';
import { createReference, formatReference } from '#cli/help/reference';
import { TOPICS } from '#cli/help/topics';
import { loadManual } from '#cli/manual';
import { leaves } from '#cli/tree';
import { argv } from '../../support/argv.ts';
import { runCli, useDirectory } from '../../support/cli.ts';
import { ROOT } from '../../support/documents.ts';
import { runHere } from '../../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../../support/sandbox.ts';

const manual = await loadManual('1.2.3');
const reference = createReference(manual);

test('qrctl help --json prints a JSON document that matches its schema', async () => {
  const { code, stdout } = await runCli(['help', '--json']);
  expect(code).toBe(0);
  const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  const document = JSON.parse(stdout);
  expect(document).toEqual({ ...JSON.parse(formatReference(manual)), qrctl: version });
  const schema = JSON.parse(readFileSync(new URL('docs/help.schema.json', ROOT), 'utf8'));
  const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(schema);
  expect([validate(document), validate.errors]).toEqual([true, null]);
  expect(validate({ ...document, version: 2 })).toBe(false);
});

test('qrctl help --json exits with 2 if a command, a topic or a group is passed', async () => {
  for (const words of [
    ['help', 'qr', '--json'],
    ['help', '--json', 'exit-codes'],
    ['qr', 'help', '--json'],
  ]) {
    const { code, stderr } = await runHere(words);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("--json can't be used with a command or a topic"),
    ]);
  }
});

test('the reference contains each command once, followed by `help`', () => {
  const names = [...leaves()].map((path) => path.names.join(' '));
  expect(reference.commands.map(({ name }) => name)).toEqual([...names, 'help']);
});

/** Omits what most flags lack, so that a changed line shows a change of the contract. */
const lineOf = (value: unknown) =>
  JSON.stringify(value, (_, part) =>
    part === null || part === false || part?.length === 0 ? undefined : part,
  );

test('the reference contains exactly the commands, flags, columns and texts in golden/reference.txt', async () => {
  const { commands, global_flags, ...rest } = reference;
  const linesOf = (flags: readonly unknown[]) => flags.map((flag) => `  ${lineOf(flag)}`);
  const lines = [
    ...Object.entries(rest).map((entry) => lineOf(entry)),
    'global flags',
    ...linesOf(global_flags),
    ...commands.flatMap(({ flags, ...command }) => [lineOf(command), ...linesOf(flags)]),
  ];
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/reference.txt');
});

test('the help topics contain exactly the texts in golden/topics.txt', async () => {
  const lines = TOPICS.flatMap(({ name, title, blocks }) => [
    `${name}: ${title}`,
    ...blocks.map((block) => `  ${lineOf(block)}`),
  ]);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/topics.txt');
});

test('the reference has an example for each command', () => {
  for (const { name, examples } of reference.commands)
    expect(examples.map(({ command }) => command.startsWith(`qrctl ${name}`))).toContain(true);
});

describe.each(reference.commands)('the reference for $name', ({ name, flags }) => {
  const words = name.split(' ');

  test('contains exactly the flags that completion offers', async () => {
    const { values } = await candidatesFor([...words, '-']);
    if (typeof values === 'string') return expect.fail(values);
    const spelled = [...flags, ...reference.global_flags].flatMap((flag) =>
      flag.short ? [flag.short, flag.name] : [flag.name],
    );
    expect(new Set(values.map(({ word }) => word))).toEqual(new Set(spelled));
  });

  test('contains exactly the values that completion offers', async () => {
    for (const { name: flag, value, type, choices, completes } of [...flags, ...reference.global_flags]) {
      expect(value === null, flag).toBe(type === 'boolean');
      if (value === null) continue;
      const { values } = await candidatesFor([...words, flag, '']);
      if (typeof values === 'string') expect([choices, completes ?? 'none']).toEqual([[], values]);
      else expect(choices).toEqual(values.map(({ word }) => word));
    }
  });

  test('contains a default for each flag whose description states one, and for no other flag', () => {
    for (const { name: flag, description, default: fallback } of flags)
      expect(fallback !== null, flag).toBe(description.includes('default:'));
  });
});

describe('the columns in the reference', () => {
  /** A line of each kind of output, by command and condition. */
  const LINES: Record<string, string[][]> = {
    'qr list': [['qr', 'list']],
    'qr get': [['qr', 'get', 'spring-menu']],
    'qr create': [
      ['qr', 'create', '--name', 'One', '--type', 'sms'],
      ['qr', 'create', '--from', 'codes.csv'],
      ['qr', 'create', '--from', 'more.csv', '--dry-run'],
      ['qr', 'create', '--from', 'more.csv', '--dry-run', '-f', 'ndjson'],
      ['qr', 'create', '--template'],
    ],
    'qr update': [
      ['qr', 'update', 'spring-menu', '--name', 'New'],
      ['qr', 'update', 'spring-menu', 'summer-menu', '--status', 'paused'],
      ['qr', 'update', '--from', 'changes.csv'],
      ['qr', 'update', '--from', 'changes.csv', '--dry-run'],
      ['qr', 'update', '--from', 'changes.csv', '--dry-run', '-f', 'ndjson'],
      ['qr', 'update', '--from', 'dated.csv', '--due', '--dry-run'],
    ],
    'qr delete': [
      ['qr', 'delete', 'spring-menu', '--yes'],
      ['qr', 'delete', '--from', 'changes.csv', '--results', 'deleted.csv', '--yes'],
      ['qr', 'delete', 'summer-menu', '--dry-run'],
    ],
    'qr undo': [
      ['qr', 'undo', '--ledger', 'runs.jsonl'],
      ['qr', 'undo', '--ledger', 'other-runs.jsonl', '--dry-run'],
      ['qr', 'undo', '--ledger', 'other-runs.jsonl', '--dry-run', '-f', 'ndjson'],
    ],
    'qr apply': [
      ['qr', 'apply', '--from', 'keyed.csv'],
      ['qr', 'apply', '--from', 'other.csv', '--dry-run'],
      ['qr', 'apply', '--from', 'other.csv', '--dry-run', '-f', 'ndjson'],
      ['qr', 'apply', '--init', '-o', 'all.csv', '--lock', 'all.lock.json'],
    ],
    'qr check': [['qr', 'check', '--from', 'silent.csv']],
    'qr image': [
      ['qr', 'image', 'spring-menu', '--short-url', 'https://go.example/{slug}', '--output-dir', 'images'],
      argv`qr image spring-menu --short-url https://go.example/{slug} --output-dir images --dry-run`,
      ['qr', 'image', '--sheet', 'list'],
    ],
    'scans export': [
      ['scans', 'export', 'spring-menu'],
      ['scans', 'export', '--all'],
      ['scans', 'export', '--all', '--dry-run', '-f', 'csv'],
    ],
    'scans stats': [
      ['scans', 'stats', '--all', '--by', 'country'],
      ['scans', 'stats', '--all', '--by', 'country,device'],
      ['scans', 'stats', '--all', '--dry-run'],
    ],
    'scans watch': [['scans', 'watch', '--all']],
    'scans verify': [
      ['scans', 'verify', '--all', '--input', 'scans.csv', '-f', 'csv'],
      ['scans', 'verify', '--all', '--input', 'scans.csv', '-f', 'csv', '--dry-run'],
    ],
    'scans tail': [
      ['scans', 'tail', 'spring-menu', '--since', '2020-01-01', '--max-events', '1'],
      ['scans', 'tail', '--all', '--since', '2020-01-01', '--max-events', '1'],
    ],
    'auth status': [['auth', 'status', '-f', 'csv']],
    'auth list': [['auth', 'list']],
    'config list': [['config', 'list']],
    doctor: [['doctor']],
  };
  const withColumns = reference.commands.filter(({ output }) => output.length > 0);

  test('are tested for each command that has columns', () => {
    expect(Object.keys(LINES).sort()).toEqual(withColumns.map(({ name }) => name).sort());
  });

  test.each(withColumns)('are those that $name prints', async ({ name, output }) => {
    const sandbox = await useSandbox({ codes: 4, scans: 5, limit: 100_000 });
    const lines = LINES[name] ?? [];
    const cwd = await useFiles(sandbox, lines.flat());
    expect(lines).toHaveLength(output.length);
    for (const [at, words] of lines.entries()) {
      const { columns, optional, after_input, when } = output[at] ?? expect.fail(`no output ${at}`);
      const { stdout, stderr } = await runHere(words, {
        cwd,
        env: { ...sandbox.env, QRCTL_CONFIG_DIR: join(cwd, 'config') },
      });
      const path = words.includes('--init')
        ? 'all.csv'
        : when?.includes('manifest')
          ? 'images/manifest.csv'
          : undefined;
      const text = path === undefined ? stdout : readFileSync(join(cwd, path), 'utf8');
      const header = headerOf(text).filter((column) => !optional.includes(column));
      expect(after_input ? header.slice(-columns.length) : header, `${words.join(' ')}\n${stderr}`).toEqual(
        columns,
      );
    }
  });
});

/** Names of the columns of CSV, or the keys of a JSON record. */
function headerOf(text: string): string[] {
  const [first = ''] = text.split('\n');
  return first.startsWith('{') ? Object.keys(JSON.parse(text)) : first.split(',');
}

/** Makes a directory with the files that the words of command lines name. */
async function useFiles(sandbox: TestSandbox, words: readonly string[]): Promise<string> {
  const cwd = await useDirectory();
  const id = sandbox.codeId(3);
  const files = {
    'codes.csv': 'name,type\na,sms\n',
    'more.csv': 'name,type\nb,sms\n',
    'changes.csv': `id,name\n${id},Changed\n`,
    'dated.csv': `id,name,at\n${id},Changed,2020-01-01T00:00Z\n`,
    'keyed.csv': 'key,name,type\nx,Keyed,sms\n',
    'other.csv': 'key,name,type\nx,Keyed too,sms\n',
    'first.csv': 'name,type\nFirst,sms\n',
    'second.csv': 'name,type\nSecond,sms\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  const run = (...args: string[]) => runHere(args, { cwd, env: sandbox.env });
  if (words.includes('silent.csv')) {
    // Nothing leaves this machine: the code has no destination.
    const silent = await run('qr', 'create', '--name', 'Silent', '--type', 'sms', '--ids');
    await writeFile(join(cwd, 'silent.csv'), `id\n${silent.stdout}`);
  }
  if (words.includes('runs.jsonl')) {
    await run('qr', 'create', '--from', 'first.csv', '--ledger', 'runs.jsonl');
    await run('qr', 'create', '--from', 'second.csv', '--ledger', 'other-runs.jsonl');
  }
  if (words.includes('scans.csv')) await run('scans', 'export', '--all', '-o', 'scans.csv');
  return cwd;
}
