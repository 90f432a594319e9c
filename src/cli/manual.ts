import { groupBy } from '#base/collections';
import type { Argument, ArgumentDefinition, Flag, OptionDefinition, Options } from '#commands/define';
import { lineOptions } from '#commands/global-options';
import { isBranch, leaves, type NamedLeaf, ROOT_SUMMARY, TREE } from './tree.ts';

export type Manual = Awaited<ReturnType<typeof loadManual>>;

export async function loadManual(version: string) {
  const commands = [...leaves()].map(loadPage);
  const groups = TREE.filter(isBranch);
  const globals = flagsOf(lineOptions);
  return { version, summary: ROOT_SUMMARY, groups, commands: await Promise.all(commands), globals };
}

export type CommandPage = Awaited<ReturnType<typeof loadPage>>;

async function loadPage({ names, leaf: { summary, guide, load } }: NamedLeaf) {
  const { command: definition } = await load();
  const { description, arguments: given = [], options, columns: output = [], examples } = definition;
  const flags = flagsOf(options, given);
  return { names, summary, guide, description, arguments: argumentsOf(given), flags, output, examples };
}

export function flagsOf(options: Options, given: readonly ArgumentDefinition[] = []): Flag[] {
  const flags = Object.values(options).map(asFlag);
  const names = new Set([...flags.map(({ long }) => long), ...argumentsOf(given).map(relationName)]);
  const known = (others: readonly string[]) => others.filter((name) => names.has(name));
  return flags.map((flag) => ({
    ...flag,
    requires: flag.requires.map(known).filter(({ length }) => length > 0),
    conflicts: known(flag.conflicts),
  }));
}

export function relationName({ name }: Argument): string {
  return name.toUpperCase();
}

export function argumentsOf(definitions: readonly ArgumentDefinition[]): Argument[] {
  return definitions.map(asArgument);
}

export const OWN_FLAGS = 'Flags:';

const NOTHING = { complete: 'none', choices: [], repeatable: false, conflicts: [] } as const;

function asFlag(definition: OptionDefinition<unknown>): Flag {
  const { flags, group = OWN_FLAGS, requires = [] } = definition;
  const [, short, long, value] = /^(?:(-\w), )?(--[\w-]+)(?: <(.+)>)?$/.exec(flags) ?? [];
  if (long === undefined) throw new Error(`malformed flags: ${flags}`);
  const { type = value === undefined ? 'boolean' : 'string' } = definition;
  const lists = requires.map((names) => [names].flat());
  return { ...NOTHING, ...definition, short, long, value, group, type, requires: lists };
}

function asArgument(definition: ArgumentDefinition): Argument {
  const { term } = definition;
  const [, name = '', dots] = /^[<[](.+?)(\.{3})?[\]>]$/.exec(term) ?? [];
  return { ...NOTHING, ...definition, name, required: term.startsWith('<'), several: dots !== undefined };
}

export function fullName(names: readonly string[]): string {
  return ['qrctl', ...names].join(' ');
}

/** Formats `Format: png, svg (default: png)`. Shows three choices if there are more than `most`. */
export function describeValues(
  described: { description: string; choices?: readonly string[]; repeatable?: boolean },
  most = Infinity,
): string {
  const { description, choices: all = [], repeatable } = described;
  const choices = all.length > most ? [...all.slice(0, 3), '…'] : all;
  const [, what = description, limits] = /^(.*) \(([^()]*)\)$/.exec(description) ?? [];
  const notes = [limits, repeatable && 'repeatable'].filter(Boolean);
  return `${[what, choices.join(', ')].filter(Boolean).join(': ')}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`;
}

export function flagGroups(flags: readonly Flag[]): [heading: string, flags: Flag[]][] {
  return [...groupBy(flags, ({ group }) => group)];
}
