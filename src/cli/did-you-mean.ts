import { nearest } from '#base/text/nearest';
import { inShell, shown } from '#base/text/quote';
import { isBranch, leaves, TREE } from './tree.ts';

const COMMANDS = synonyms({
  list: 'ls',
  get: 'show view',
  create: 'add',
  update: 'edit',
  qr: 'code codes',
  scans: 'scan',
  auth: 'profile',
  config: 'settings',
  'scans export': 'download',
  'scans stats': 'count analytics statistics',
  'scans tail': 'follow stream logs',
  'scans watch': 'monitor alert',
  'qr image': 'print label labels draw png svg',
  'qr create': 'import bulk spreadsheet spreadsheets',
  'qr apply': 'sync diff',
  'auth status': 'whoami',
  'auth login': 'signin configure',
});

const EXPORTS = ['list', 'ls', 'get', 'show', 'download'];

const UPDATES = synonyms({
  '--status paused': 'pause disable',
  '--status active': 'resume enable',
  '--name': 'rename',
  '--destination': 'redirect',
});

/** Flags to suggest for flags of other tools. The first that the command accepts is used. */
const FLAGS = synonyms({
  '--where --name': '--filter',
  '--name': '--search --title',
  '--destination': '--url --target --link',
  '--base-url': '--host',
  '--from': '--file',
  '--fields': '--columns --select',
  '--status': '--state',
  '--by': '--group-by --groupby --dimension --breakdown',
  '--during': '--month --week --day --quarter --year --period --range',
  '--since': '--start --after',
  '--until': '--end --before',
  '--timezone': '--tz',
  '--limit --top --max-events': '--limit --max --count --head',
  '--sort': '--sort-by --order-by --order',
  '--language': '--lang --locale',
  '--as': '--format',
  '--sheet': '--labels',
  '--profile': '--workspace --account',
  '--verbose': '--debug',
});

const REPORT_FORMATS =
  'The extension of -o selects HTML or PDF. For data, run `qrctl scans stats` with --format.';

const FORMATS = ['--json', '--csv', '--ndjson', '--markdown'];

function synonyms(wordsOf: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(wordsOf).flatMap(([meaning, words]) => words.split(' ').map((word) => [word, meaning])),
  );
}

export function commandHint(
  word: string,
  names: readonly string[],
  argv: readonly string[],
): string | undefined {
  const rest = wordsBehind([...names, word], argv);
  const operands = rest.filter((typed) => !typed.startsWith('-'));
  const [flag, value] = UPDATES.get(word)?.split(' ') ?? [];
  if (flag !== undefined && (names.length === 0 || names[0] === 'qr')) {
    const [code = 'CODE', ...more] = operands;
    const codes = value === undefined ? [code] : [code, ...more];
    const text = value ?? (more.join(' ') || flag.slice(2).toUpperCase());
    return didYouMean(['qr', 'update', ...codes, flag, text]);
  }
  const [first, ...others] = commandsMeant(word, names);
  if (first === undefined) return undefined;
  const choosing = ['--all', '--from', '--input', '--name'];
  const lacksCode = operands.length === 0 && !rest.some((typed) => choosing.includes(typed));
  const command = first.split(' ');
  const code = names[0] === 'scans' && first.startsWith('scans ') && lacksCode ? ['CODE'] : [];
  return didYouMean([...command, ...code, ...rest], others) ?? didYouMean(command, others);
}

export function flagHint(
  word: string,
  known: readonly string[],
  names: readonly string[],
  argv: readonly string[],
): string | undefined {
  const [typed = '', ...value] = word.split('=');
  const format = FORMATS.includes(typed) ? '--format' : undefined;
  if ((format ?? typed) === '--format' && names.join(' ') === 'scans report') return REPORT_FORMATS;
  const meanings = FLAGS.get(typed)?.split(' ') ?? [];
  const flag = (format ? [format] : meanings).find((name) => known.includes(name));
  if (flag === undefined) return undefined;
  const meant = format ? [format, typed.slice(2)] : [[flag, ...value].join('=')];
  const rest = wordsBehind(names, argv).flatMap((other) => (other === word ? meant : [other]));
  const whole = argv.includes(word) ? didYouMean([...names, ...rest]) : undefined;
  return whole ?? didYouMean([...names, ...meant]);
}

export function operandHint(
  names: readonly string[],
  operands: readonly string[],
  argv: readonly string[],
): string | undefined {
  const flags = flagsFor(names.join(' '), operands);
  if (!flags) return undefined;
  const rest = wordsBehind(names, argv);
  for (const operand of operands) rest.splice(rest.indexOf(operand), 1);
  return didYouMean([...names, ...flags, ...rest]);
}

function flagsFor(command: string, operands: readonly string[]): string[] | undefined {
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

function commandsMeant(word: string, names: readonly string[]): string[] {
  if (names[0] === 'scans' && EXPORTS.includes(word)) return ['scans export'];
  const all = [...leaves()].map(({ names, leaf }) => ({ ...leaf, path: names.join(' ') }));
  const harmless = all.filter(({ risky }) => !risky);
  const full = (name: string) => [...names, name].join(' ');
  const elsewhere = (verb: string) =>
    harmless.filter(({ path, name }) => name === verb && path !== full(verb)).map(({ path }) => path);
  const here = siblings(names).filter((name) => !all.some(({ path, risky }) => risky && path === full(name)));
  const synonym = COMMANDS.get(word) ?? '';
  if (harmless.some(({ path }) => path === synonym)) return [synonym];
  if (here.includes(synonym)) return [full(synonym)];
  const exact = [word, synonym].flatMap(elsewhere);
  if (exact.length > 0) return exact;
  const similar = nearest(word, here);
  if (similar) return [full(similar)];
  const verb = nearest(
    word,
    harmless.map(({ name }) => name),
  );
  return verb ? elsewhere(verb) : [];
}

export function siblings(names: readonly string[]): string[] {
  const group = TREE.find(({ name }) => name === names[0]);
  return (group && isBranch(group) ? group.commands : TREE).map(({ name }) => name);
}

function wordsBehind(words: readonly string[], argv: readonly string[]): string[] {
  const behind = words.reduce((from, word) => argv.indexOf(word, from) + 1, 0);
  return argv.slice(behind).filter((typed) => typed !== '--help' && typed !== '-h');
}

function didYouMean(words: readonly string[], others: readonly string[] = []): string | undefined {
  if (words.some((word) => shown(word) !== word)) return undefined;
  const more =
    others.length > 0 ? ` See also ${others.map((name) => `\`qrctl ${name}\``).join(' and ')}.` : '';
  return `Did you mean \`${['qrctl', ...words.map(inShell)].join(' ')}\`?${more}`;
}
