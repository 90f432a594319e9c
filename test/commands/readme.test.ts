import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '#base/errors';
import { interpret } from '#cli/program';
import { SHELLS } from '#commands/completion-scripts';
import { commandLinesIn } from '../cli/help/command-lines.ts';
import { DOCUMENTS, ROOT, readDocument } from '../support/documents.ts';

/** Every line of code in a document: fenced blocks, and spans that begin with the command. */
function codeLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].flatMap(([, block = '']) => block.split('\n'));
  const spans = [...text.replace(/^```.*?^```/gms, '').matchAll(/`(qrctl [^`]*)`/g)].map(
    ([, span = '']) => span,
  );
  return [...blocks, ...spans].map((line) => line.replaceAll('\\|', '|').replace(/(^|\s)#.*$/, ''));
}

const readme = readDocument('README.md');

describe('the documentation', () => {
  const code = DOCUMENTS.flatMap((name) => codeLines(readDocument(name)));
  const lines = [...new Set(code.filter((line) => /(^|[^\w/.-])qrctl [a-z-]/.test(line)))];

  test('has more than fifty command lines in total', () => {
    expect(lines.length).toBeGreaterThan(50);
  });

  test.each(lines)('contains this valid command line: %s', async (line) => {
    const means = { version: '', terminal: () => ({ columns: undefined, color: false }) };
    for (const words of commandLinesIn(line)) expect((await interpret(words, means)).kind).not.toBe('refuse');
  });

  test.each(SHELLS)('explains how to enable completion in %s', (shell) => {
    expect(readDocument('docs/install.md')).toContain(`qrctl completion ${shell}`);
  });

  test("lists each exit code with the same meaning as the program's exit code table", () => {
    const rows = readDocument('docs/ci.md').replaceAll('`', '');
    for (const { exit, meaning } of EXIT_CODES.filter((code) => code.exit <= 10))
      expect(rows).toContain(`| ${exit} | ${meaning} |`);
    expect(rows).toContain('| 130 / 143 | interrupted / terminated');
  });
});

const OF_FOLDERS = readdirSync(new URL('src', ROOT), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => `src/${path}`);

test.each([...DOCUMENTS, '.github/CONTRIBUTING.md', ...OF_FOLDERS])(
  '%s mentions only files and npm scripts that exist',
  (name) => {
    const text = readFileSync(new URL(name, ROOT), 'utf8');
    const paths = [...text.matchAll(/(?<![\w/])(?:src|test|bin|completions)\/[\w./-]*\w/g)].map(
      ([path]) => path,
    );
    const inCode = [...text.matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g)].flatMap(([, path]) => path ?? []);
    const places = [ROOT, new URL('src/', ROOT), new URL(name, ROOT)];
    const isThere = (path: string) =>
      /[A-Z]{4}/.test(path) || places.some((place) => existsSync(new URL(path, place)));
    expect([...paths, ...inCode].filter((path) => !isThere(path))).toEqual([]);
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
    for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g))
      expect(Object.keys(scripts)).toContain(script);
  },
);

/** As GitHub makes it of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
const anchorsIn = (place: URL) =>
  [...readFileSync(place, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

test.each([...DOCUMENTS, '.github/CONTRIBUTING.md', '.github/SECURITY.md'])(
  '%s links only to files and headings that exist',
  (name) => {
    const links = [
      ...readFileSync(new URL(name, ROOT), 'utf8').matchAll(/\]\((?!https:)([^)#]*)#?([^)]*)\)/g),
    ];
    const broken = links.filter(([, path = '', anchor]) => {
      const place = new URL(path, new URL(name, ROOT));
      return !existsSync(place) || (anchor && !anchorsIn(place).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  },
);

test('README links to each guide', () => {
  const guides = DOCUMENTS.filter((name) => name.startsWith('docs/'));
  expect(guides.filter((name) => !readme.includes(`](${name})`))).toEqual([]);
});
