/** Suggests the intended command line for an invalid one, by other tools' words for qrctl's commands and flags. */
import { nearest } from '../base/text/nearest.ts';
import { inShell, shown } from '../base/text/quote.ts';
import { isBranch, leaves, TREE } from './tree.ts';

/** Names that other tools use for qrctl's commands. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  show: ['get'],
  view: ['get'],
  new: ['create'],
  add: ['create'],
  edit: ['update'],
  set: ['update'],
  switch: ['use'],
  code: ['qr'],
  codes: ['qr'],
  scan: ['scans'],
  profile: ['auth'],
  profiles: ['auth', 'list'],
  settings: ['config'],
  download: ['scans', 'export'],
  whoami: ['auth', 'status'],
  completions: ['completion'],
};

/** Other names for the commands of a single group. */
const SYNONYMS_OF_NOUN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  scans: {
    list: 'export',
    ls: 'export',
    get: 'export',
    show: 'export',
    download: 'export',
    dump: 'export',
    fetch: 'export',
  },
};

/** Commands of other tools that are a flag of `qr update` here; unless its value is fixed, it is the last word. */
const UPDATES: Readonly<Record<string, readonly [flag: string, value?: string]>> = {
  pause: ['--status', 'paused'],
  disable: ['--status', 'paused'],
  deactivate: ['--status', 'paused'],
  resume: ['--status', 'active'],
  unpause: ['--status', 'active'],
  activate: ['--status', 'active'],
  enable: ['--status', 'active'],
  expire: ['--status', 'expired'],
  rename: ['--name'],
  redirect: ['--destination'],
  retarget: ['--destination'],
};

/** Names that other tools use for qrctl's flags; the first that the command has is suggested. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  '--search': ['--name'],
  '--query': ['--name'],
  '--find': ['--name'],
  '--filter': ['--name'],
  '--title': ['--name'],
  '--url': ['--destination', '--base-url'],
  '--target': ['--destination'],
  '--link': ['--destination'],
  '--host': ['--base-url'],
  '--server': ['--base-url'],
  '--file': ['--from', '--output'],
  '--input': ['--from'],
  '--out': ['--output'],
  '--outfile': ['--output'],
  '--output-file': ['--output'],
  '--columns': ['--fields'],
  '--order': ['--sort'],
  '--sort-by': ['--sort'],
  '--state': ['--status'],
  '--max': ['--limit'],
  '--start': ['--since'],
  '--after': ['--since'],
  '--end': ['--until'],
  '--before': ['--until'],
  '--to': ['--until'],
  '--tz': ['--timezone'],
  '--debug': ['--verbose'],
  '--silent': ['--quiet'],
};

/** Formats that have their own flag in other tools. */
const FORMAT_FLAGS = new Set(['--json', '--csv', '--ndjson', '--table']);

/** Placeholder for a missing code. */
const CODE = 'CODE';

/** Suggests a line for the unknown command `word` after `names`; undefined if there is no suggestion. */
export function commandHint(
  word: string,
  names: readonly string[],
  argv: readonly string[],
): string | undefined {
  const rest = wordsBehind([...names, word], argv);
  const update = Object.hasOwn(UPDATES, word) ? UPDATES[word] : undefined;
  if (update && (names.length === 0 || names[0] === 'qr'))
    return sentence(lineOf(['qr', 'update', ...asUpdate(rest, update)]));
  const [first, ...others] = commandsMeant(word, names);
  if (first === undefined) return undefined;
  const needsCode =
    first === 'scans export' && !rest.includes('--all') && !rest.some((typed) => !typed.startsWith('-'));
  const line = lineOf([...first.split(' '), ...(needsCode && names[0] === 'scans' ? [CODE] : []), ...rest]);
  return sentence(line ?? lineOf(first.split(' ')), others);
}

/** Returns the flags of `qr update` for a command of another tool. */
function asUpdate(rest: readonly string[], [flag, fixed]: readonly [flag: string, value?: string]): string[] {
  const operands = rest.filter((typed) => !typed.startsWith('-'));
  const [code = CODE, ...more] = operands;
  if (fixed !== undefined) return [...(operands.length > 0 ? operands : [CODE]), flag, fixed];
  return [code, flag, more.join(' ') || flag.slice(2).toUpperCase()];
}

/** Suggests the line with the flag that `word` means in other tools; undefined if the command has no such flag. */
export function flagHint(
  word: string,
  known: readonly string[],
  names: readonly string[],
  argv: readonly string[],
) {
  const [flag = '', ...value] = word.split('=');
  const wanted = Object.hasOwn(FLAGS, flag) ? FLAGS[flag]?.find((ours) => known.includes(ours)) : undefined;
  const asFormat =
    FORMAT_FLAGS.has(flag) && known.includes('--format') ? ['--format', flag.slice(2)] : undefined;
  const meant = asFormat ?? (wanted === undefined ? undefined : [[wanted, ...value].join('=')]);
  if (!meant) return undefined;
  const rest = wordsBehind(names, argv).flatMap((typed) => (typed === word ? meant : [typed]));
  return sentence(lineOf([...names, ...rest]) ?? lineOf([...names, ...meant]));
}

/** Suggests the line in which surplus arguments are values of flags; undefined if there is no suggestion. */
export function operandHint(
  names: readonly string[],
  operands: readonly string[],
  argv: readonly string[],
): string | undefined {
  const flags = flagsOf(names.join(' '), operands);
  if (!flags) return undefined;
  const rest = wordsBehind(names, argv);
  for (const operand of operands) rest.splice(rest.indexOf(operand), 1);
  return sentence(lineOf([...names, ...flags, ...rest]));
}

function flagsOf(command: string, operands: readonly string[]): string[] | undefined {
  const isAddress = (text: string) => /^[a-z][a-z0-9+.-]*:|^www\.|^[\w-]+(\.[\w-]+)+(\/|$)/i.test(text);
  const addresses = operands.filter(isAddress);
  const text = operands.filter((operand) => !isAddress(operand)).join(' ');
  if (command === 'qr list') return ['--name', operands.join(' ')];
  if (command === 'auth login' && addresses.length === 1 && text === '') return ['--base-url', ...addresses];
  if (command !== 'qr create' || addresses.length > 1) return undefined;
  if (/\.(csv|tsv|json|ndjson|jsonl|xlsx)$/i.test(operands[0] ?? '') && operands.length === 1)
    return ['--from', ...operands];
  return [
    ...(text === '' ? [] : ['--name', text]),
    ...addresses.flatMap((address) => ['--destination', address]),
  ];
}

/** Returns the commands that may be meant, the likeliest first. */
function commandsMeant(word: string, names: readonly string[]): string[] {
  const here = siblings(names).filter((name) => !isRisky([...names, name]));
  const ofNoun = SYNONYMS_OF_NOUN[names[0] ?? ''];
  if (ofNoun && Object.hasOwn(ofNoun, word)) return [[...names, ofNoun[word]].join(' ')];
  const synonym = Object.hasOwn(SYNONYMS, word) ? (SYNONYMS[word] ?? []) : [];
  const exact = [word, ...synonym.slice(0, 1)].flatMap((verb) => elsewhere(verb, names));
  const [first = ''] = synonym;
  if (here.includes(first)) return [[...names, ...synonym].join(' ')];
  if (exact.length > 0) return exact;
  const similar = nearest(word, here);
  if (similar) return [[...names, similar].join(' ')];
  const verb = nearest(
    word,
    [...leaves()].filter(({ leaf }) => !leaf.risky).map(({ leaf }) => leaf.name),
  );
  return verb ? elsewhere(verb, names) : [];
}

/** Returns the names of the commands in the group of `names`. */
export function siblings(names: readonly string[]): string[] {
  const nodes = names.reduce<readonly { name: string }[]>((children, name) => {
    const child = TREE.find((node) => node.name === name);
    return child && isBranch(child) ? child.commands : children;
  }, TREE);
  return nodes.map(({ name }) => name);
}

/** Tests whether these names lead to a command that is never suggested. */
function isRisky(names: readonly string[]): boolean {
  return [...leaves()].some((path) => path.leaf.risky && path.names.join(' ') === names.join(' '));
}

/** Returns the commands with that name in other groups. */
function elsewhere(verb: string, names: readonly string[]): string[] {
  return [...leaves()]
    .filter(({ leaf }) => leaf.name === verb && !leaf.risky)
    .map((path) => path.names.join(' '))
    .filter((path) => path !== [...names, verb].join(' '));
}

/** Returns the words after these, which occur in the line in this order; without help flags. */
function wordsBehind(words: readonly string[], argv: readonly string[]): string[] {
  const behind = words.reduce((from, word) => argv.indexOf(word, from) + 1, 0);
  return argv.slice(behind).filter((typed) => typed !== '--help' && typed !== '-h');
}

/** Joins the words as a POSIX shell line; undefined if one can't be printed as it is. */
function lineOf(words: readonly string[]): string | undefined {
  if (words.some((word) => shown(word) !== word)) return undefined;
  return ['qrctl', ...words.map(inShell)].join(' ');
}

function sentence(line: string | undefined, others: readonly string[] = []): string | undefined {
  if (line === undefined) return undefined;
  const more =
    others.length > 0 ? ` See also ${others.map((name) => `\`qrctl ${name}\``).join(' and ')}.` : '';
  return `Did you mean \`${line}\`?${more}`;
}
