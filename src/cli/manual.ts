/** The definitions of the commands as the pages that completions and man pages are made of. */
import type { Argument, ArgumentDefinition, CommandDefinition, Flag, OptionDefinition, Options } from '../commands/define.ts';
import { globalOptions, requestOptions } from '../commands/global-options.ts';
import type { CommandPage, GroupPage, Manual } from './help/page.ts';
import { isBranch, leaves, ROOT_SUMMARY, TREE } from './tree.ts';

const ROOT: GroupPage = {
  name: '',
  summary: ROOT_SUMMARY,
  commands: [...TREE.map(({ name, summary }) => ({ name, summary })), { name: 'help', summary: 'explain a command or a topic' }],
};

/** Loads every command. */
export async function loadManual(version: string): Promise<Manual> {
  const commands = [...leaves()].map(async ({ names, leaf }) => commandPage(names, leaf.summary, (await leaf.load()).command));
  const globals = flagsOf({ ...globalOptions, ...requestOptions });
  return { version, root: ROOT, groups: TREE.filter(isBranch), commands: await Promise.all(commands), globals };
}

function commandPage(names: readonly string[], summary: string, definition: CommandDefinition): CommandPage {
  const { description, arguments: given = [], options, examples } = definition;
  return { names, summary, description, arguments: given.map(asArgument), flags: flagsOf(options), examples };
}

function flagsOf(options: Options): Flag[] {
  return Object.values(options).map(asFlag);
}

function asFlag(definition: OptionDefinition<unknown>): Flag {
  const { flags, description, group = 'Flags:', choices = [], complete = 'none', repeatable = false } = definition;
  const [, short, long, value] = /^(?:(-\w), )?(--[\w-]+)(?: <(.+)>)?$/.exec(flags) ?? [];
  if (long === undefined) throw new Error(`${flags} is not how flags are written`);
  return { flags, short, long, value, description, group, choices, complete, repeatable };
}

function asArgument({ term, description, choices = [], complete = 'none' }: ArgumentDefinition): Argument {
  const [, name = '', dots] = /^[<[](.+?)(\.{3})?[\]>]$/.exec(term) ?? [];
  return { term, name, required: term.startsWith('<'), several: dots !== undefined, description, choices, complete };
}
