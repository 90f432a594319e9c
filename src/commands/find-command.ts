/** Which command the words name. Own code, because help and suggestions are asked for before commander is loaded. */
import type { Flag } from '../help/page.ts';
import { GLOBALS } from './manual.ts';
import { type Branch, isBranch, type Leaf, type Node, TREE } from './tree.ts';
import { unknownCommand, unknownFlagBefore } from './unknown.ts';

/** What the words of a command line are about. */
export interface Found {
  /** The names typed: `['qr', 'list']`. */
  names: readonly string[];
  /** The node they lead to; undefined where nothing was named. */
  node: Node | undefined;
  /** All other words, in order: flags typed before and between the names, and everything after them. */
  rest: readonly string[];
  /** The words after `help`, where the first name is that; or the names before and after, where it stands between. */
  help: readonly string[] | undefined;
}

/** Reads names and global flags up to a command. Throws UsageError on a word that is no name, and on an unknown flag before it. */
export function findCommand(argv: readonly string[]): Found {
  const names: string[] = [];
  const rest: string[] = [];
  let node: Node | undefined;
  let i = 0;
  for (; i < argv.length && (!node || isBranch(node)); i++) {
    const word = argv[i] ?? '';
    if (word === '--') break;
    if (word.startsWith('-') && word !== '-') {
      rest.push(word);
      if (!isGlobal(word)) throw unknownFlagBefore(word, names);
      if (takesNext(word, GLOBALS) && i + 1 < argv.length) rest.push(argv[++i] ?? '');
    } else if (word === 'help') {
      return { names, node, rest, help: [...names, ...argv.slice(i + 1).filter((other) => !other.startsWith('-'))] };
    } else {
      const child = childOf(node, word);
      if (!child) throw unknownCommand(word, names);
      names.push(word);
      node = child;
    }
  }
  return { names, node, rest: [...rest, ...argv.slice(i)], help: undefined };
}

function childOf(node: Branch | undefined, word: string): Node | undefined {
  const children: readonly (Node | Leaf)[] = node ? node.commands : TREE;
  return children.find(({ name }) => name === word);
}

/** The value of that flag is the next word: `--profile work`, but not `--profile=work`. */
export function takesNext(word: string, flags: readonly Flag[]): boolean {
  return flags.some(({ short, long, value }) => value !== undefined && (word === short || word === long));
}

function isGlobal(word: string): boolean {
  const name = word.split('=', 1)[0];
  if (GLOBALS.some(({ short, long }) => name === short || name === long)) return true;
  // -qv is -q -v
  return /^-\w{2,}$/.test(word) && [...word.slice(1)].every((letter) => isSwitch(`-${letter}`));
}

function isSwitch(short: string): boolean {
  return GLOBALS.some((flag) => flag.short === short && flag.value === undefined);
}

/** What is asked for in place of running a command: the last word counts for nothing where it is the value of a flag. */
export function findRequest(words: readonly string[], flags: readonly Flag[]): 'help' | 'version' | undefined {
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word === '--') return undefined;
    if (word === '--help' || /^-[qv]*h$/.test(word)) return 'help';
    if (word === '--version' || word === '-V') return 'version';
    if (takesNext(word, flags)) i += 1;
  }
  return undefined;
}
