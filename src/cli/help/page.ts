/** Commands as help, completions and man pages see them: plain data, made from the definitions by cli/manual.ts. */
import { groupBy } from '../../collections/group-by.ts';
import type { Argument, Example, Flag } from '../../commands/define.ts';

/** One command that does something. */
export interface CommandPage {
  /** What is typed after `qrctl`: `['qr', 'list']`. */
  names: readonly string[];
  summary: string;
  description: string;
  arguments: readonly Argument[];
  flags: readonly Flag[];
  examples: readonly Example[];
}

/** A word that leads to commands: `qr`; or, with no name, `qrctl` itself. */
export interface GroupPage {
  name: string;
  summary: string;
  commands: readonly { name: string; summary: string }[];
}

/** Everything there is to know about the command line. */
export interface Manual {
  version: string;
  root: GroupPage;
  groups: readonly GroupPage[];
  commands: readonly CommandPage[];
  /** The flags every command has. */
  globals: readonly Flag[];
}

/** `qrctl scans export` */
export function fullName(names: readonly string[]): string {
  return ['qrctl', ...names].join(' ');
}

/** A summary as a sentence of its own. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** The description, and the values where they are few fixed ones. */
export function describeValues(described: { description: string; choices?: readonly string[]; repeatable?: boolean }): string {
  const { description, choices = [], repeatable } = described;
  const notes = [choices.length > 0 ? `one of ${choices.join(', ')}` : '', repeatable ? 'may be repeated' : ''].filter(Boolean);
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description;
}

/** Flags by heading: the command's own first, the global ones last. */
export function flagGroups(flags: readonly Flag[]): [heading: string, flags: Flag[]][] {
  return [...groupBy(flags, ({ group }) => group)];
}
