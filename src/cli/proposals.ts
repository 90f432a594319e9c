/** Adds --profile and --base-url to commands in messages, so that pasted commands use the same workspace. */
import { inShellOr } from '#base/text/quote';
import { baseUrlOf } from '#service/base-url';
import type { SettingFlags } from '#settings/settings';
import { leaves, type NamedLeaf, type WorkspaceFlag } from './tree.ts';

type Propose = (text: string) => string;

/** Matches quoted text, which stays unchanged, or `qrctl` with the next one or two words. */
const QUOTED_OR_COMMAND =
  /"(?:\\"|[^"])*"|(?<![^\s=(`])'(?:[^']|'\\'')*'|(?<![\w/-]|usage: )qrctl ([a-z]+)(?: ([a-z]+))?/g;

const END = /[`\n]|, |; |\bqrctl /;

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
        const missing = found.leaf.takes.filter((flag) => given.has(flag) && !behind.includes(flag));
        const name = ['qrctl', ...found.names].join(' ');
        return (
          name + missing.map((flag) => ` ${flag} ${given.get(flag)}`).join('') + match.slice(name.length)
        );
      },
    );
}

/** Returns the flags to add. Omits an invalid base URL, which may contain a password. */
function flagsToCarry({ profile, baseUrl }: SettingFlags): Map<WorkspaceFlag, string> {
  const given = new Map<WorkspaceFlag, string>();
  if (profile !== undefined) given.set('--profile', inShellOr('NAME', profile));
  if (baseUrl !== undefined && baseUrlOf(baseUrl) !== undefined)
    given.set('--base-url', inShellOr('URL', baseUrl));
  return given;
}

function findCommand(noun: string, verb: string | undefined): NamedLeaf | undefined {
  return [...leaves()].find(({ names: [first, second = verb] }) => first === noun && second === verb);
}
