/** Help as commander lays it out: in our order of sections, with examples, first steps and topics below. */
import type { AddHelpTextContext, Argument, Command, Help, Option } from 'commander';
import type { Example } from '../../commands/define.ts';
import { loadColours } from '../../terminal/colour.ts';
import { type Block, TOPICS, type Topic } from './topics.ts';

/** Where help is printed. */
export interface Terminal {
  /** Columns; undefined where nobody knows. */
  columns: number | undefined;
  colour: boolean;
}

/** Wider lines are hard to read, whatever the terminal. */
const WIDEST = 80;
const NARROWEST = 40;

/** What `--help` after it prints. */
export async function formatHelp(command: Command, terminal: Terminal): Promise<string> {
  const { bold: styleTitle } = await loadColours(terminal.colour);
  let text = '';
  command
    .configureOutput({
      writeOut(part) {
        text += part;
      },
      getOutHelpWidth: () => widthOf(terminal),
      getOutHasColors: () => terminal.colour,
    })
    .configureHelp({ formatHelp: formatSections, optionTerm, styleTitle, minWidthToWrap: NARROWEST / 4 })
    .outputHelp();
  return text;
}

/** As commander's own, but commands come before the flags. */
function formatSections(command: Command, helper: Help): string {
  const list = (title: string, width: number, items: Item[]) =>
    helper.formatItemList(title, formatItems(items, width, helper), helper);
  const width = Math.max(helper.longestArgumentTermLength(command, helper), helper.longestOptionTermLength(command, helper));
  const options = helper.visibleOptions(command);
  const groups = helper.groupItems(options, options, ({ helpGroupHeading = '' }) => helpGroupHeading);
  const commands = helper.visibleCommands(command).map((child): Item => [child.name(), child.summary()]);
  return [
    `${helper.styleTitle('Usage:')} ${helper.commandUsage(command)}`,
    '',
    helper.boxWrap(command.description(), helper.helpWidth ?? WIDEST),
    '',
    ...list('Arguments:', width, helper.visibleArguments(command).map(argumentItem)),
    ...list('Commands:', longest(commands), commands),
    ...[...groups].flatMap(([title, members]) => list(title, width, members.map(optionItem))),
  ].join('\n');
}

type Item = readonly [term: string, meaning: string];

function formatItems(items: readonly Item[], width: number, helper: Help): string[] {
  return items.map(([term, meaning]) => helper.formatItem(term, width, meaning, helper));
}

function longest(items: readonly Item[]): number {
  return Math.max(0, ...items.map(([term]) => term.length));
}

function argumentItem(argument: Argument): Item {
  return [`${argument.name()}${argument.variadic ? '...' : ''}`, argument.description];
}

function optionItem(option: Option): Item {
  return [optionTerm(option), option.description];
}

/** Long forms stand below each other, also where there is no short one. */
function optionTerm({ short, flags }: Option): string {
  return short ? flags : `    ${flags}`;
}

function widthOf({ columns }: Terminal): number {
  return Math.max(NARROWEST, Math.min(columns || WIDEST, WIDEST));
}

/** What stands below the flags of a command. */
export function examplesText(examples: readonly Example[]) {
  return ({ command }: AddHelpTextContext) =>
    [
      '',
      command.createHelp().styleTitle('Examples:'),
      ...examples.flatMap((example) => [`  # ${example.does}`, `  ${example.command}`]),
    ].join('\n');
}

/** What stands below the commands of a noun. */
export function groupText({ command }: AddHelpTextContext): string {
  return `\nqrctl help ${command.name()} COMMAND shows the flags and examples of one.`;
}

export const FIRST_STEPS = [
  ['qrctl demo', 'watch the main job done; needs no key'],
  ['qrctl auth login', 'connect to your workspace'],
  ['qrctl scans export --all -o scans.csv', 'every scan of every code in a file'],
] as const;

/** What stands below all commands. */
export function rootText({ command }: AddHelpTextContext): string {
  const { styleTitle: title } = command.createHelp();
  return [
    '',
    ...formatSteps(title),
    '',
    title('Topics:'),
    `  qrctl help ${TOPICS.map(({ name }) => name).join(' | ')}`,
    '',
    'qrctl help COMMAND, or --help after it, shows its flags and examples.',
  ].join('\n');
}

function formatSteps(title: (text: string) => string): string[] {
  const column = Math.max(...FIRST_STEPS.map(([command]) => command.length));
  return [title('Start here:'), ...FIRST_STEPS.map(([command, does]) => `  ${command.padEnd(column)}  ${does}`)];
}

/** What `qrctl` alone prints. */
export async function formatWelcome(program: Command, terminal: Terminal): Promise<string> {
  const { helper, title } = await loadHelper(program, terminal);
  const summary = helper.boxWrap(program.description(), widthOf(terminal));
  return [summary, '', ...formatSteps(title), '', 'qrctl --help lists everything else.', ''].join('\n');
}

/** What `qrctl help exit-codes` prints. */
export async function formatTopic({ title: name, blocks }: Topic, program: Command, terminal: Terminal): Promise<string> {
  const { helper, title } = await loadHelper(program, terminal);
  return `${[title(name), ...blocks.map((block) => formatBlock(block, helper))].join('\n\n')}\n`;
}

function formatBlock(block: Block, helper: Help): string {
  if (typeof block === 'string') return helper.boxWrap(block, helper.helpWidth ?? WIDEST);
  if ('lines' in block) return block.lines.map((line) => `  ${line}`).join('\n');
  return formatItems(block.list, longest(block.list), helper).join('\n');
}

async function loadHelper(program: Command, terminal: Terminal): Promise<{ helper: Help; title: (text: string) => string }> {
  const helper = program.configureHelp({ minWidthToWrap: NARROWEST / 4 }).createHelp();
  helper.prepareContext({ helpWidth: widthOf(terminal) });
  return { helper, title: (await loadColours(terminal.colour)).bold };
}
