/** Words that make no command, and the one that was probably meant. */
import { type FailureDetails, UsageError } from '../errors.ts';
import { fullName } from '../help/page.ts';
import { nearest } from '../nearest.ts';
import { redactKeys } from '../settings/key.ts';
import { GLOBALS } from './manual.ts';
import { isBranch, leaves, TREE } from './tree.ts';

/** What other tools call our commands. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  show: ['get'],
  view: ['get'],
  new: ['create'],
  add: ['create'],
  edit: ['update'],
  rename: ['update'],
  rm: ['delete'],
  remove: ['delete'],
  switch: ['use'],
  code: ['qr'],
  codes: ['qr'],
  profile: ['auth'],
  profiles: ['auth', 'list'],
  settings: ['config'],
  download: ['scans', 'export'],
  whoami: ['auth', 'status'],
  completions: ['completion'],
};

/** A failure to understand; what was typed is shown, but never a key that got where it does not belong. */
export function misread(message: string, details: FailureDetails = {}): UsageError {
  return new UsageError(redactKeys(message), details);
}

/** `word`, typed after `names`, is no command there. */
export function unknownCommand(word: string, names: readonly string[]): UsageError {
  const typed = [...names, word].join(' ');
  const meant = didYouMean(word, names);
  const hint = meant.length > 0 ? suggestion(meant) : `${fullName(names)} --help lists the commands`;
  return misread(`unknown command '${shorten(typed)}'`, { hint });
}

/** A flag that no command has by that name before the command, where only global flags may stand. */
export function unknownFlagBefore(word: string, names: readonly string[]): UsageError {
  const flag = word.split('=', 1)[0] ?? word;
  const similar = nearestFlag(
    flag,
    GLOBALS.map(({ long }) => long),
  );
  const hint = similar
    ? `did you mean ${similar}?`
    : `a command's own flags stand after it, as in: ${fullName(names.length > 0 ? [...names, 'list'] : ['qr', 'list'])} ${shorten(flag)}`;
  return misread(`unknown flag '${shorten(flag)}' before the command`, { hint });
}

/** The flag somebody probably meant; `-format` is `--format`. */
export function nearestFlag(flag: string, known: readonly string[]): string | undefined {
  return known.find((long) => long === `-${flag}`) ?? (flag.length > 2 ? nearest(flag, known) : undefined);
}

/** What is shown of a word in a message. */
export function shorten(word: string): string {
  return word.length > 60 ? `${word.slice(0, 60)}…` : word;
}

/** Commands that may be meant, the likeliest first. */
function didYouMean(word: string, names: readonly string[]): string[] {
  const here = siblings(names);
  const synonym = Object.hasOwn(SYNONYMS, word) ? (SYNONYMS[word] ?? []) : [];
  const exact = [word, ...synonym.slice(0, 1)].flatMap((verb) => elsewhere(verb, names));
  const [first = ''] = synonym;
  if (here.includes(first)) return [[...names, ...synonym].join(' ')];
  if (exact.length > 0) return exact;
  const similar = nearest(word, here);
  if (similar) return [[...names, similar].join(' ')];
  const verb = nearest(
    word,
    [...leaves()].map(({ leaf }) => leaf.name),
  );
  return verb ? elsewhere(verb, names) : [];
}

function siblings(names: readonly string[]): string[] {
  const nodes = names.reduce<readonly { name: string }[]>((children, name) => {
    const child = TREE.find((node) => node.name === name);
    return child && isBranch(child) ? child.commands : children;
  }, TREE);
  return nodes.map(({ name }) => name);
}

/** The commands of that name in other places of the tree. */
function elsewhere(verb: string, names: readonly string[]): string[] {
  return [...leaves()]
    .filter(({ leaf }) => leaf.name === verb)
    .map((path) => path.names.join(' '))
    .filter((path) => path !== [...names, verb].join(' '));
}

function suggestion([first = '', ...others]: readonly string[]): string {
  const more = others.length > 0 ? ` There is also ${others.map((name) => `qrctl ${name}`).join(' and ')}.` : '';
  return `did you mean \`qrctl ${first}\`?${more}`;
}
