/** The completion scripts in the real shells, with the built command behind them and a sandbox behind that. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox';
import { firstRows, SOAK } from '../../support/property-runs.ts';

const COMPLETIONS = fileURLToPath(new URL('../../../completions/', import.meta.url));
const BIN = process.env.QRCTL_TEST_BIN ?? fileURLToPath(new URL('../../../bin/qrctl.js', import.meta.url));

/** A name that must reach no shell unquoted. */
const ODD = 'odd $(touch oops)';

let directory: string;
let env: Record<string, string>;
let sandbox: Sandbox;
/** A slug, and enough of it to be the only one. */
let slug: string;
let start: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'qrctl-shells-'));
  const config = join(directory, 'config');
  mkdirSync(join(directory, 'bin'));
  symlinkSync(BIN, join(directory, 'bin', 'qrctl'));
  mkdirSync(join(directory, 'files', 'folder one'), { recursive: true });
  writeFileSync(join(directory, 'files', 'codes one.csv'), '');
  sandbox = await startSandbox({ codes: 5, scans: 1 });
  sandbox.workspace.put({ name: ODD, slug: 'odd-code' });
  const slugs = sandbox.workspace.codes().map((code) => code.slug);
  slug = slugs[0] ?? '';
  start =
    [...slug]
      .map((_, i) => slug.slice(0, i + 1))
      .find((part) => slugs.filter((other) => other.startsWith(part)).length === 1) ?? slug;
  mkdirSync(config, { mode: 0o700 });
  const { baseUrl, apiKey } = sandbox;
  const work = { baseUrl, apiKey, keyBaseUrl: baseUrl };
  writeFileSync(
    join(config, 'config.json'),
    JSON.stringify({ version: 1, current: 'work', profiles: { work, [ODD]: work } }),
    {
      mode: 0o600,
    },
  );
  env = {
    PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
    HOME: directory,
    TERM: 'xterm',
    LANG: 'C.UTF-8',
    QRCTL_CONFIG_DIR: config,
  };
});

afterAll(async () => {
  expect(existsSync(join(directory, 'files', 'oops'))).toBe(false);
  await sandbox.close();
  // What a shell left to run may still write there.
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

function has(...commands: string[]): boolean {
  return commands.every((command) => spawnSync(command, ['--version']).error === undefined);
}

/** Types each line and Tab into an interactive shell; gives what the line became. */
async function type(
  shell: string[],
  setup: string[],
  lines: string[],
  tabs = 1,
): Promise<{ line: string; screen: string }[]> {
  const script = fileURLToPath(new URL('shell-session.py', import.meta.url));
  return JSON.parse(await run('python3', [script], JSON.stringify({ shell, setup, lines, tabs })));
}

function run(command: string, args: string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env,
      cwd: join(directory, 'files'),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child
      .on('error', reject)
      .on('close', (code) =>
        code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}`)),
      );
    child.stdin.end(input);
  });
}

/** What each line becomes by one Tab, in bash and zsh alike but for how they quote. By day one of them. */
function cases(): readonly (readonly [typed: string, becomes: string])[] {
  const { baseUrl } = sandbox;
  return firstRows<readonly [string, string]>(1, [
    [`qrctl qr get ${start}`, `qrctl qr get ${slug} `],
    ['qrctl sc', 'qrctl scans '],
    ['qrctl -q --concurrency 3 qr li', 'qrctl -q --concurrency 3 qr list '],
    ['qrctl qr list --stat', 'qrctl qr list --status '],
    ['qrctl qr list --status pau', 'qrctl qr list --status paused '],
    ['qrctl qr list --status=pau', 'qrctl qr list --status=paused '],
    ['qrctl qr frobnicate --stat', 'qrctl qr frobnicate --stat'],
    [`qrctl --base-url ${baseUrl} qr get ${start}`, `qrctl --base-url ${baseUrl} qr get ${slug} `],
    ['qrctl --profile=w', 'qrctl --profile=work '],
    ['qrctl --profile od', 'qrctl --profile odd\\ \\$\\(touch\\ oops\\) '],
    ['qrctl config set timez', 'qrctl config set timezone '],
    ['qrctl qr create --from cod', 'qrctl qr create --from codes\\ one.csv '],
    ['qrctl qr create --from=cod', 'qrctl qr create --from=codes\\ one.csv '],
    ['qrctl scans export --output-dir fol', 'qrctl scans export --output-dir folder\\ one/'],
    ["qrctl qr create --name 'a b' --templ", "qrctl qr create --name 'a b' --template "],
    ['qrctl config path x', 'qrctl config path x'],
    ['qrctl qr get $(touch oops)', 'qrctl qr get $(touch oops)'],
  ]);
}

describe.skipIf(!has('bash', 'python3'))('bash', () => {
  const setup = [
    "PS1='$ '; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; bind 'set completion-query-items 0'",
    `bind -x '"\\C-x\\C-p": printf "<<<%s>>>" "$READLINE_LINE"; READLINE_LINE='`,
    `source '${COMPLETIONS}qrctl.bash'`,
  ];
  const shell = ['bash', '--norc', '--noprofile', '-i'];

  test('completes commands, flags, values, codes and files', async () => {
    const results = await type(
      shell,
      setup,
      cases().map(([typed]) => typed),
    );
    expect(results.map(({ line }) => line)).toEqual(cases().map(([, becomes]) => becomes));
  });

  test.runIf(SOAK)('lists codes with their names after a second Tab', async () => {
    const [result] = await type(shell, setup, ['qrctl qr get '], 2);
    for (const code of sandbox.workspace.codes())
      expect(result?.screen).toContain(`${code.slug}  (${code.name.slice(0, 5)}`);
  });

  test('gets a completion script without features such as mapfile that bash on macOS lacks', () => {
    const script = spawnSync('cat', [`${COMPLETIONS}qrctl.bash`]).stdout.toString();
    expect(script).not.toMatch(/mapfile|readarray|declare -A|local -n|\[-1\]|\^\^|,,\}|compgen -W/);
  });
});

describe.skipIf(!has('zsh', 'python3'))('zsh', () => {
  const setup = [
    `PS1='$ '; fpath=('${COMPLETIONS}' $fpath); autoload -U compinit; compinit -D -u; unset zle_bracketed_paste; setopt no_beep; LISTMAX=0`,
    `bindkey '^I' complete-word; dump-line() { zle -I; print -rn -- "<<<$BUFFER>>>"; BUFFER= }; zle -N dump-line; bindkey '^X^P' dump-line`,
  ];
  const shell = ['zsh', '-f', '-i'];

  test('completes commands, flags, values, codes and files', async () => {
    const results = await type(
      shell,
      setup,
      cases().map(([typed]) => typed),
    );
    expect(results.map(({ line }) => line)).toEqual(cases().map(([, becomes]) => becomes));
  });

  test.runIf(SOAK)(
    'lists codes with their names, and commands with their summaries, after a second Tab',
    async () => {
      const [codes, commands] = await type(shell, setup, ['qrctl qr get ', 'qrctl '], 2);
      // zsh pads the slugs to the longest of them.
      const shown = codes?.screen.replaceAll(/ +-- /g, ' -- ');
      for (const code of sandbox.workspace.codes())
        expect(shown).toContain(`${code.slug} -- ${code.name.slice(0, 5)}`);
      expect(commands?.screen).toMatch(/scans +-- \w/);
    },
  );
});

describe.skipIf(!has('fish'))('fish', () => {
  /** The candidates for a line, each with its description behind a tab. */
  async function candidates(lines: string[]): Promise<string[][]> {
    const asked = lines.map((line) => `complete -C '${line}'; echo ---`).join('; ');
    const output = await run('fish', ['-N', '-c', `source '${COMPLETIONS}qrctl.fish'; ${asked}`]);
    return output
      .split('---\n')
      .slice(0, -1)
      .map((part) => part.split('\n').slice(0, -1));
  }

  test('completes commands, flags and values', async () => {
    const lines = firstRows(1, [
      ['qrctl -q --concurrency 3 qr li', ['list']],
      ['qrctl qr list --status ', ['active', 'expired', 'paused']],
      ['qrctl qr list --status=pau', ['--status=paused']],
      ['qrctl config path ', []],
      ['qrctl qr list --stat', ['--status']],
    ]);
    const found = await candidates(lines.map(([line]) => line as string));
    expect(found.map((rows) => rows.map((row) => row.split('\t')[0]))).toEqual(
      lines.map(([, values]) => values),
    );
  });

  test.runIf(SOAK)('completes profiles, codes and files', async () => {
    const { baseUrl } = sandbox;
    const name = [...(sandbox.workspace.codes()[0]?.name ?? '')].slice(0, 5).join('');
    const [profiles, codes, elsewhere, files, directories, joined] = await candidates([
      'qrctl --profile ',
      `qrctl qr get ${start}`,
      `qrctl --base-url ${baseUrl} scans export --all ${start}`,
      'qrctl qr create --from cod',
      'qrctl scans export --output-dir fol',
      'qrctl qr create --from=cod',
    ]);
    expect(profiles).toEqual([`${ODD}\t${baseUrl}`, `work\t${baseUrl}`]);
    expect(codes).toEqual([expect.stringContaining(`${slug}\t${name}`)]);
    expect(elsewhere).toEqual(codes);
    expect(files).toEqual([expect.stringContaining('codes one.csv')]);
    expect(directories).toEqual([expect.stringContaining('folder one/')]);
    expect(joined).toEqual([expect.stringContaining('--from=codes one.csv')]);
  });
});
