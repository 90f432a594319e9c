import { groupBy } from '../../base/collections.ts';
import type { Argument, Example, Flag, OutputColumns } from '../../commands/define.ts';

export interface CommandPage {
  names: readonly string[];
  summary: string;
  description: string;
  arguments: readonly Argument[];
  flags: readonly Flag[];
  output: readonly OutputColumns[];
  examples: readonly Example[];
}

export interface GroupPage {
  name: string;
  summary: string;
  commands: readonly { name: string; summary: string }[];
}

export interface Manual {
  version: string;
  root: GroupPage;
  groups: readonly GroupPage[];
  commands: readonly CommandPage[];
  globals: readonly Flag[];
}

export function fullName(names: readonly string[]): string {
  return ['qrctl', ...names].join(' ');
}

/**
 * Describes a flag or argument with its choices, or three of more than `most`: `Format: png, svg (default:
 * png)`.
 */
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

export function flagGroups(flags: readonly Flag[]): [heading: string, flags: Flag[]][] {
  return [...groupBy(flags, ({ group }) => group)];
}
