import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { interpret } from '../../src/cli/program.ts';
import { SHELLS } from '../../src/commands/completion-scripts.ts';
import { EXIT_CODES } from '../../src/errors.ts';
import { commandLinesIn } from '../cli/help/command-lines.ts';

const ROOT = new URL('../../', import.meta.url);
/** HOST is a placeholder: a short URL with it is refused, so that nobody prints it. */
const readme = readFileSync(new URL('README.md', ROOT), 'utf8').replaceAll('//HOST/{slug}', '//go.example/{slug}');

/** Every line of code in it: fenced blocks, and spans that begin with the command. */
function codeLines(): string[] {
  const blocks = [...readme.matchAll(/^```\w*\n(.*?)^```/gms)].flatMap(([, block = '']) => block.split('\n'));
  const spans = [...readme.replace(/^```.*?^```/gms, '').matchAll(/`(qrctl [^`]*)`/g)].map(([, span = '']) => span);
  return [...blocks, ...spans].map((line) => line.replace(/(^|\s)#.*$/, ''));
}

describe('README', () => {
  const lines = [...new Set(codeLines().filter((line) => /(^|[^\w/.-])qrctl [a-z-]/.test(line)))];

  test('has command lines', () => {
    expect(lines.length).toBeGreaterThan(10);
  });

  test.each(lines)('%s is understood', async (line) => {
    const means = { version: '', terminal: () => ({ columns: undefined, colour: false }) };
    for (const words of commandLinesIn(line)) expect((await interpret(words, means)).kind).not.toBe('refuse');
  });

  test.each(SHELLS)('says how %s completes', (shell) => {
    expect(readme).toContain(`qrctl completion ${shell}`);
  });

  test('explains the exit codes in the words of the table', () => {
    const rows = readme.replaceAll('`', '');
    for (const { exit, meaning } of EXIT_CODES.filter((code) => code.exit <= 10))
      expect(rows).toContain(`| ${exit} | ${meaning} |`);
    expect(rows).toContain('| 130 / 143 | interrupted / terminated');
  });
});

const PROTOCOLS = ['limit', 'complete', 'append', 'dataset', 'once', 'durable', 'rows', 'check', 'stats'].map(
  (room) => `src/${room}/PROTOCOL.md`,
);

test.each(['README.md', '.github/CONTRIBUTING.md', ...PROTOCOLS])('%s names only files and scripts that are there', (name) => {
  const text = readFileSync(new URL(name, ROOT), 'utf8');
  const paths = [...text.matchAll(/(?<![\w/])(?:src|test|bin|completions)\/[\w./-]*\w/g)].map(([path]) => path);
  const inCode = [...text.matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g)].flatMap(([, path]) => path ?? []);
  const places = [ROOT, new URL('src/', ROOT), new URL(name, ROOT)];
  const isThere = (path: string) => /[A-Z]{4}/.test(path) || places.some((place) => existsSync(new URL(path, place)));
  expect([...paths, ...inCode].filter((path) => !isThere(path))).toEqual([]);
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g)) expect(Object.keys(scripts)).toContain(script);
});
