/** Help on one command, on a group of commands, and on the whole. Not commander's: `--help` has no time to load it. */
import { formatList, heading, type Screen, wrap } from './layout.ts';
import { type CommandPage, describeValues, type Flag, flagGroups, flagTerm, fullName, type GroupPage, usage } from './page.ts';

/** What `qrctl qr list --help` prints. */
export function formatCommandHelp(page: CommandPage, globals: readonly Flag[], screen: Screen): string {
  const { width } = screen;
  const flags = [...page.flags, ...globals];
  const given = page.arguments.map((argument) => {
    const term = argument.several ? `${argument.name}...` : argument.name;
    return [term, describeValues({ ...argument, repeatable: false })] as const;
  });
  const terms = [...given, ...flags.map(flagItem)];
  const description = page.description.split('\n\n').flatMap((paragraph) => [...wrap(paragraph, width), '']);
  return join([
    `${heading('Usage:', screen)} ${usage(page)}`,
    '',
    ...description,
    ...(given.length > 0 ? [heading('Arguments:', screen), ...formatList(given, width, terms), ''] : []),
    ...formatFlags(flags, screen, terms),
    heading('Examples:', screen),
    ...page.examples.flatMap(({ command, does }) => [`  # ${does}`, `  ${command}`]),
  ]);
}

/** What `qrctl qr --help` prints. */
export function formatGroupHelp({ name, summary, commands }: GroupPage, globals: readonly Flag[], screen: Screen): string {
  const items = commands.map((command) => [command.name, command.summary] as const);
  return join([
    `${heading('Usage:', screen)} ${fullName([name])} <command> [flags]`,
    '',
    sentence(summary),
    '',
    heading('Commands:', screen),
    ...formatList(items, screen.width),
    '',
    ...formatFlags(globals, screen),
    `qrctl help ${name} COMMAND shows the flags and examples of one.`,
  ]);
}

export const FIRST_STEPS = [
  ['qrctl demo', 'watch the main job done; needs no key'],
  ['qrctl auth login', 'connect to your workspace'],
  ['qrctl scans export --all -o scans.csv', 'every scan of every code in a file'],
] as const;

/** What `qrctl --help` prints. */
export function formatRootHelp({ summary, commands }: GroupPage, globals: readonly Flag[], screen: Screen): string {
  const { width } = screen;
  const items = commands.map((command) => [command.name, command.summary] as const);
  return join([
    `${heading('Usage:', screen)} qrctl <command> [flags]`,
    '',
    ...wrap(sentence(summary), width),
    '',
    heading('Commands:', screen),
    ...formatList(items, width),
    '',
    ...formatFlags(globals, screen),
    heading('Start here:', screen),
    ...formatSteps(),
    '',
    heading('Topics:', screen),
    '  qrctl help exit-codes | formatting | environment | rate-limits | automation',
    '',
    'qrctl help COMMAND, or --help after it, shows its flags and examples.',
  ]);
}

/** What `qrctl` alone prints. */
export function formatWelcome({ summary }: GroupPage, screen: Screen): string {
  return join([
    ...wrap(sentence(summary), screen.width),
    '',
    heading('Start here:', screen),
    ...formatSteps(),
    '',
    'qrctl --help lists everything else.',
  ]);
}

function formatSteps(): string[] {
  const column = Math.max(...FIRST_STEPS.map(([command]) => command.length));
  return FIRST_STEPS.map(([command, does]) => `  ${command.padEnd(column)}  ${does}`);
}

function formatFlags(flags: readonly Flag[], screen: Screen, terms = flags.map(flagItem)): string[] {
  return flagGroups(flags).flatMap(([group, members]) => [
    heading(group, screen),
    ...formatList(members.map(flagItem), screen.width, terms),
    '',
  ]);
}

function flagItem(flag: Flag): readonly [string, string] {
  return [flagTerm(flag), describeValues(flag)];
}

export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

function join(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
