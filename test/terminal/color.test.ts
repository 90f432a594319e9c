import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadColors, wantsColor } from '#terminal/color';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));

/** A color written by hand, in any of the forms JavaScript has for ESC, or a library or function of Node for it. */
const BY_HAND = /(?:\\x1b|\\u001b|\\u\{0*1b\}|\\033|\x1b)\[[\d;]*m/i;
const BY_OTHERS =
  /(?:from|import\(|require\()\s*['"](?:chalk|picocolors|kleur|@colors\/[^'"]*|ansi-[^'"]*)['"]|\bstyleText\b/;

/** What the sandbox makes up to be hostile: data, which is never written to a terminal as it is. */
const HOSTILE = ['sandbox/sample-codes.ts', 'sandbox/sample-visits.ts'];

function writersOfColor(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:ts|mjs|js)$/.test(path))
    .filter((path) => {
      const text = readFileSync(SOURCES + path, 'utf8');
      return BY_HAND.test(text) || BY_OTHERS.test(text);
    });
}

/** A image in black on white, which no theme may turn around: no decoration. */
const IMAGE = 'codes/images/terminal.ts';

test('in src/, only terminal/color.ts, the module for code images and sample data contain color escape sequences or import color libraries', () => {
  expect(writersOfColor().sort()).toEqual([IMAGE, 'terminal/color.ts', ...HOSTILE].sort());
});

test.each([
  "'\\x1b[31mred'",
  "'\\u001b[1;31mred'",
  '`\\u{1b}[0m`',
  'red \x1b[31m',
  "import chalk from 'chalk'",
  "await import('chalk')",
  "styleText('red', text)",
])('the search for color escape sequences and color libraries finds %j', (line) => {
  expect(BY_HAND.test(line) || BY_OTHERS.test(line)).toBe(true);
});

test.each<[NodeJS.Dict<string>, { isTerminal?: boolean; noColor?: boolean }, boolean]>([
  [{}, {}, true],
  [{ TERM: 'dumb' }, {}, false],
  [{}, { isTerminal: false }, false],
  [{ FORCE_COLOR: '1', TERM: 'dumb' }, { isTerminal: false }, true],
  [{ FORCE_COLOR: '0' }, {}, false],
  [{ FORCE_COLOR: 'false' }, {}, false],
  [{ FORCE_COLOR: '', NO_COLOR: '' }, {}, true],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, {}, false],
  [{ FORCE_COLOR: '1' }, { noColor: true }, false],
])('with the variables %j and the options %j, output is colored: %s', async (env, place, isColored) => {
  expect(wantsColor(env, { isTerminal: true, noColor: false, ...place })).toBe(isColored);
  const { red, bold } = await loadColors(isColored);
  expect([red('x') === 'x', bold('x') === 'x']).toEqual([!isColored, !isColored]);
});
