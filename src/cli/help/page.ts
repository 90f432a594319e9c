/** Data model of help, completions and man pages; cli/manual.ts fills it from the command definitions. */
import { groupBy } from '../../base/collections/group-by.ts';
import type { Argument, Example, Flag, OutputColumns } from '../../commands/define.ts';

/** Page of a command that can be run. */
export interface CommandPage {
  /** Words after `qrctl`: `['qr', 'list']`. */
  names: readonly string[];
  summary: string;
  description: string;
  arguments: readonly Argument[];
  flags: readonly Flag[];
  /** Columns of its kinds of output. */
  output: readonly OutputColumns[];
  examples: readonly Example[];
}

/** Page of a group of commands, such as `qr`; without a name, of `qrctl` itself. */
export interface GroupPage {
  name: string;
  summary: string;
  commands: readonly { name: string; summary: string }[];
}

/** All pages of the command line. */
export interface Manual {
  version: string;
  root: GroupPage;
  groups: readonly GroupPage[];
  commands: readonly CommandPage[];
  /** Flags of every command. */
  globals: readonly Flag[];
}

/** Returns the full name of a command: `qrctl scans export`. */
export function fullName(names: readonly string[]): string {
  return ['qrctl', ...names].join(' ');
}

/** Ends a summary with a period. */
export function sentence(summary: string): string {
  return `${summary}.`;
}

/** Describes a flag or argument with its fixed values: `Format: png, svg (default: png; repeatable)`. Lists three values of more than `most`. */
export function describeValues(
  described: { description: string; choices?: readonly string[]; repeatable?: boolean },
  most = Number.POSITIVE_INFINITY,
): string {
  const { description, choices: all = [], repeatable } = described;
  const choices = all.length > most ? [...all.slice(0, 3), '…'] : all;
  const [, what = description, limits] = /^(.*) \(([^()]*)\)$/.exec(description) ?? [];
  const notes = [limits, repeatable && 'repeatable'].filter(Boolean);
  return `${[what, choices.join(', ')].filter(Boolean).join(': ')}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`;
}

/** Groups flags by heading: the command's own first, the global ones last. */
export function flagGroups(flags: readonly Flag[]): [heading: string, flags: Flag[]][] {
  return [...groupBy(flags, ({ group }) => group)];
}
