/** The action: what it gives to bash is what the workflow wrote, argument by argument, and nothing of it is evaluated. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';

const root = new URL('../../', import.meta.url).pathname;
const action = readFileSync(join(root, 'action.yml'), 'utf8');
/** The last step: all that is indented below its `run: |`. */
const script = action.slice(action.lastIndexOf('run: |') + 'run: |'.length).replace(/^ {8}/gm, '');

/** Runs the step with a `qrctl` that prints its arguments, each in brackets. */
async function runStep(command: string) {
  const directory = await useDirectory();
  writeFileSync(join(directory, 'qrctl'), '#!/bin/sh\nprintf "[%s]" "$@"\nexit "$QRCTL_TEST_END"\n', { mode: 0o755 });
  const output = join(directory, 'output');
  const env = {
    PATH: `${directory}${delimiter}${process.env.PATH}`,
    GITHUB_OUTPUT: output,
    QRCTL_ARGUMENTS: command,
    QRCTL_API_KEY: 'svc_live_secret',
    QRCTL_TEST_END: command.includes('verify') ? '8' : '0',
  };
  const { status, stdout } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    env,
    cwd: directory,
  });
  const told = existsSync(output) ? readFileSync(output, 'utf8') : '';
  return { status, stdout: String(stdout), told, made: readdirSync(directory) };
}

describe('the input command', () => {
  test('is one argument per line, whatever is in it', async () => {
    const hostile = [
      '$(touch owned)',
      '`touch owned`',
      '"; touch owned; "',
      "it's",
      '$QRCTL_API_KEY',
      '*',
      '-o',
      'a b.csv',
      '\\',
    ];
    const { status, stdout, told, made } = await runStep(`scans\r\nexport\n\n${hostile.join('\n')}\n`);
    expect(status).toBe(0);
    expect(stdout).toBe(`[scans][export]${hostile.map((text) => `[${text}]`).join('')}`);
    expect(told).toBe('exit-code=0\n');
    expect(made).not.toContain('owned');
  });

  test.each(['', '\n', 'scans export --all -o scans.csv'])('%j ends with what to do', async (command) => {
    const { status, stdout } = await runStep(command);
    expect(status).toBe(2);
    expect(stdout).toMatch(/^::error::.*one argument per line/);
  });

  test('passes on the exit code', async () => {
    expect(await runStep('scans\nverify')).toMatchObject({ status: 8, told: 'exit-code=8\n' });
  });
});

describe('workflows', () => {
  const workflows = readdirSync(join(root, '.github/workflows')).map((name) => join('.github/workflows', name));

  test.each([...workflows, 'action.yml'])('%s pins each action by its commit', (path) => {
    const used = readFileSync(join(root, path), 'utf8').match(/uses: .*/g) ?? [];
    expect(used.length).toBeGreaterThan(0);
    for (const line of used) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('a release is tested without a right to write', () => {
    const release = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
    const [, tests = '', publishing = ''] = /^jobs:\n([\s\S]*?)^ {2}release:\n([\s\S]*)$/m.exec(release) ?? [];
    expect(release).toMatch(/^permissions:\n {2}contents: read\n/m);
    expect(tests).toContain('npm test');
    expect(tests).not.toMatch(/permissions|secrets|token/);
    expect(publishing).toMatch(/needs: test/);
    expect(publishing).not.toMatch(/npm test/);
  });
});
