import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spacedPaths, wrapWords } from '#terminal/wrap-words';

describe('a wrapped text', () => {
  test('is broken between words, with indented continuation lines', () => {
    expect(wrapWords('aaaa bbbb cccc dddd eeee ffff', 20)).toBe('aaaa bbbb cccc dddd\n  eeee ffff');
    expect(wrapWords('qrctl: short\n  a hint that is too long', 20)).toBe(
      'qrctl: short\n  a hint that is too\n    long',
    );
  });

  test('contains each word unbroken, even a word longer than the line', () => {
    const path = `/home/${'x'.repeat(60)}/scans.csv`;
    expect(wrapWords(`written to ${path} just now`, 30)).toBe(`written to\n  ${path}\n  just now`);
  });

  test('is not broken within a command in backquotes', () => {
    const text = 'Done (to undo this: `qrctl qr undo 2026`)';
    expect(wrapWords(text, 30)).toBe('Done (to undo this:\n  `qrctl qr undo 2026`)');
  });

  test('is not broken within a path with spaces that is known from the command line', () => {
    const whole = () =>
      spacedPaths({
        argv: ['-o', 'my new/scans of May.csv'],
        env: { HOME: '/home/Max M' },
        cwd: () => '/data',
      });
    expect(wrapWords('cannot append to /data/my new/scans of May.csv: it was cut', 40, { whole })).toBe(
      'cannot append to\n  /data/my new/scans of May.csv: it was\n  cut',
    );
    expect(wrapWords('the state is /home/Max M/my new/scans of May.state', 40, { whole })).toBe(
      'the state is\n  /home/Max M/my new/scans of May.state',
    );
  });

  test('counts wide characters as two columns', () => {
    expect(wrapWords('東京東京東京 東京東京東京', 20)).toBe('東京東京東京\n  東京東京東京');
  });

  test('is unchanged if it fits, or if the width is unknown or less than 20 columns', () => {
    expect(wrapWords('a  b', 20)).toBe('a  b');
    for (const width of [undefined, 19]) expect(wrapWords('a '.repeat(50), width)).toBe('a '.repeat(50));
  });

  test('has the same words in the same order, and only a line with a single word may be too wide', () => {
    const word = fc.stringMatching(/^[a-z/.]{1,30}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 20, max: 60 }), (words, columns) => {
        const lines = wrapWords(words.join(' '), columns).split('\n');
        expect(lines.flatMap((line) => line.trim().split(' '))).toEqual(words);
        for (const line of lines) expect(line.length <= columns || !line.trim().includes(' ')).toBe(true);
      }),
    );
  });
});

describe('possible paths with spaces', () => {
  const { argv, env } = {
    argv: ['--output=a b.csv', '-oc d.xlsx', 'plain', '--from', 'e f.csv.gz'],
    env: { HOME: '/home/x y' },
  };

  test('are words with spaces from the command line, with and without extension, the current directory and HOME', () => {
    const found = spacedPaths({ argv, env, cwd: () => '/data/g h' });
    expect(found).toEqual(
      expect.arrayContaining([
        'a b.csv',
        'a b',
        'c d.xlsx',
        'c d',
        'e f.csv.gz',
        'e f',
        '/home/x y',
        '/data/g h',
      ]),
    );
    expect(found).not.toContain('plain');
    expect([...found].sort((a, b) => b.length - a.length)).toEqual(found);
    expect(spacedPaths({ argv: [' a', 'a b', 'a b c '], env: {}, cwd: () => '/' })).toEqual([
      'a b c ',
      'a b',
    ]);
  });

  test('are found even if the current directory was deleted', () => {
    const gone = () => {
      throw new Error('ENOENT');
    };
    expect(spacedPaths({ argv: ['a b'], env: {}, cwd: gone })).toEqual(['a b']);
  });
});
