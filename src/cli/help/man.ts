/** Formats man pages in roff (man(7) macros): qrctl(1), and one per command and group. */

import { type CommandPage, describeValues, flagGroups, fullName, type Manual } from '#cli/manual';
import type { Branch } from '#cli/tree';
import type { Flag } from '#commands/define';
import { FIRST_STEPS } from './command-help.ts';
import { type Block, FLAGS_TOPIC, TOPICS } from './topics.ts';

export function manPages(manual: Manual): Record<string, string> {
  const { commands, groups } = manual;
  return Object.fromEntries([
    ['qrctl.1', rootPage(manual)],
    ...groups.map((group) => [`qrctl-${group.name}.1`, groupPage(group, manual)]),
    ...commands.map((command) => [`${pageName(command.names)}.1`, commandPage(command, manual)]),
  ]);
}

function pageName(names: readonly string[]): string {
  return ['qrctl', ...names].join('-');
}

function rootPage({ version, summary, globals, commands }: Manual): string {
  return lines([
    header([], summary, '<command> [flags]', version),
    section('DESCRIPTION'),
    text(`${summary}.`),
    section('COMMANDS'),
    ...commands.flatMap((command) => item(fullName(command.names), command.summary)),
    ...flagSections(globals),
    ...TOPICS.filter((topic) => topic !== FLAGS_TOPIC).flatMap(({ title, blocks }) => [
      section(title.toUpperCase()),
      ...blocks.flatMap(block),
    ]),
    section('EXAMPLES'),
    ...FIRST_STEPS.flatMap(([command, does]) => example(command, does)),
    ...seeAlso(commands.map(({ names }) => pageName(names))),
  ]);
}

function groupPage({ name, summary, commands }: Branch, { version, globals }: Manual): string {
  return lines([
    header([name], summary, '<command> [flags]', version),
    section('DESCRIPTION'),
    text(`${summary}.`),
    section('COMMANDS'),
    ...commands.flatMap((command) => item(fullName([name, command.name]), command.summary)),
    ...flagSections(globals),
    ...seeAlso(['qrctl', ...commands.map((command) => pageName([name, command.name]))]),
  ]);
}

function commandPage(page: CommandPage, { version, globals }: Manual): string {
  const { names, summary, guide, description, arguments: given, flags, examples } = page;
  return lines([
    header(names, summary, [...given.map(({ term }) => term), '[flags]'].join(' '), version),
    section('DESCRIPTION'),
    ...description.split('\n\n').flatMap((paragraph) => ['.PP', text(paragraph)]),
    ...(given.length > 0 ? [section('ARGUMENTS')] : []),
    ...given.flatMap((argument) => item(argument.name, describeValues(argument))),
    ...flagSections([...flags, ...globals]),
    section('EXAMPLES'),
    ...examples.flatMap(([command, does]) => example(command, does)),
    section('EXIT STATUS'),
    text('0 if the command succeeds. For the other exit codes, see qrctl(1).'),
    ...seeAlso(['qrctl']),
    ...(guide === undefined ? [] : ['.PP', text(`Guide: docs/${guide}.md`)]),
  ]);
}

function header(names: readonly string[], summary: string, synopsis: string, version: string): string {
  const name = pageName(names);
  // Omits the date, so that builds are reproducible.
  const title = `.TH "${text(name.toUpperCase())}" 1 "" "qrctl ${text(version)}" "qrctl manual"`;
  const layout = [title, '.nh', '.ad l', section('NAME'), `${text(name)} \\- ${text(summary)}`];
  return [...layout, section('SYNOPSIS'), `.B ${text(fullName(names))}`, text(synopsis)].join('\n');
}

function section(title: string): string {
  return `.SH "${text(title)}"`;
}

function flagSections(flags: readonly Flag[]): string[] {
  return flagGroups(flags).flatMap(([group, members]) => [
    section(group.replace(':', '').toUpperCase()),
    ...members.flatMap((flag) => item(flag.flags, describeValues(flag))),
  ]);
}

function item(term: string, meaning: string): string[] {
  return ['.TP', `.B ${text(term)}`, text(meaning)];
}

function example(command: string, does: string): string[] {
  return ['.PP', text(`${does}:`), '.PP', '.RS 4', '.EX', text(command), '.EE', '.RE'];
}

function seeAlso(names: readonly string[]): string[] {
  return [section('SEE ALSO'), names.map((name) => `\\fB${text(name)}\\fR(1)`).join(', ')];
}

function block(content: Block): string[] {
  if (typeof content === 'string') return ['.PP', text(content)];
  if ('list' in content) return content.list.flatMap(([term, meaning]) => item(term, meaning));
  return ['.PP', '.RS 4', '.EX', ...content.lines.map(text), '.EE', '.RE'];
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': 'e',
  '-': '-',
  "'": '(aq',
  '"': '(dq',
  '`': '(ga',
  '~': '(ti',
  '^': '(ha',
};

function text(words: string): string {
  return words
    .replace(/[\\'"`~^-]/g, (letter) => `\\${ESCAPES[letter]}`)
    .replace(/^\./, '\\&.')
    .replace(
      /[^\n -~]/gu,
      (letter) => `\\[u${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}

function lines(parts: readonly string[]): string {
  return `${parts.join('\n')}\n`;
}
