import type { AddHelpTextContext, Argument, Command, Help, Option } from 'commander';
import type { Example } from '../../commands/define.ts';
import { GLOBAL_FLAGS } from '../../commands/global-options.ts';
import { loadColors } from '../../terminal/color.ts';
import { type Block, TOPIC_WORDS, type Topic } from './topics.ts';

export interface Terminal {
  columns: number | undefined;
  color: boolean;
}

const WIDEST = 80;
const NARROWEST = 40;

export async function formatHelp(command: Command, terminal: Terminal): Promise<string> {
  const { bold: styleTitle } = await loadColors(terminal.color);
  let text = '';
  command
    .configureOutput({
      writeOut(part) {
        text += part;
      },
      getOutHelpWidth: () => widthOf(terminal),
      getOutHasColors: () => terminal.color,
    })
    .configureHelp({ formatHelp: formatSections, optionTerm, styleTitle, minWidthToWrap: NARROWEST / 4 })
    .outputHelp();
  return text;
}

function formatSections(command: Command, helper: Help): string {
  const list = (title: string, width: number, items: Item[]) =>
    helper.formatItemList(title, formatItems(items, width, helper), helper);
  const options = helper
    .visibleOptions(command)
    .filter(({ helpGroupHeading }) => helpGroupHeading !== GLOBAL_FLAGS);
  const width = Math.max(helper.longestArgumentTermLength(command, helper), longest(options.map(optionItem)));
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
    'Flags for every command: see `qrctl help flags`.',
    '',
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

function optionTerm({ short, flags }: Option): string {
  return short ? flags : `    ${flags}`;
}

function widthOf({ columns }: Terminal): number {
  return Math.max(NARROWEST, Math.min(columns || WIDEST, WIDEST));
}

export function examplesText(examples: readonly Example[]) {
  return ({ command }: AddHelpTextContext) =>
    [
      '',
      command.createHelp().styleTitle('Examples:'),
      ...examples.flatMap(([line, does]) => [`  # ${does}`, `  ${line}`]),
    ].join('\n');
}

export function groupText({ command }: AddHelpTextContext): string {
  return `\nFlags and examples of a command: \`qrctl help ${command.name()} COMMAND\`.`;
}

export const FIRST_STEPS = [
  ['qrctl demo', 'Run a demo (no key required)'],
  ['qrctl auth login', 'Connect to your workspace'],
  ['qrctl scans export --all -o scans.csv', 'Export all scans to a file'],
] as const;

export function rootText({ command }: AddHelpTextContext): string {
  const { styleTitle: title } = command.createHelp();
  return [
    '',
    ...formatSteps(title),
    '',
    title('Topics:'),
    ...formatLines(TOPIC_WORDS.map(({ name, summary }) => [`qrctl help ${name}`, summary])),
    '',
    'Flags and examples of a command: `qrctl help COMMAND` or `qrctl COMMAND --help`.',
    'Everything as JSON, for programs: `qrctl help --json`.',
  ].join('\n');
}

function formatSteps(title: (text: string) => string): string[] {
  return [title('Start here:'), ...formatLines(FIRST_STEPS)];
}

function formatLines(items: readonly Item[]): string[] {
  return items.map(([term, meaning]) => `  ${term.padEnd(longest(items))}  ${meaning}`);
}

export async function formatWelcome(program: Command, terminal: Terminal): Promise<string> {
  const { helper, title } = await loadHelper(program, terminal);
  const summary = helper.boxWrap(program.description(), widthOf(terminal));
  return [summary, '', ...formatSteps(title), '', 'All commands and topics: `qrctl --help`.', ''].join('\n');
}

export async function formatTopic(
  { title: name, blocks }: Topic,
  program: Command,
  terminal: Terminal,
): Promise<string> {
  const { helper, title } = await loadHelper(program, terminal);
  return `${[title(name), ...blocks.map((block) => formatBlock(block, helper))].join('\n\n')}\n`;
}

function formatBlock(block: Block, helper: Help): string {
  if (typeof block === 'string') return helper.boxWrap(block, helper.helpWidth ?? WIDEST);
  if ('lines' in block) return block.lines.map((line) => `  ${line}`).join('\n');
  return formatItems(block.list, longest(block.list), helper).join('\n');
}

async function loadHelper(
  program: Command,
  terminal: Terminal,
): Promise<{ helper: Help; title: (text: string) => string }> {
  const helper = program.configureHelp({ minWidthToWrap: NARROWEST / 4 }).createHelp();
  helper.prepareContext({ helpWidth: widthOf(terminal) });
  return { helper, title: (await loadColors(terminal.color)).bold };
}
