/**
 * Completes the commands in hints, notes and prompts with the workspace flags of the run, so that a pasted command acts on the same
 * workspace. In one place, so that no text needs to handle it.
 */
import { inShellOr } from '../base/text/quote.ts';
import { baseUrlOf } from '../service/base-url.ts';
import type { SettingFlags } from '../settings/settings.ts';
import { isBranch, TREE, type WorkspaceFlag } from './tree.ts';

/** Completes the commands in a text. */
export type Propose = (text: string) => string;

/**
 * Values in quotes, which are left as they are, or `qrctl` with the words that follow it. A quote within a word is an apostrophe.
 */
const QUOTED_OR_COMMAND =
  /"(?:\\"|[^"])*"|(?<![^\s=(`])'(?:[^']|'\\'')*'|(?<![\w/-]|usage: )qrctl ([a-z]+)(?: ([a-z]+))?/g;

/** Where a command ends at the latest: at its backquote or the end of its line, or where the next one begins. */
const END = /[`\n]|, |; |\bqrctl /;

/** Creates the function that adds the `--profile` and `--base-url` of these flags to each proposed command that accepts and lacks them. */
export function createPropose(flags: SettingFlags): Propose {
  const given = flagsToCarry(flags);
  if (given.size === 0) return (text) => text;
  return (text) =>
    text.replace(
      QUOTED_OR_COMMAND,
      (match, noun: string | undefined, verb: string | undefined, at: number) => {
        const found = noun === undefined ? undefined : findCommand(noun, verb);
        const [behind = ''] = text.slice(at + match.length).split(END, 1);
        if (!found || behind.startsWith(' --help')) return match;
        const missing = found.takes.filter((flag) => given.has(flag) && !behind.includes(flag));
        const name = ['qrctl', ...found.names].join(' ');
        return (
          name + missing.map((flag) => ` ${flag} ${given.get(flag)}`).join('') + match.slice(name.length)
        );
      },
    );
}

/** The flags as they are typed. A base URL that is refused is not repeated: it may hold a password. */
function flagsToCarry({ profile, baseUrl }: SettingFlags): Map<WorkspaceFlag, string> {
  const given = new Map<WorkspaceFlag, string>();
  if (profile !== undefined) given.set('--profile', inShellOr('NAME', profile));
  if (baseUrl !== undefined && baseUrlOf(baseUrl) !== undefined)
    given.set('--base-url', inShellOr('URL', baseUrl));
  return given;
}

/** The command that these words begin with, if any, and which of the flags mean something to it. */
function findCommand(
  noun: string,
  verb: string | undefined,
): { names: string[]; takes: readonly WorkspaceFlag[] } | undefined {
  const node = TREE.find(({ name }) => name === noun);
  if (!node) return undefined;
  if (!isBranch(node)) return { names: [noun], takes: node.takes ?? BOTH };
  const leaf = node.commands.find(({ name }) => name === verb);
  return leaf && { names: [noun, leaf.name], takes: leaf.takes ?? BOTH };
}

const BOTH: readonly WorkspaceFlag[] = ['--profile', '--base-url'];
