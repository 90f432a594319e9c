import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clean, cleanCsv, cleanJson, cleanLines, findInvisible } from '#base/text/clean';
import { isCommon } from '#base/text/common-letters';
import { anyCharacter } from '../../support/any-character.ts';
import { runs, SOAK } from '../../support/property-runs.ts';

test('the fast check passes no character that the Unicode tables would escape (T5, T6, T7)', () => {
  const all = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter(isCommon);
  expect(all.length).toBeGreaterThan(30_000);
  // A letter that is not among them has all of the text looked at.
  for (const c of ['é', '東', '🎪']) expect(all).toContain(c);
  expect(clean(`${all.join('')}ก`)).toBe(`${all.join('')}ก`);
});

describe('text from the service', () => {
  test.each([
    ['an escape sequence', '\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
    ['an 8-bit escape sequence', '\x9b2J\x9f', '\\x9b2J\\x9f'],
    ['an OSC that would set the title', '\x1b]0;title\x07', '\\x1b]0;title\\x07'],
    ['line ends and tabs', 'a\nb\r\nc\td', 'a\\nb\\r\\nc\\td'],
    ['NUL and DEL', 'a\0b\x7f', 'a\\x00b\\x7f'],
    ['DEL alone', 'a\x7f', 'a\\x7f'],
    ['bidi overrides and isolates', 'a\u202eb\u2066c\u2069', 'a\\u{202e}b\\u{2066}c\\u{2069}'],
    ['zero-width characters', 'a\u200bb\u200dc\ufeffd\u2060', 'a\\u{200b}b\\u{200d}c\\u{feff}d\\u{2060}'],
    ['separators that some programs read as line ends', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
    ['letters without a glyph', 'a\u3164b\u115fc\u2800', 'a\\u{3164}b\\u{115f}c\\u{2800}'],
    ['tag characters, which can hide sentences', 'a\u{e0041}\u{e0042}', 'a\\u{e0041}\\u{e0042}'],
    ['lone surrogates', 'a\ud800b\udc00', 'a\\u{d800}b\\u{dc00}'],
    ['a soft hyphen', 'a\u00adb', 'a\\u{00ad}b'],
    ['a variation selector after a letter', 'a\ufe0fb\ufe0e', 'a\\u{fe0f}b\\u{fe0e}'],
  ])('has escapes for %s (T5)', (_what, text, shown) => {
    expect(clean(text)).toBe(shown);
  });

  test.each([
    'plain',
    'Größe',
    '東京タワー',
    'שלום',
    '👍',
    '👨‍👩‍👧',
    '❤️',
    '☕\ufe0f Kaffee',
    '❤\ufe0e',
    '1️⃣',
    '1\u20e3',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    '👍🏽',
    '🇩🇪',
    'e\u0301',
    'C:\\x1b',
  ])('is unchanged if it is %s (T6)', (text) => {
    expect(clean(text)).toBe(text);
  });

  test('has at most four marks on one letter (T7)', () => {
    expect(clean(`e${'\u0301'.repeat(500)}!`)).toBe(`e${'\u0301'.repeat(4)}!`);
    expect(clean(`e${'\u0301\u0903'.repeat(500)}!`)).toBe('e\u0301\u0903\u0301\u0903!');
  });

  test('has escapes for enclosing marks, except in keycaps (T7)', () => {
    expect(clean('a\u20ddb\u0489')).toBe('a\\u{20dd}b\\u{0489}');
    expect(clean('7\u20e3')).toBe('7\u20e3');
  });

  test('has no control or bidi character, line separator, lone surrogate or zero-width space for any input (T5)', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('\x1b', '\u202e', '\u200b', '\ud800', '\u2028', '👍', 'a'),
        fc.string({ unit: anyCharacter }),
      ),
    });
    fc.assert(
      fc.property(text, (hostile) => {
        const shown = clean(hostile);
        expect(shown).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b\ufeff\u2028\u2029]/u);
        expect(shown).not.toMatch(/\p{Surrogate}/u);
      }),
      runs(6),
    );
  });

  test('does not overflow the stack even if it has a million characters', () => {
    expect(clean('\u0301'.repeat(500_000))).toHaveLength(4);
    expect(clean('\x1b'.repeat(100_000))).toHaveLength(400_000);
    const many = SOAK ? 12_000_000 : 1_000_000;
    expect(cleanCsv('x'.repeat(many))).toHaveLength(many);
    expect(cleanCsv(`${'x'.repeat(many)}\x1b\r\n`)).toHaveLength(many + 6);
  });

  test('has an indent before its second line, so it cannot forge a message (T8)', () => {
    expect(cleanLines('bad name: x\nqrctl: all is well\x1b[0m\n')).toBe(
      'bad name: x\n  qrctl: all is well\\x1b[0m',
    );
  });
});

const HOSTILE = 'a\x1b[2J\x9b2J\u202eb\u{e0041}c\u2028d\ud800 👨‍👩‍👧 東京';

test('JSON for a terminal has the same values, and no control characters except line feeds (T9)', () => {
  const value = { [HOSTILE]: [HOSTILE, `e${'\u0301'.repeat(50)}`], n: 1 };
  const shown = cleanJson(JSON.stringify(value, undefined, 2));
  expect(JSON.parse(shown)).toEqual(value);
  expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e\u2028\u{e0041}]/u);
  expect(shown).not.toMatch(/\u0301{5}/);
  expect(shown).toContain('👨‍👩‍👧 東京');
});

test.each(['\n', '\r\n'])(
  'CSV for a terminal keeps its line ends %j, and no other control character',
  (end) => {
    expect(cleanCsv(`id,name${end}1,"a\rb${end}c"${end}2,${HOSTILE}${end}`)).toBe(
      `id,name${end}1,"a\\rb${end}c"${end}2,a\\x1b[2J\\x9b2J\\u{202e}b\\u{e0041}c\\u{2028}d\\u{d800} 👨‍👩‍👧 東京${end}`,
    );
  },
);

test('CSV with only hostile characters is escaped', () => {
  expect(cleanCsv('\x1b\u202e')).toBe('\\x1b\\u{202e}');
});

test('JSON with a single hostile character is escaped (T9)', () => {
  expect(cleanJson('\u202e')).toBe('\\u202e');
});

describe('findInvisible', () => {
  test.each([
    ['https://x.test/Men\u00fc/a\u200bb\u202e', 21, 'U+200B (zero-width space)'],
    ['\ufeffa', 0, 'U+FEFF (byte order mark)'],
    ['a\u00ad', 1, 'U+00AD (soft hyphen)'],
    ['a\u0007', 1, 'U+0007'],
    ['a\u2800', 1, 'U+2800'],
    ['می\u200cخواهم a\u200cb', 10, 'U+200C (zero-width non-joiner)'],
    ['می\u200c', 2, 'U+200C (zero-width non-joiner)'],
  ])('returns the first invisible character of %j: index %i, %s', (text, at, name) => {
    expect(findInvisible(text)).toEqual({ at, name });
  });

  test.each(['plain', 'a\n\u2028b', '👨‍👩‍👧 ❤️', 'می\u200cخواهم', 'ก', 'a\u20dd'])(
    'returns undefined for %j',
    (text) => {
      expect(findInvisible(text)).toBeUndefined();
    },
  );
});
