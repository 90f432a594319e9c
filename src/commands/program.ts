/** From words typed to a command and its values, or to a text that explains. */
import type { ConsoleFlags } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { Screen } from '../help/layout.ts';
import { nearest } from '../nearest.ts';
import type { SettingFlags } from '../settings/settings.ts';
import type { CommandDefinition, Options, Values } from './define.ts';
import { findCommand, findRequest } from './find-command.ts';
import { commandPage, flagsOf, GLOBALS, groupPage, ROOT } from './manual.ts';
import { isBranch, type Node, TREE } from './tree.ts';
import { misread, shorten } from './unknown.ts';

/** What the words mean: run a command, or print a text. */
export type Invocation =
  | { kind: 'run'; definition: CommandDefinition; args: string[]; options: Values<Options>; globals: SettingFlags & ConsoleFlags }
  | { kind: 'print'; text: string };

/** What is asked for once, and only by texts. */
export interface Surroundings {
  version: string;
  screen(): Screen;
}

/**
 * Reads a command line. Only the command that is meant is loaded, and commander only to run one. Throws UsageError, with the
 * nearest command or flag as a suggestion, when the words make none.
 */
export async function interpret(argv: readonly string[], surroundings: Surroundings): Promise<Invocation> {
  if (argv[0] === COMPLETE) return complete(argv.slice(1));
  const { names, node, rest, help } = findCommand(argv);
  if (help) return { kind: 'print', text: await helpOnWords(help, surroundings) };
  if (!node || isBranch(node)) return { kind: 'print', text: await withoutCommand(node, rest, surroundings) };

  const { command: definition } = await node.load();
  const request = findRequest(rest, [...flagsOf(definition.options), ...GLOBALS]);
  if (request === 'version') return { kind: 'print', text: `${surroundings.version}\n` };
  if (request === 'help') return { kind: 'print', text: await helpOn(node, names, surroundings) };

  const [{ parseWords }, { globalOptions }] = await Promise.all([import('./parse.ts'), import('./global-options.ts')]);
  const { args, options, globals } = parseWords(names, definition, globalOptions, rest);
  return { kind: 'run', definition, args, options, globals };
}

/** The hidden word of completion scripts; what follows it is what somebody has typed so far, and is not parsed. */
const COMPLETE = '__complete';

async function complete(args: string[]): Promise<Invocation> {
  const { command } = await import('./candidates.ts');
  return { kind: 'run', definition: command, args, options: {}, globals: { quiet: true } };
}

/** `qrctl`, `qrctl --help`, `qrctl --version`, and `qrctl qr`, which is not enough to go by. */
async function withoutCommand(node: Node | undefined, rest: readonly string[], surroundings: Surroundings): Promise<string> {
  const request = findRequest(rest, GLOBALS);
  if (request === 'version') return `${surroundings.version}\n`;
  if (request === 'help') return helpOn(node, [], surroundings);
  if (node && isBranch(node)) {
    const verbs = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(node.commands.map(({ name }) => name));
    throw new UsageError(`${node.name}: which command? It takes ${verbs}`, { hint: `qrctl ${node.name} --help explains them` });
  }
  if (rest.length > 0) throw new UsageError('which command?', { hint: 'qrctl --help lists them' });
  const { formatWelcome } = await import('../help/command-help.ts');
  return formatWelcome(ROOT, surroundings.screen());
}

async function helpOn(node: Node | undefined, names: readonly string[], { screen }: Surroundings): Promise<string> {
  const { formatCommandHelp, formatGroupHelp, formatRootHelp } = await import('../help/command-help.ts');
  if (!node) return formatRootHelp(ROOT, GLOBALS, screen());
  if (isBranch(node)) return formatGroupHelp(groupPage(node), GLOBALS, screen());
  return formatCommandHelp(commandPage(names, node.summary, (await node.load()).command), GLOBALS, screen());
}

/** `qrctl help WORDS`: a topic, or the command of that name. */
async function helpOnWords(words: readonly string[], surroundings: Surroundings): Promise<string> {
  const { TOPICS } = await import('../help/topics.ts');
  const [word = '', ...more] = words;
  const topic = TOPICS.find(({ name }) => name === word);
  if (topic && more.length === 0) {
    const { formatTopic } = await import('../help/topic-help.ts');
    return formatTopic(topic, surroundings.screen());
  }
  const similar = TREE.some(({ name }) => name === word)
    ? undefined
    : nearest(
        word,
        TOPICS.map(({ name }) => name),
      );
  if (similar) throw misread(`no help on '${shorten(word)}'`, { hint: `did you mean \`qrctl help ${similar}\`?` });
  const { node, names, rest } = findCommand(words.filter((name) => name !== 'help'));
  if (rest.length > 0) throw misread(`no help on '${shorten(words.join(' '))}'`, { hint: `try: qrctl help ${names.join(' ')}` });
  return helpOn(node, names, surroundings);
}
