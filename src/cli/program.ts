import { CommanderError } from 'commander';
import { UsageError } from '#base/errors';
import { nearest } from '#base/text/nearest';
import type { CommandDefinition, Options, Values } from '#commands/define';
import type { ConsoleFlags } from '#context';
import type { SettingFlags } from '#settings/settings';
import type { ErrorStyle } from '#terminal/render-error';
import { candidatesFor } from './completion.ts';
import { formatHelp, formatTopic, formatWelcome, type Terminal } from './help/command-help.ts';
import { TOPICS } from './help/topics.ts';
import { loadManual } from './manual.ts';
import { packagedDocument } from './packaged.ts';
import { globalsOf, lastOf, namesOf, type Reading, readLine } from './read-line.ts';
import { noHelp, refusal } from './refusals.ts';
import { leaves, TREE } from './tree.ts';

type Invocation =
  | { kind: 'run'; definition: CommandDefinition; args: string[]; options: Values<Options>; globals: Globals }
  | { kind: 'print'; text: string }
  | { kind: 'refuse'; error: unknown };

type Globals = SettingFlags & ConsoleFlags;

interface LineFacts {
  style: ErrorStyle;
  command: string;
  globals: Globals;
}

export interface TextInputs {
  version: string;
  terminal(flags: ConsoleFlags): Terminal;
  isFull?: boolean;
}

export async function interpret(
  argv: readonly string[],
  inputs: TextInputs,
): Promise<Invocation & LineFacts> {
  const reading = await readLine(argv);
  const refuse = (error: unknown) => ({ kind: 'refuse' as const, error });
  const invocation = await invocationOf(reading, inputs).catch(refuse);
  const command = namesOf(reading).join(' ');
  return { globals: globalsOf(reading), ...invocation, style: styleOf(reading), command };
}

/** Returns how to print errors. Reads parsed options: a value in `argv` may look like a flag. */
function styleOf(reading: Reading): ErrorStyle {
  const formats = reading.path.map((command): unknown => command.getOptionValue('format'));
  const json = formats.some((format) => format === 'json' || format === 'ndjson');
  const { color, verbose } = globalsOf(reading);
  return { json, verbose: verbose === true, color };
}

async function invocationOf(reading: Reading, inputs: TextInputs): Promise<Invocation> {
  const { argv, requested, failure, reached, refused } = reading;
  if (failure !== undefined && !(failure instanceof CommanderError)) throw failure;
  const command = lastOf(reading);
  const refuse = (code: string) => refusal(code, command, namesOf(reading), argv);
  const code = failure?.code;
  // Refuses unknown commands, and unknown flags before a command, even with `--help`.
  const isGroup = command.commands.length > 0;
  if (code === 'commander.unknownCommand' || (isGroup && code === 'commander.unknownOption'))
    throw refuse(code);
  if (requested === 'version') return print(`${inputs.version}\n`);
  if (requested === 'help')
    return print(await formatHelp(command, inputs.terminal(globalsOf(reading)), inputs.isFull));
  if (refused[0]) throw refused[0];
  if (argv.length === 0) return print(await formatWelcome(command, inputs.terminal({})));
  if (code !== undefined) throw refuse(code);
  if (!reached) throw new Error('the command line has no command');
  if (reached.kind === 'complete') return complete(reached.words);
  if (reached.kind === 'help')
    return reached.json
      ? printReference(reached.words, inputs)
      : helpOn(reached.words, reading, { ...inputs, isFull: reached.isFull });
  const { definition, args, options } = reached;
  return { kind: 'run', definition, args, options, globals: globalsOf(reading) };
}

function print(text: string): Invocation {
  return { kind: 'print', text };
}

async function printReference(words: readonly string[], { version }: TextInputs): Promise<Invocation> {
  const hint = 'Run `qrctl help --json`.';
  if (words.length > 0) throw new UsageError("--json can't be used with a command or a topic", { hint });
  const { formatReference } = await import('./help/reference.ts');
  return print(formatReference(await loadManual(version)));
}

async function helpOn(words: readonly string[], asking: Reading, inputs: TextInputs): Promise<Invocation> {
  const terminal = () => inputs.terminal(globalsOf(asking));
  const [word = ''] = words;
  const topic = words.length === 1 ? TOPICS.find(({ name }) => name === word) : undefined;
  if (topic) return print(await formatTopic(topic, lastOf(asking), terminal()));
  const document = packagedDocument(words);
  if (document !== undefined) return print(document);
  const topics = TOPICS.map(({ name }) => name);
  const similar = TREE.some(({ name }) => name === word) ? undefined : nearest(word, topics);
  if (similar) throw noHelp(word, `Did you mean \`qrctl help ${similar}\`?`);
  const guided = [...leaves()].find(({ leaf }) => leaf.guide === word);
  if (guided) throw noHelp(word, `Read docs/${word}.md, or run \`qrctl help ${guided.names.join(' ')}\`.`);
  const names = words.filter((name) => name !== 'help');
  const reading = await readLine([...names, '--help']);
  const help = await invocationOf(reading, { ...inputs, terminal });
  const known = namesOf(reading);
  if (known.length < names.length)
    throw noHelp(names.join(' '), `Run \`${['qrctl help', ...known].join(' ')}\`.`);
  return help;
}

async function complete(words: readonly string[]): Promise<Invocation> {
  const { before, values } = await candidatesFor(words);
  if (values === 'profiles' || values === 'codes') {
    const { command: definition } = await import('#commands/candidates');
    const globals = { ...globalsOf(await readLine(words.slice(0, -1))), quiet: true };
    return { kind: 'run', definition, args: [values, before], options: {}, globals };
  }
  if (typeof values === 'string') return print(values === 'none' ? '' : `${values}\n`);
  return print(values.map(({ word, description }) => `${before}${word}\t${description}\n`).join(''));
}
