/** The command line as completion scripts need it: what can follow each word. */
import type { Argument, Completion, Flag } from '../../commands/define.ts';
import type { Manual } from './page.ts';
import { TOPICS } from './topics.ts';

/** A point that a line can have reached: `''`, `qr`, `qr list`, `help qr`. */
export interface Point {
  path: string;
  /** Words that lead on. */
  names: readonly { name: string; summary: string }[];
  /** Without the global ones. */
  flags: readonly Flag[];
  arguments: readonly Argument[];
}

/** Every point, the root first. */
export function points({ root, groups, commands }: Manual): Point[] {
  const topics = TOPICS.map(({ name, title }) => ({ name, summary: title }));
  const group = (path: string, names: Point['names']): Point => ({ path, names, flags: [], arguments: [] });
  const leaf = (page: Manual['commands'][number]): Point => ({ ...page, path: page.names.join(' '), names: [] });
  return [
    group('', root.commands),
    ...groups.map(({ name, commands: children }) => group(name, children)),
    ...commands.map(leaf),
    group('help', [...root.commands.filter(({ name }) => name !== 'help'), ...topics]),
    ...groups.map(({ name, commands: children }) => group(`help ${name}`, children)),
  ];
}

/**
 * Every way to write a flag that takes a value. The scripts skip the word after it wherever it stands, so a flag must take one
 * everywhere or nowhere; throws where the definitions do not agree.
 */
export function valuedFlags(manual: Manual): string[] {
  const flags = [...manual.globals, ...manual.commands.flatMap((command) => command.flags)];
  const switches = new Set(spellings(flags.filter(({ value }) => value === undefined)));
  const valued = new Set(spellings(flags.filter(({ value }) => value !== undefined)));
  for (const name of valued) if (switches.has(name)) throw new Error(`${name} takes a value in one command and none in another`);
  return [...valued];
}

/** Where the values come from: fixed ones, or what is looked up while typing. */
export type ValueKind = readonly string[] | Completion;

export function valueKind({ choices, complete }: Pick<Flag, 'choices' | 'complete'>): ValueKind {
  return choices.length > 0 ? choices : complete;
}

/** Every way to write one of the flags. */
export function spellings(flags: readonly Flag[]): string[] {
  return flags.flatMap(({ short, long }) => (short ? [short, long] : [long]));
}

/** A word of a shell in which nothing has a meaning, in single quotes; not for fish and PowerShell, which quote otherwise. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** One line at the top of each script. */
export const NOTICE = 'Made from the commands by `npm run completions`: do not edit.';
