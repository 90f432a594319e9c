import type { Argument, Command, Help, Option } from 'commander';
import { isBranch, TREE } from '#cli/tree';
import type { Example } from '#commands/define';
import { GLOBAL_FLAGS } from '#commands/global-options';
import { OUTPUT_FLAGS } from '#commands/output-options';
import { loadColors } from '#terminal/color';
import { type Block, TOPIC_WORDS, type Topic } from './topics.ts';

export interface Terminal {
  columns?: number;
  color: boolean;
}

const WIDEST = 80;
const NARROWEST = 40;

export async function formatHelp(command: Command, terminal: Terminal, isFull = false): Promise<string> {
  const helper = await loadHelper(command, terminal);
  const text = formatSections(command, helper, isFull);
  if (command.parent === null) return text + rootText(helper);
  if (command.commands.length === 0) return text;
  return `${text}\nFlags and examples of a command: \`qrctl help ${command.name()} COMMAND\`.\n`;
}

declare module 'commander' {
  interface Command {
    examples?: readonly Example[];
    guide?: string;
  }
  interface Option {
    rare?: boolean;
  }
}

const MOST_PARAGRAPHS = 2;
const MOST_EXAMPLES = 3;

function formatSections(command: Command, helper: Help, isFull: boolean): string {
  const all = helper
    .visibleOptions(command)
    .filter(({ helpGroupHeading }) => helpGroupHeading !== GLOBAL_FLAGS);
  const isOutput = ({ helpGroupHeading }: Option) => helpGroupHeading === OUTPUT_FLAGS;
  const options = isFull ? all : all.filter((option) => !option.rare && !isOutput(option));
  const isShort = all.some((option) => !options.includes(option) && !isOutput(option));
  const width = Math.max(helper.longestArgumentTermLength(command, helper), longest(options.map(optionItem)));
  const groups = helper.groupItems(options, options, ({ helpGroupHeading = '' }) => helpGroupHeading);
  const commands = helper.visibleCommands(command).map((child): Item => [child.name(), child.summary()]);
  const list = (title: string, items: Item[], most = width) =>
    helper
      .formatItemList(title, formatItems(items, most, helper), helper)
      .filter((line) => !isShort || line !== '');
  const paragraphs = command.description().split('\n\n');
  const text = isShort ? paragraphs.slice(0, MOST_PARAGRAPHS) : paragraphs;
  const sections =
    command.parent === null
      ? rootSections(helper)
      : [
          ...list('Arguments:', helper.visibleArguments(command).map(argumentItem)),
          ...list('Commands:', commands, longest(commands)),
          ...[...groups].flatMap(([title, members]) => list(title, members.map(optionItem))),
          ...(isShort ? [''] : []),
          ...furtherFlags(command, all, { isShort, hasOutput: !isFull && all.some(isOutput) }),
        ];
  return [
    `${helper.styleTitle('Usage:')} ${helper.commandUsage(command)}`,
    '',
    helper.boxWrap(text.join('\n\n'), helper.helpWidth ?? WIDEST),
    '',
    ...sections,
    ...formatExamples(command, helper, isShort ? MOST_EXAMPLES : Infinity),
    '',
  ].join('\n');
}

function formatExamples({ examples = [] }: Command, helper: Help, most: number): string[] {
  if (examples.length === 0) return [];
  const lines = examples.slice(0, most).flatMap(([line, does]) => [`  # ${does}`, `  ${line}`]);
  return ['', helper.styleTitle('Examples:'), ...lines];
}

function furtherFlags(
  command: Command,
  all: readonly Option[],
  { isShort, hasOutput }: { isShort: boolean; hasOutput: boolean },
): string[] {
  const names = [command.parent?.name(), command.name()].filter((name) => name !== 'qrctl');
  return [
    ...(isShort ? [`All ${all.length} flags, and details: \`qrctl help ${names.join(' ')} --full\`.`] : []),
    `${hasOutput ? 'Output flags, such as --format: `qrctl help output`. ' : ''}Global: \`qrctl help flags\`.`,
    ...(command.guide === undefined ? [] : [`Guide: docs/${command.guide}.md`]),
  ];
}

function rootSections(helper: Help): string[] {
  const titled = TREE.filter(isBranch).filter(({ title }) => title !== undefined);
  const others = TREE.filter((node) => !(isBranch(node) && node.title !== undefined));
  const sections: [string, Item[]][] = [
    ...titled.map(({ title = '', name, commands }): [string, Item[]] => [
      title,
      commands.map((leaf) => [`${name} ${leaf.name}`, leaf.summary]),
    ]),
    ['Setup', others.map(({ name, summary }): Item => [name, summary])],
  ];
  const width = longest(sections.flatMap(([, items]) => items));
  return sections.flatMap(([title, items]) =>
    helper.formatItemList(`${title}:`, formatItems(items, width, helper), helper),
  );
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

function optionTerm({ short, flags }: Option): string {
  return short ? flags : `    ${flags}`;
}

function widthOf({ columns }: Terminal): number {
  return Math.max(NARROWEST, Math.min(columns || WIDEST, WIDEST));
}

export const FIRST_STEPS = [
  ['qrctl demo', 'Run a demo (no key required)'],
  ['qrctl auth login', 'Connect to your workspace'],
  ['qrctl scans export --all -o scans.csv', 'Export all scans to a file'],
] as const;

function rootText(helper: Help): string {
  const topics = `Topics: ${TOPIC_WORDS.map(({ name }) => name).join(', ')}.`;
  return [
    helper.boxWrap(topics, WIDEST),
    'More: `qrctl help COMMAND`, `qrctl help TOPIC` or `qrctl help --json`.',
    'Start here: `qrctl demo`, then `qrctl auth login`. Guides: docs/ in the package.',
    '',
  ].join('\n');
}

export async function formatWelcome(program: Command, terminal: Terminal): Promise<string> {
  const helper = await loadHelper(program, terminal);
  const summary = helper.boxWrap(program.description(), widthOf(terminal));
  const width = longest(FIRST_STEPS);
  const steps = FIRST_STEPS.map(([term, meaning]) => `  ${term.padEnd(width)}  ${meaning}`);
  const rest = ['', 'All commands and topics: `qrctl --help`.', ''];
  return [summary, '', helper.styleTitle('Start here:'), ...steps, ...rest].join('\n');
}

export async function formatTopic(
  { title, blocks }: Topic,
  program: Command,
  terminal: Terminal,
): Promise<string> {
  const helper = await loadHelper(program, terminal);
  return `${[helper.styleTitle(title), ...blocks.map((block) => formatBlock(block, helper))].join('\n\n')}\n`;
}

function formatBlock(block: Block, helper: Help): string {
  if (typeof block === 'string') return helper.boxWrap(block, helper.helpWidth ?? WIDEST);
  if ('lines' in block) return block.lines.map((line) => `  ${line}`).join('\n');
  return formatItems(block.list, longest(block.list), helper).join('\n');
}

async function loadHelper(command: Command, terminal: Terminal): Promise<Help> {
  const { bold: styleTitle } = await loadColors(terminal.color);
  const helper = command.configureHelp({ styleTitle, minWidthToWrap: NARROWEST / 4 }).createHelp();
  helper.prepareContext({ helpWidth: widthOf(terminal) });
  return helper;
}
