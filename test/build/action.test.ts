/** The action: what it gives to bash is what the workflow wrote, argument by argument, and nothing of it is evaluated. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const action = readFileSync(join(root, 'action.yml'), 'utf8');
/** The last step: all that is indented below its `run: |`. */
const script = action.slice(action.lastIndexOf('run: |') + 'run: |'.length).replace(/^ {8}/gm, '');

/** Output in which the runner obeys no workflow command. */
const STOPPED = /^::stop-commands::(?<token>[0-9a-f]{32})\n(?<output>[\s\S]*)\n::\k<token>::\n$/;

/** Prints its arguments, or says something and prints nothing. */
const QRCTL = `#!/bin/sh
printf '%s\\n' "$QRCTL_TEST_SAYS" >&2
[ -n "$QRCTL_TEST_SAYS" ] || printf "[%s]" "$@"
exit "$QRCTL_TEST_END"
`;

/** Runs the step with a `qrctl` that prints its arguments, each in brackets. */
async function runStep(command: string, more: Record<string, string> = {}) {
  const directory = await useDirectory();
  writeFileSync(join(directory, 'qrctl'), QRCTL, { mode: 0o755 });
  const output = join(directory, 'output');
  const env = {
    PATH: `${directory}${delimiter}${process.env.PATH}`,
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: join(directory, 'summary'),
    QRCTL_ARGUMENTS: command,
    QRCTL_PLAN: '',
    QRCTL_APPLY: '',
    QRCTL_API_KEY: 'svc_live_secret',
    QRCTL_TEST_SAYS: '',
    QRCTL_TEST_END: command.includes('verify') ? '8' : '0',
    ...more,
  };
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
    {
      env,
      cwd: directory,
    },
  );
  const told = existsSync(output) ? readFileSync(output, 'utf8') : '';
  const summary = existsSync(join(directory, 'summary'))
    ? readFileSync(join(directory, 'summary'), 'utf8')
    : '';
  const printed = STOPPED.exec(String(stdout))?.groups?.output ?? String(stdout);
  return {
    status,
    stdout: printed,
    stderr: String(stderr),
    token: STOPPED.exec(String(stdout))?.groups?.token,
    told,
    summary,
    made: readdirSync(directory),
  };
}

describe('the input `command`', () => {
  test('passes each non-empty line as one argument, even if the line contains shell syntax', async () => {
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

  test.each(['', '\n', 'scans export --all -o scans.csv'])(
    'is refused with a hint if it is %j',
    async (command) => {
      const { status, stdout } = await runStep(command);
      expect(status).toBe(2);
      expect(stdout).toMatch(/^::error::.*one argument per line/);
    },
  );

  test('makes the step exit with the exit code of qrctl', async () => {
    expect(await runStep('scans\nverify')).toMatchObject({ status: 8, told: 'exit-code=8\n' });
  });

  test('makes the step print output between random tokens, so the runner executes no workflow command in it', async () => {
    const command = 'qr\nlist\n::error::forged\n::add-mask::x';
    const [one, other] = [await runStep(command), await runStep(command)];
    expect(one.token).toBeDefined();
    expect(one.stdout).toBe('[qr][list][::error::forged][::add-mask::x]');
    expect(one.token).not.toBe(other.token);
  });
});

describe('a step with the input `plan` or `apply`', () => {
  test('passes on a file name and one argument per line, and writes the output to the job summary', async () => {
    const file = 'my $(touch owned).csv\n--key\nSKU `x`\n';
    const plan = await runStep('', { QRCTL_PLAN: file });
    const printed =
      '[qr][apply][--dry-run][--exit-code][--format][markdown][--from][my $(touch owned).csv][--key][SKU `x`]';
    expect(plan).toMatchObject({ status: 0, stdout: printed, summary: printed, told: 'exit-code=0\n' });
    const apply = await runStep('', { QRCTL_APPLY: 'codes.csv', QRCTL_TEST_END: '9' });
    const applied = '[qr][apply][--format][markdown][--from][codes.csv]';
    expect(apply).toMatchObject({ status: 9, stdout: applied, summary: applied, told: 'exit-code=9\n' });
    expect([...plan.made, ...apply.made]).not.toContain('owned');
  });

  test('only checks the file if its input is `plan` and there is no key, as in a pull request from a fork', async () => {
    const { stdout } = await runStep('', { QRCTL_PLAN: 'codes.csv', QRCTL_API_KEY: '' });
    expect(stdout).toBe('[qr][apply][--offline][--from][codes.csv]');
  });

  test.each([
    [0, 0],
    [8, 0],
    [9, 9],
    [2, 2],
  ])("turns qrctl's exit code %i into %i for `plan`, and keeps it for `apply`", async (end, status) => {
    const plan = await runStep('', { QRCTL_PLAN: 'codes.csv', QRCTL_TEST_END: String(end) });
    expect(plan).toMatchObject({ status, told: `exit-code=${end}\n` });
    expect((await runStep('', { QRCTL_APPLY: 'codes.csv', QRCTL_TEST_END: String(end) })).status).toBe(end);
  });

  test('writes the messages to the job summary as code if the command prints no output', async () => {
    const says =
      '::error file=codes.csv,line=2::is empty\nqrctl: codes.csv has 1 fault:\n  line 2: <b>is empty</b>\n```';
    const { status, stdout, stderr, summary } = await runStep('', {
      QRCTL_APPLY: 'codes.csv',
      QRCTL_TEST_SAYS: says,
      QRCTL_TEST_END: '2',
    });
    expect([status, stdout, stderr]).toEqual([2, '', `${says}\n`]);
    expect(summary).toBe('    qrctl: codes.csv has 1 fault:\n      line 2: <b>is empty</b>\n    ```\n');
  });

  test("can't also have the input `command`", async () => {
    const { status, stdout } = await runStep('scans\nexport', { QRCTL_PLAN: 'codes.csv' });
    expect([status, stdout]).toEqual([2, expect.stringMatching(/^::error::.*only one/)]);
  });
});

describe('in the files for GitHub Actions,', () => {
  const workflows = readdirSync(join(root, '.github/workflows')).map((name) =>
    join('.github/workflows', name),
  );

  test.each([...workflows, 'action.yml'])('%s pins each action to a commit', (path) => {
    const used = readFileSync(join(root, path), 'utf8').match(/uses: .*/g) ?? [];
    expect(used.length).toBeGreaterThan(0);
    for (const line of used) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  const texts = [...workflows, 'action.yml', 'Containerfile'].map(
    (path) => [path, readFileSync(join(root, path), 'utf8')] as const,
  );

  test.each(texts)('%s runs no install scripts from packages', (_, text) => {
    const installs = text.match(/npm (?:ci|install) .*/g) ?? [];
    for (const line of installs) expect(line).toContain('--ignore-scripts');
    expect(text).not.toMatch(/npm (?:ci|install)$/m);
  });

  test.each(texts.slice(0, workflows.length))(
    '%s keeps no token in a checkout, and sets a timeout for each job',
    (_, text) => {
      for (const [, next = ''] of text.matchAll(/uses: actions\/checkout@.*\n((?:.*\n){2})/g))
        expect(next).toContain('persist-credentials: false');
      expect(text.match(/^ {4}timeout-minutes: /gm)).toHaveLength(
        text.match(/^ {4}runs-on: /gm)?.length ?? 0,
      );
    },
  );

  test('the workflow in docs/apply.md keeps no token in the checkout for its plan', () => {
    const guide = readFileSync(join(root, 'docs/apply.md'), 'utf8');
    expect(/^ {2}plan:\n[\s\S]*?^ {2}apply:$/m.exec(guide)?.[0]).toContain('persist-credentials: false');
  });

  test('a release is tested and built with read access only, and published without npm or a checkout', () => {
    const release = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
    const [, tests = '', publishing = ''] =
      /^jobs:\n([\s\S]*?)^ {2}release:\n([\s\S]*)$/m.exec(release) ?? [];
    expect(release).toMatch(/^permissions:\n {2}contents: read\n/m);
    expect(tests).toContain('npm test');
    expect(tests).toContain('npm run release');
    expect(tests).not.toMatch(/permissions|secrets|token/);
    expect(publishing).toMatch(/needs: \[test, build\]/);
    expect(publishing).not.toMatch(/actions\/checkout|npm (?:test|ci|install|run|pack)|npx/);
  });
});
