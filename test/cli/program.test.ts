import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { UsageError } from '#base/errors';
import { TOPICS } from '#cli/help/topics';
import type { CommandPage } from '#cli/manual';
import { loadManual } from '#cli/manual';
import { interpret } from '#cli/program';
import { runCli } from '../support/cli.ts';
import { ROOT } from '../support/documents.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { commandLinesIn, splitWords } from './help/command-lines.ts';

const manual = await loadManual('1.2.3');

function read(line: string, columns = 80, color = false) {
  return interpret(splitWords(line), { version: '1.2.3', terminal: () => ({ columns, color }) });
}

async function printed(line: string, columns?: number, color?: boolean): Promise<string> {
  const invocation = await read(line, columns, color);
  return invocation.kind === 'print' ? invocation.text : expect.fail(`${line} runs a command`);
}

async function refused(line: string): Promise<{ message: string; hint: string | undefined }> {
  const invocation = await read(line);
  if (invocation.kind !== 'refuse') return expect.fail(`${line} is understood`);
  const { error } = invocation;
  if (!(error instanceof UsageError)) throw error;
  return { message: error.message, hint: error.hint };
}

function listedFlags(help: string): string[] {
  return [...help.matchAll(/^ {2}(?:-\w, | {4})(--[\w-]+)/gm)].map(([, flag = '']) => flag);
}

const nowhere = { version: '', terminal: () => ({ columns: undefined, color: false }) };

/** Flags by their names, separated by spaces. */
const flags = (names: string) => names.split(' ').map((name) => `--${name}`);

/** The contract: released names and flags change only with a major version. */
const OUTPUT = flags('format output fields no-header ids raw-cells excel delimiter');
const UTM = ['source', 'medium', 'campaign', 'term', 'content'].map((name) => `--utm-${name}`);
/** Of every verb with a file of rows, of those that may create codes, and of those that change them. */
const ROWS = flags('column from dry-run exit-code offline strict fail-fast ledger overwrite');
const CREATES = flags('adopt as-new settle');
const CHANGES = flags('conflicts max-changes force');
const CONTRACT: Record<string, string[]> = {
  'qr list': [...flags('status type name limit sort'), ...OUTPUT],
  'qr get <code>': OUTPUT,
  'qr create': [
    ...flags('name type destination template results apply-edits explain'),
    ...ROWS,
    ...CREATES,
    ...CHANGES,
    ...UTM,
    ...OUTPUT,
  ],
  'qr update [code...]': [
    ...flags('name destination status due timezone ignore-dates keep-utm results'),
    ...ROWS,
    ...CHANGES,
    ...UTM,
    ...OUTPUT,
  ],
  'qr apply': [...flags('key lock init adopt-existing removed'), ...ROWS, ...CREATES, ...CHANGES, ...OUTPUT],
  'qr image [code...]': flags(
    'output output-dir as file-names all from status type name dry-run force overwrite sheet grid label margin gap paper caption copies start outline size dpi quiet-zone ecc color background short-url',
  ),
  'qr check [code...]': [
    ...flags('from status fail-on require-utm since-last allow-private user-agent'),
    ...OUTPUT,
  ],
  'qr undo [run]': [...flags('dry-run ledger'), ...OUTPUT],
  'qr delete [code...]': [...flags('yes backup'), ...ROWS, ...OUTPUT],
  'scans export [code...]': [
    ...flags('input all since until output-dir append restart overlap timezone dry-run'),
    ...OUTPUT,
  ],
  'scans watch [code...]': [
    ...flags('all from status type name input no-rotated quiet-for since-last until timezone'),
    ...OUTPUT,
  ],
  'scans verify [code...]': flags(
    'all from input output-dir repair accept-gone moved-from dry-run since until during format',
  ),
  'scans tail [code...]': flags('all since state moved-from interval max-events format fields no-header'),
  'scans report [code...]': flags(
    'all input by top compare since until during timezone title output language note logo',
  ),
  'scans stats [code...]': [
    ...flags('all input by top compare since until during timezone dry-run'),
    ...OUTPUT.filter((flag) => flag !== '--ids'),
  ],
  'auth login': flags('key-stdin key-command no-verify'),
  'auth status': flags('format output fields'),
  'auth list': flags('format output fields'),
  'auth use <profile>': [],
  'auth logout': flags('all'),
  'config list': flags('format output fields'),
  'config get <setting>': [],
  'config set <setting> <value>': [],
  'config unset <setting>': [],
  'config path': [],
  'completion <shell>': [],
  'api <method> <path>': flags('query input'),
  doctor: flags('format output'),
  sandbox: flags('port codes scans plan window seed live latency fault clock key'),
  demo: [],
};
const GLOBALS = flags(
  'profile base-url max-wait reserve concurrency timeout quiet verbose no-color help version',
);

describe('the command line interface', () => {
  test('has --ids in the help for commands such as `qr list` whose records have IDs, and not for commands such as `doctor`', async () => {
    for (const form of ['qr list', 'qr get', 'scans export'])
      expect(await printed(`help ${form} --full`)).toContain('--ids');
    for (const form of ['doctor', 'auth list', 'auth status', 'config list', 'scans stats']) {
      expect(await printed(`help ${form} --full`)).not.toContain('--ids');
    }
  });

  test.each([
    ['scans watch', 'Arguments, Flags, Range flags, Output flags, Examples'],
    ['scans export', 'Arguments, Flags, Range flags, Append and dataset flags, Output flags, Examples'],
    ['qr image', 'Arguments, Flags, Sheet flags, Image flags, Examples'],
    ['qr apply', 'Bulk flags, Flags, Output flags, Examples'],
  ])('lists the flags of `%s` under the headings %s', async (form, headings) => {
    const help = await printed(`help ${form} --full`);
    expect([...help.matchAll(/^(\w[\w ]*):$/gm)].map(([, heading]) => heading).join(', ')).toBe(headings);
  });

  test.each(Object.entries(CONTRACT))('contains `%s` with the flags in the contract', async (form, flags) => {
    const names = form.split(' ').filter((word) => /^\w/.test(word));
    const help = await printed(`help ${names.join(' ')} --full`);
    expect(help).toContain(`Usage: qrctl ${form} [flags]\n`);
    for (const flag of flags) expect(help).toMatch(new RegExp(`^  .{4}${flag}( |$)`, 'm'));
    expect(help).toContain('Global: `qrctl help flags`.');
  });

  test('has at most 20 everyday flags and 40 lines of help per command, and 200 everyday flags in all', async () => {
    const listings = manual.commands.map(async ({ names, flags }) => {
      const name = names.join(' ');
      const help = await printed(`${name} --help`);
      const full = await printed(`help ${name} --full`);
      const listed = listedFlags(help);
      expect(listed.length, name).toBeLessThanOrEqual(20);
      expect(help.split('\n').length - 1, name).toBeLessThanOrEqual(40);
      expect(listedFlags(full).sort(), name).toEqual(flags.map(({ long }) => long).sort());
      const output = flags.filter(({ group }) => group === 'Output flags:').map(({ long }) => long);
      const rare = flags.filter((flag) => flag.rare).map(({ long }) => long);
      expect([...listed, ...rare, ...output].sort(), name).toEqual(flags.map(({ long }) => long).sort());
      expect(help.includes(`\`qrctl help ${name} --full\``), name).toBe(rare.length > 0);
      expect(help.includes('`qrctl help output`'), name).toBe(output.length > 0);
      return listed.length;
    });
    const counts = await Promise.all(listings);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(200);
  });

  test('has each output flag in `qrctl help output`', async () => {
    const help = await printed('help output');
    for (const flag of [...OUTPUT, '--timezone'])
      expect(help).toMatch(new RegExp(`^  .{4}${flag}( |$)`, 'm'));
  });

  test('has help that mentions only guides that exist', async () => {
    for (const { names, guide } of manual.commands) {
      const help = await printed(`${names.join(' ')} --help`);
      expect(help.includes('\nGuide: ')).toBe(guide !== undefined);
      if (guide === undefined) continue;
      expect(help).toContain(`\nGuide: docs/${guide}.md\n`);
      await expect(readFile(new URL(`docs/${guide}.md`, ROOT), 'utf8')).resolves.toMatch(/^# /);
    }
  });

  test('has each global flag in `qrctl help flags`', async () => {
    const help = await printed('help flags');
    for (const flag of GLOBALS) expect(help).toMatch(new RegExp(`^  .{4}${flag}( |$)`, 'm'));
  });

  test('has only commands that are in the contract', () => {
    const names = (form: string) =>
      form
        .split(' ')
        .filter((word) => /^\w/.test(word))
        .join(' ');
    expect(manual.commands.map((command) => command.names.join(' ')).sort()).toEqual(
      Object.keys(CONTRACT).map(names).sort(),
    );
  });

  test.each(manual.commands.map((page) => [page.names.join(' '), page] as const))(
    'has no flag for %s with the name of a global flag',
    (_, page) => {
      const globals = manual.globals.flatMap(({ short, long }) => [short, long]).filter(Boolean);
      for (const { short, long } of page.flags) expect(globals).not.toContain(short ?? long);
      for (const { long } of page.flags) expect(globals).not.toContain(long);
    },
  );

  test('accepts global flags before, between and after the words of a command name', async () => {
    for (const line of [
      '-q --profile work config path',
      'config -q --profile work path',
      'config path --profile=work -q',
    ]) {
      expect(await read(line)).toMatchObject({
        kind: 'run',
        args: [],
        globals: { profile: 'work', quiet: true },
      });
    }
    expect(await read('-qv config path')).toMatchObject({ globals: { quiet: true, verbose: true } });
  });

  test("takes the word after a flag as the flag's value, even if that word looks like a flag or a command", async () => {
    expect(await read('qr create --name --help')).toMatchObject({ kind: 'run', options: { name: '--help' } });
    expect(await read('qr create --name -type')).toMatchObject({ kind: 'run', options: { name: '-type' } });
    expect(await read('--profile qr config path')).toMatchObject({ kind: 'run', globals: { profile: 'qr' } });
  });
});

describe('the examples in help', () => {
  const own = manual.commands.map((page) => [page.names.join(' '), page] as const);

  test.each(own)(
    'for %s number at least two, are all different, and include that command',
    (name, { examples }: CommandPage) => {
      expect(examples.length).toBeGreaterThanOrEqual(2);
      expect(examples.filter(([command]) => command.includes(`qrctl ${name}`)).length).toBeGreaterThanOrEqual(
        1,
      );
      expect(new Set(examples.map(([command]) => command)).size).toBe(examples.length);
    },
  );

  const everywhere = [
    ...manual.commands.flatMap(({ examples }) => examples.map(([command]) => command)),
    ...TOPICS.flatMap(({ blocks }) => blocks).flatMap((block) =>
      typeof block === 'object' && 'lines' in block ? block.lines : [],
    ),
  ].filter((line) => line.includes('qrctl'));

  test.each(everywhere)('contain this valid command line: %s', async (line) => {
    const lines = commandLinesIn(line);
    expect(lines).not.toEqual([]);
    for (const words of lines) expect((await interpret(words, nowhere)).kind).toBe('run');
  });
});

describe('help', () => {
  const places = [
    '',
    ...manual.groups.map(({ name }) => name),
    ...manual.commands.map(({ names }) => names.join(' ')),
  ];

  test.each(places)(
    'for "qrctl %s" fits into 80 columns, and is the same with --help at the end, or help or --help at the beginning',
    async (place) => {
      const help = await printed(`${place} --help`);
      expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(help).not.toMatch(/ $/m);
      expect(await printed(`help ${place}`)).toBe(help);
      expect(await printed(`--help ${place}`)).toBe(help);
    },
  );

  test.each(TOPICS.map(({ name }) => name))(
    'for the topic %s is at most 80 columns wide even in a wide terminal, and is wrapped at 40 columns',
    async (name) => {
      for (const columns of [80, 200])
        expect(
          (await printed(`help ${name}`, columns)).split('\n').filter((line) => line.length > 80),
        ).toEqual([]);
      expect((await printed(`help ${name}`, 40)).split('\n').length).toBeGreaterThan(
        (await printed(`help ${name}`)).split('\n').length,
      );
    },
  );

  test('for a group shows the summary of each of its commands on one line', async () => {
    for (const group of manual.groups) {
      const help = await printed(`help ${group.name}`);
      for (const { name, summary } of group.commands)
        expect(help.match(new RegExp(`^  ${name} +(.*)$`, 'm'))?.[1]).toBe(summary);
    }
  });

  test('for the program lists the commands for codes and scans, the other groups and the topics in at most 40 lines', async () => {
    const help = await printed('help');
    for (const { names, summary } of manual.commands) {
      const [noun = ''] = names;
      const item =
        ['qr', 'scans'].includes(noun) || names.length === 1 ? `${names.join(' ')} +${summary}` : noun;
      expect(help).toMatch(new RegExp(`^  ${item.replace(/[()]/g, '\\$&')}`, 'm'));
    }
    for (const { name } of TOPICS) expect(help).toMatch(new RegExp(`[ \\n]${name}[,.]`));
    expect(help.split('\n').length - 1).toBeLessThanOrEqual(40);
  });

  test('explains every exit code', async () => {
    const help = await printed('help exit-codes');
    for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130, 143])
      expect(help).toMatch(new RegExp(`^  ${code} +\\w`, 'm'));
  });

  test('includes the third-party licenses and the manual pages', async () => {
    expect(await printed('help licences')).toBe(await printed('help licenses'));
    expect(await printed('help licenses')).toMatch(/^undici \d+\.\d+\.\d+ \(MIT\)$/m);
    expect(await printed('help man qr list')).toMatch(/^\.TH "QRCTL.{1,2}QR.{1,2}LIST" 1/);
    expect(await printed('help man')).toMatch(/^\.TH "QRCTL" 1/);
  });

  test('has bold titles only if color is enabled', async () => {
    for (const line of ['qr --help', 'qr list --help', 'help exit-codes', '']) {
      expect(await read(line, 80, true)).toMatchObject({
        text: expect.stringMatching(/\x1b\[1m.+\x1b\[22m\n/),
      });
      expect(await read(line, 80, false)).toMatchObject({ text: expect.not.stringContaining('\x1b') });
    }
  });

  test('for a group or its command is also printed if `help` comes after the group', async () => {
    expect(await printed('qr help')).toBe(await printed('help qr'));
    expect(await printed('qr help list')).toBe(await printed('help qr list'));
  });

  test('for a command line without arguments is a summary with three commands to start with', async () => {
    const text = await printed('');
    expect(text.trim().split('\n').length).toBeLessThan(12);
    expect(text.match(/^ {2}qrctl .*/gm)).toHaveLength(3);
  });

  test('is replaced by the version for --version or -V, alone or after a group or command', async () => {
    for (const line of ['--version', '-V', 'qr --version', 'qr list -V'])
      expect(await printed(line)).toBe('1.2.3\n');
  });
});

describe('a command line that is not understood', () => {
  test.each([
    [
      'qr',
      'no command specified for qr (expected list, get, create, update, apply, check, undo, delete or image)',
      'List the commands with `qrctl qr --help`.',
    ],
    ['-q', 'no command specified', 'List the commands with `qrctl --help`.'],
    ['quit', "unknown command 'quit'", 'List the commands with `qrctl --help`.'],
    ['qr lst', "unknown command 'qr lst'", 'Did you mean `qrctl qr list`?'],
    ['atuh login', "unknown command 'atuh'", 'Did you mean `qrctl auth login`?'],
    [
      'ls',
      "unknown command 'ls'",
      'Did you mean `qrctl qr list`? See also `qrctl auth list` and `qrctl config list`.',
    ],
    ['login', "unknown command 'login'", 'Did you mean `qrctl auth login`?'],
    ['exprot', "unknown command 'exprot'", 'Did you mean `qrctl scans export`?'],
    ['qr export', "unknown command 'qr export'", 'Did you mean `qrctl scans export`?'],
    // A command that deletes is never suggested.
    ['qr delte a', "unknown command 'qr delte'", 'List the commands with `qrctl qr --help`.'],
    ['delete a --yes', "unknown command 'delete'", 'List the commands with `qrctl --help`.'],
    ['codes', "unknown command 'codes'", 'Did you mean `qrctl qr`?'],
    ['whoami', "unknown command 'whoami'", 'Did you mean `qrctl auth status`?'],
    [
      'qr pause spring-menu',
      "unknown command 'qr pause'",
      'Did you mean `qrctl qr update spring-menu --status paused`?',
    ],
    ['qr resume', "unknown command 'qr resume'", 'Did you mean `qrctl qr update CODE --status active`?'],
    ['pause a b', "unknown command 'pause'", 'Did you mean `qrctl qr update a b --status paused`?'],
    [
      'qr rename a New name',
      "unknown command 'qr rename'",
      "Did you mean `qrctl qr update a --name 'New name'`?",
    ],
    ['scans list', "unknown command 'scans list'", 'Did you mean `qrctl scans export CODE`?'],
    ['scans get a -o a.csv', "unknown command 'scans get'", 'Did you mean `qrctl scans export a -o a.csv`?'],
    ['scan export a', "unknown command 'scan'", 'Did you mean `qrctl scans export a`?'],
    ['qr list --search menu', "unknown flag '--search'", 'Did you mean `qrctl qr list --name menu`?'],
    ['qr list --search=menu', "unknown flag '--search=menu'", 'Did you mean `qrctl qr list --name=menu`?'],
    ['scans stats a --limit 3', "unknown flag '--limit'", 'Did you mean `qrctl scans stats a --top 3`?'],
    ['scans tail a --limit 3', "unknown flag '--limit'", 'Did you mean `qrctl scans tail a --max-events 3`?'],
    ['qr image a --format svg', "unknown flag '--format'", 'Did you mean `qrctl qr image a --as svg`?'],
    [
      'scans report a -f csv',
      "unknown flag '--format'",
      'The extension of -o selects HTML or PDF. For data, run `qrctl scans stats` with --format.',
    ],
    ['scans count a', "unknown command 'scans count'", 'Did you mean `qrctl scans stats a`?'],
    ['help labels', "unknown command 'labels'", 'Did you mean `qrctl qr image`?'],
    [
      'help spreadsheets',
      "no help for 'spreadsheets'",
      'Read docs/spreadsheets.md, or run `qrctl help qr create`.',
    ],
    [
      'qr list -f xlsx',
      expect.stringContaining("invalid value for --format: 'xlsx'"),
      'To write a workbook, use -o FILE.xlsx.',
    ],
    ['qr list --status xlsx', expect.stringContaining("invalid value for --status: 'xlsx'"), undefined],
    ['qr list -f word', expect.stringContaining("invalid value for --format: 'word'"), undefined],
    ['qr list -x', "unknown flag '-x'", 'List the flags with `qrctl help qr list --full`.'],
    ['qr list -ids', "unknown flag '-ids'", 'Did you mean --ids?'],
    ['qr list --search menu\u0007', "unknown flag '--search'", 'Did you mean `qrctl qr list --name`?'],
    [
      'qr create codes.csv menu',
      "too many arguments: 'codes.csv'",
      'Did you mean `qrctl qr create --name menu --destination codes.csv`?',
    ],
    ['qr list --json', "unknown flag '--json'", 'Did you mean `qrctl qr list --format json`?'],
    ['qr list menu', "too many arguments: 'menu'", 'Did you mean `qrctl qr list --name menu`?'],
    [
      'qr create Menu https://example.com/a?b -q',
      "too many arguments: 'Menu'",
      "Did you mean `qrctl qr create --name Menu --destination 'https://example.com/a?b' -q`?",
    ],
    [
      'qr create codes.csv',
      "too many arguments: 'codes.csv'",
      'Did you mean `qrctl qr create --from codes.csv`?',
    ],
    [
      'auth login qr.example',
      "too many arguments: 'qr.example'",
      'Did you mean `qrctl auth login --base-url qr.example`?',
    ],
    ['__proto__', "unknown command '__proto__'", 'List the commands with `qrctl --help`.'],
    ['help quit', "unknown command 'quit'", 'List the commands with `qrctl --help`.'],
    ['pause -q a', "unknown command 'pause'", 'Did you mean `qrctl qr update a --status paused`?'],
    ['qr rename a', "unknown command 'qr rename'", 'Did you mean `qrctl qr update a --name NAME`?'],
    ['scans pause a', "unknown command 'scans pause'", 'List the commands with `qrctl scans --help`.'],
    ['scans list --all', "unknown command 'scans list'", 'Did you mean `qrctl scans export --all`?'],
    ['qr lst -h', "unknown command 'qr lst'", 'Did you mean `qrctl qr list`?'],
    [
      'qr create www.example',
      "too many arguments: 'www.example'",
      'Did you mean `qrctl qr create --destination www.example`?',
    ],
    [
      'qr create a.b.example/x',
      "too many arguments: 'a.b.example/x'",
      'Did you mean `qrctl qr create --destination a.b.example/x`?',
    ],
    [
      'qr create codes.csv.example',
      "too many arguments: 'codes.csv.example'",
      'Did you mean `qrctl qr create --destination codes.csv.example`?',
    ],
    ['qr create /a.b', "too many arguments: '/a.b'", 'Did you mean `qrctl qr create --name /a.b`?'],
    ['qr create 1:2', "too many arguments: '1:2'", 'Did you mean `qrctl qr create --name 1:2`?'],
    ['qr create a.example b.example', "too many arguments: 'a.example'", 'usage: qrctl qr create [flags]'],
    ['auth login a.example b.example', "too many arguments: 'a.example'", 'usage: qrctl auth login [flags]'],
    ['auth login work a.example', "too many arguments: 'work'", 'usage: qrctl auth login [flags]'],
    ['qr list me\u0007nu', "too many arguments: 'me\\x07nu'", 'usage: qrctl qr list [flags]'],
    ['doctor --json', "unknown flag '--json'", 'Did you mean `qrctl doctor --format json`?'],
    ['qr delete a --csv', "unknown flag '--csv'", 'Did you mean `qrctl qr delete a --format csv`?'],
    ['auth use --json', "unknown flag '--json'", 'List the flags with `qrctl help auth use --full`.'],
    ['help exitcodes', "no help for 'exitcodes'", 'Did you mean `qrctl help exit-codes`?'],
    ['help qr lst', "unknown command 'qr lst'", 'Did you mean `qrctl qr list`?'],
    ['help qr list all', "no help for 'qr list all'", 'Run `qrctl help qr list`.'],
    ['qr list --limti 3', "unknown flag '--limti'", 'Did you mean --limit?'],
    ['qr list --limti=3', "unknown flag '--limti=3'", 'Did you mean --limit?'],
    ['qr list --quite', "unknown flag '--quite'", 'Did you mean --quiet?'],
    ['qr list -format json', "unknown flag '-format'", 'Did you mean --format?'],
    // Nor is a flag that acts on more codes, skips a check, or overwrites.
    ['scans report --al X', "unknown flag '--al'", 'List the flags with `qrctl help scans report --full`.'],
    ['qr delete a -yes', "unknown flag '-yes'", 'List the flags with `qrctl help qr delete --full`.'],
    ['qr list --nonsense', "unknown flag '--nonsense'", 'List the flags with `qrctl help qr list --full`.'],
    ['--profil work qr list', "unknown flag '--profil' before the command", 'Did you mean --profile?'],
    [
      '--format json qr list',
      "unknown flag '--format' before the command",
      'Put the flags of a command after its name, as in `qrctl qr list --limit 10`.',
    ],
    [
      'qr list --status actve',
      "invalid value for --status: 'actve' (expected active, paused or expired)",
      'Did you mean --status active?',
    ],
    [
      'qr list --status gone',
      "invalid value for --status: 'gone' (expected active, paused or expired)",
      undefined,
    ],
    [
      'config set timezon UTC',
      expect.stringContaining("unknown setting 'timezon'"),
      'Did you mean timezone?',
    ],
    [
      'completion bsh',
      "invalid value for shell: 'bsh' (expected bash, zsh, fish or powershell)",
      'Did you mean bash?',
    ],
    ['qr list --limit', expect.stringContaining('--limit'), 'usage: qrctl qr list [flags]'],
    ['qr get', "missing argument 'code'", 'usage: qrctl qr get <code> [flags]'],
    ['config path here', expect.stringContaining('too many arguments'), 'usage: qrctl config path [flags]'],
  ])('is refused with an error, and a hint if qrctl has one: qrctl %s', async (line, message, hint) => {
    expect(await refused(line)).toEqual({ message, hint });
  });

  test('never leads to the suggestion of a flag that selects more codes, forces a change or skips a check', async () => {
    const risky =
      /^--(all|force|yes|restart|overwrite|apply-edits|as-new|adopt|adopt-existing|conflicts|no-verify|raw-cells|allow-private|insecure|accept-.*)$/;
    let tried = 0;
    for (const { names, flags } of manual.commands) {
      for (const { long } of flags.filter((flag) => risky.test(flag.long))) {
        const typos = [
          long.slice(0, -1),
          `${long}x`,
          long.replace('--', '-'),
          `--${long.slice(3)}`,
          long.toUpperCase(),
        ];
        for (const typo of typos) {
          tried += 1;
          expect((await refused(`${names.join(' ')} ${typo}`)).hint ?? '').not.toMatch(
            new RegExp(`${long}\\b`),
          );
        }
      }
    }
    expect(tried).toBeGreaterThan(50);
  });

  test('is refused with an error in which an API key is redacted', async () => {
    for (const line of [
      'svc_live_secretsecret',
      'qr svc_live_secretsecret',
      'qr list --svc_live_secretsecret',
      'qr list --status svc_live_secretsecret',
    ]) {
      expect(JSON.stringify(await refused(line))).not.toContain('secretsecret');
    }
  });

  test('is refused with a message of less than 100 characters if a word has 10,000 characters', async () => {
    expect((await refused('x'.repeat(10_000))).message.length).toBeLessThan(100);
  });
});

describe('the format of an error', () => {
  test.each([
    // As text: these words are values, or no flags.
    ['qr create --name "a -f json b" --type vcrd', false],
    ['qr create --name -fjson --type vcrd', false],
    ['qr get -- -f json', false],
    ['qr list -f=json', false],
    ['qr list -f jsn', false],
    ['qr list -f csv --limit x', false],
    // As JSON: before, after and beside the words that are wrong.
    ['qr list --limit x -f json', true],
    ['qr list -qfjson --limit x', true],
    ['qr list --format=ndjson --limti 3', true],
    ['qr list --limti 3 --format json', true],
    ['qr get -fjson', true],
    ['qr lst --format json', true],
    ['quit -f ndjson', true],
    ['--format json qr list', true],
    ['config path --format json', true],
    ['qr list -f json --limit', true],
  ])('for `%s` is JSON: %s', async (line, json) => {
    expect(await read(line)).toMatchObject({ kind: 'refuse', style: { json } });
  });

  test('is JSON only if the command prints JSON, and is verbose only if -v is a flag', async () => {
    expect(await read('qr list -f json')).toMatchObject({
      kind: 'run',
      style: { json: true, verbose: false },
    });
    expect(await read('-v qr list -f csv')).toMatchObject({
      kind: 'run',
      style: { json: false, verbose: true },
    });
    expect(await read('qr create --name -v')).toMatchObject({ kind: 'run', style: { verbose: false } });
  });
});

test('completion uses --profile and --base-url from an incomplete command line with unknown flags', async () => {
  const line = "__complete --profile work qr get --base-url=https://qr.example/api/v1 --nonsense --help ''";
  expect(await read(line)).toMatchObject({
    kind: 'run',
    args: ['codes', ''],
    globals: { profile: 'work', baseUrl: 'https://qr.example/api/v1', quiet: true },
  });
});

describe('help prepared by the build', () => {
  const pages: [string, string[]][] = [
    ['qr list', ['help qr list']],
    ['', ['--help', '-h', 'help']],
    ['qr', ['qr --help', 'qr -h', 'help qr']],
    ['qr list', ['qr list --help', 'qr list -h']],
  ];
  test.each(firstRows(1, pages))(
    'for "qrctl %s" equals the help generated by commander',
    async (words, lines) => {
      const byCommander = await runCli(splitWords(`--quiet ${words} --help`));
      for (const line of lines) expect(await runCli(splitWords(line))).toEqual(byCommander);
    },
  );

  test('exists for all groups, commands and topics, and a topic is not accepted as a command', async () => {
    const read = (line: string) =>
      readFile(new URL(`../../dist/help/qrctl ${line}.txt`, import.meta.url), 'utf8');
    const pages = [
      ...manual.groups.map(({ name }) => name),
      ...manual.commands.map(({ names }) => names.join(' ')),
    ];
    for (const page of pages) expect(await read(page)).toBe(await printed(`${page} --help`, 80, true));
    for (const { name } of TOPICS)
      expect(await read(`help ${name}`)).toBe(await printed(`help ${name}`, 80, true));
    const [topic, command] = await Promise.all([
      runCli(['help', 'formatting']),
      runCli(['formatting', '--help']),
    ]);
    expect(topic.stdout).toBe(await printed('help formatting'));
    expect([command.code, command.stdout]).toEqual([2, '']);
  });

  test.runIf(SOAK)(
    'equals the help generated by commander, even in color and in a narrow terminal',
    async () => {
      const env = { FORCE_COLOR: '1' };
      expect(await runCli(['qr', '--help'], { env })).toEqual(
        await runCli(['--quiet', 'qr', '--help'], { env }),
      );
      const narrow = await runCli(['--help'], { tty: 60 });
      expect(narrow).toEqual(await runCli(['--quiet', '--help'], { tty: 60 }));
      expect(narrow.stdout).not.toBe((await runCli(['--help'], { tty: true })).stdout);
    },
  );
});
