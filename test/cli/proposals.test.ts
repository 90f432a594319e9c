/** Commands that qrctl proposes act on the workspace of the run that proposes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createPropose } from '#cli/proposals';
import { isBranch, leaves, TREE } from '#cli/tree';

const URL_FLAG = 'https://qr.example/api/v1';
const propose = createPropose({ profile: 'kundeb', baseUrl: URL_FLAG });
const BOTH = `--profile kundeb --base-url ${URL_FLAG}`;

describe('a command in a message', () => {
  it.each([
    ['see: qrctl doctor', `see: qrctl doctor ${BOTH}`],
    ['`qrctl qr update a --status paused`', `\`qrctl qr update ${BOTH} a --status paused\``],
    [
      'qrctl qr list --profile x and qrctl qr get a',
      `qrctl qr list --base-url ${URL_FLAG} --profile x and qrctl qr get ${BOTH} a`,
    ],
    ['`qrctl qr get a`, or --profile x', `\`qrctl qr get ${BOTH} a\`, or --profile x`],
    [`Did you mean \`qrctl qr list ${BOTH}\`?`, `Did you mean \`qrctl qr list ${BOTH}\`?`],
    ["qrctl qr list --name 'qrctl qr list'", `qrctl qr list ${BOTH} --name 'qrctl qr list'`],
    ["the codes' names don't match: qrctl qr list", `the codes' names don't match: qrctl qr list ${BOTH}`],
    ['qrctl config set format csv', 'qrctl config set --profile kundeb format csv'],
  ])('gets --profile and --base-url from the current run if it accepts them: %s', (text, expected) => {
    expect(propose(text)).toBe(expected);
    expect(propose(propose(text))).toBe(expected);
  });

  it.each([
    'qrctl auth list shows them all',
    '`qrctl demo` and `qrctl sandbox` need none',
    'qrctl qr --help lists the commands',
    'list the flags with `qrctl qr list --help`',
    'usage: qrctl qr list [flags]',
    'Did you mean `qrctl help exit-codes`?',
    'a newer qrctl may have written it',
    'no code is called "qrctl qr delete x"',
    'Delete "a \\"qrctl qr delete x\\" b" (slug a)?',
    "there is no profile 'qrctl qr list'",
    '/usr/share/qrctl qr list',
  ])('is unchanged if it does not accept --profile, or if the text is not a command: %s', (text) => {
    expect(propose(text)).toBe(text);
  });

  it('gets no base URL that contains a password, and gets a profile name quoted for the shell', () => {
    expect(createPropose({})('see: qrctl doctor')).toBe('see: qrctl doctor');
    expect(createPropose({ baseUrl: 'https://user:secret@qr.example/api/v1' })('qrctl doctor')).toBe(
      'qrctl doctor',
    );
    expect(createPropose({ profile: 'a b; rm' })('qrctl doctor')).toBe("qrctl doctor --profile 'a b; rm'");
    expect(createPropose({ profile: 'a\u001b[2Jb' })('qrctl doctor')).toBe('qrctl doctor --profile NAME');
  });
});

const LITERAL = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g;

/** Every text of a source file but comments and examples, which are read before a command is run; what is filled in stands as X. */
function textsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8').replace(
    /\/\*\*?[\s\S]*?\*\/|^\s*\/\/.*$|^ {2}examples: \[[\s\S]*?^ {2}\],$|description:[^;]*?,$/gm,
    '',
  );
  return [...source.matchAll(LITERAL)].map(([, single, double, template]) =>
    (single ?? double ?? template ?? '').replace(/\$\{[^{}]*\}/g, 'X').replace(/\\(.)/g, '$1'),
  );
}

it('each command in the messages in src/ gets --profile from the current run', () => {
  const root = fileURLToPath(new URL('../../src/', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?!help|build|sandbox).*\.ts$/.test(name),
  );
  const taking = [...leaves()].filter(({ leaf }) => !leaf.takes || leaf.takes.includes('--profile'));
  const names = taking.map((path) => path.names.join(' '));
  expect(names.length).toBeGreaterThan(TREE.filter((node) => !isBranch(node)).length);
  const proposal = new RegExp(`\\bqrctl (?:${names.join('|')})\\b(?! --help)`, 'g');
  const texts = files.flatMap((name) => textsOf(root + name)).filter((text) => text.search(proposal) >= 0);
  expect(texts.length).toBeGreaterThan(25);
  for (const text of texts) {
    const commands = propose(text)
      .split(/(?=\bqrctl )/)
      .filter((part) => part.search(proposal) === 0);
    expect(commands.length, text).toBe(text.match(proposal)?.length);
    for (const command of commands) expect(command, text).toMatch(/ --profile /);
  }
});
