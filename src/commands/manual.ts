/** The definitions of the commands as the pages that help, completions and man pages are made of. */
import type { Argument, CommandPage, Flag, GroupPage, Manual } from '../help/page.ts';
import { GLOBAL_FLAGS } from '../help/page.ts';
import type { ArgumentDefinition, CommandDefinition, OptionDefinition, Options } from './define.ts';
import { globalOptions } from './global-options.ts';
import { type Branch, isBranch, leaves, TREE } from './tree.ts';

const HELP: OptionDefinition<true> = { flags: '-h, --help', description: 'print help', group: GLOBAL_FLAGS };
const VERSION: OptionDefinition<true> = { flags: '-V, --version', description: 'print the version', group: GLOBAL_FLAGS };

/** The flags every command has. */
export const GLOBALS: readonly Flag[] = [...Object.values<OptionDefinition<unknown>>(globalOptions), HELP, VERSION].map(asFlag);

export const ROOT: GroupPage = {
  name: '',
  summary: 'creates dynamic QR codes and exports their scans: complete, each exactly once, within the rate limit',
  commands: [...TREE.map(({ name, summary }) => ({ name, summary })), { name: 'help', summary: 'explain a command or a topic' }],
};

/** The page of a command that is loaded. */
export function commandPage(names: readonly string[], summary: string, definition: CommandDefinition): CommandPage {
  const { description, arguments: given = [], options, examples } = definition;
  return { names, summary, description, arguments: given.map(asArgument), flags: flagsOf(options), examples };
}

export function groupPage({ name, summary, commands }: Branch): GroupPage {
  return { name, summary, commands };
}

/** Loads every command. */
export async function loadManual(version: string): Promise<Manual> {
  const commands = [...leaves()].map(async ({ names, leaf }) => commandPage(names, leaf.summary, (await leaf.load()).command));
  const groups = TREE.filter(isBranch).map(groupPage);
  return { version, root: ROOT, groups, commands: await Promise.all(commands), globals: GLOBALS };
}

/** The flags of a command beside the global ones. */
export function flagsOf(options: Options): Flag[] {
  return Object.values(options).map(asFlag);
}

function asFlag({ flags, description, group, choices, complete, repeatable }: OptionDefinition<unknown>): Flag {
  const [, short, long, value] = /^(?:(-\w), )?(--[\w-]+)(?: <(.+)>)?$/.exec(flags) ?? [];
  if (long === undefined) throw new Error(`${flags} is not how flags are written`);
  return {
    short,
    long,
    value,
    description,
    group: group ?? 'Flags:',
    choices: choices ?? [],
    complete: complete ?? 'none',
    repeatable: repeatable ?? false,
  };
}

function asArgument({ name, description, choices, complete }: ArgumentDefinition): Argument {
  const bare = name.slice(1, -1);
  return {
    name: bare.replace(/\.\.\.$/, ''),
    required: name.startsWith('<'),
    several: bare.endsWith('...'),
    description,
    choices: choices ?? [],
    complete: complete ?? 'none',
  };
}
