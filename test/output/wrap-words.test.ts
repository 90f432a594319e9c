import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wrapWords } from '../../src/output/wrap-words.ts';

describe('a wrapped text', () => {
  test('is broken between words, and goes on indented', () => {
    expect(wrapWords('aaaa bbbb cccc dddd eeee ffff', 20)).toBe('aaaa bbbb cccc dddd\n  eeee ffff');
    expect(wrapWords('qrctl: short\n  a hint that is too long', 20)).toBe('qrctl: short\n  a hint that is too\n    long');
  });

  test('never breaks a word, however long', () => {
    const path = `/home/${'x'.repeat(60)}/scans.csv`;
    expect(wrapWords(`written to ${path} just now`, 30)).toBe(`written to\n  ${path}\n  just now`);
  });

  test('counts wide characters as two', () => {
    expect(wrapWords('東京東京東京 東京東京東京', 20)).toBe('東京東京東京\n  東京東京東京');
  });

  test('is as it was where it fits, and where nobody knows the width', () => {
    expect(wrapWords('a  b', 20)).toBe('a  b');
    expect(wrapWords('a '.repeat(50), undefined)).toBe('a '.repeat(50));
  });

  test('has the same words in the same order, and no line too wide but of one word', () => {
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
