/** Texts with characters that the fonts lack, as they are printed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadFonts } from '#files/paper/caption-fonts';
import { typeset } from '#files/paper/missing-glyphs';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/property-runs.ts';

/** Latin and Japanese. */
const fonts = await loadFonts(['ał東']);

describe('a text', () => {
  it.each([
    ['22\u202f132 scans', '22\u2009132 scans'],
    ['non\u2011breaking', 'non-breaking'],
    ['Berlin → Hamburg', 'Berlin › Hamburg'],
    ['Menu 🇩🇪', 'Menu DE'],
    ['𝓢𝓾𝓶𝓶𝓮𝓻 ﬁnal ① ℃', 'Summer final 1 °C'],
    ['1️⃣ Entrée', '1 Entrée'],
    ['㈱東京 ㎡', '(株)東京 m2'],
    ['≥ 5‰', '>= 50/00'],
  ])('like %j is printed with equivalent characters', (text, expected) => {
    expect(typeset(text, fonts)).toEqual({ text: expected, lost: 'nothing' });
  });

  it.each([
    ['🎪 Sommerfest', 'Sommerfest', 'symbols'],
    ['Sommer 🎪🎉 fest', 'Sommer fest', 'symbols'],
    ['Menu 🎉, bar', 'Menu, bar', 'symbols'],
    ['Menu 👩🏽‍🍳', 'Menu', 'symbols'],
    ['Menu\u00a0🎉', 'Menu', 'symbols'],
    ['한국어 🎉 menu', '… menu', 'words'],
    ['Menu 한국어', 'Menu …', 'words'],
    ['🎉', '…', 'words'],
    [' a 🎉', ' a', 'symbols'],
    ['🎉 a ', 'a ', 'symbols'],
    ['🎪Sommerfest', 'Sommerfest', 'symbols'],
    ['Sommer 🎉fest', 'Sommer fest', 'symbols'],
    ['Sommer 🎉㈱', 'Sommer (株)', 'symbols'],
    ['', '', 'nothing'],
    ['Łódź – 東京', 'Łódź – 東京', 'nothing'],
  ])(
    'like %j keeps its printable characters, and the result states whether symbols or words are lost',
    (text, expected, lost) => {
      expect(typeset(text, fonts)).toEqual({ text: expected, lost });
    },
  );

  it.each([
    ['\u202f', '\u2009'],
    ['\u2007', '\u00a0'],
    ['\u1680\u2000\u2001\u2003\u2004\u2005\u2006\u2008\u200a\u205f', ' '],
    ['‐‑⁃', '-'],
    ['‒↔⇔', '–'],
    ['―⸺⸻', '—'],
    ['‛', '‘'],
    ['‟〝', '“'],
    ['〞〟', '”'],
    ['‣●▪■◦∙', '•'],
    ['→➔➜⇒►▶', '›'],
    ['←⇐◄◀', '‹'],
    ['✕✖✗✘', '×'],
    ['★☆✦✱※', '*'],
    ['‡', '††'],
    ['‰', '0/00'],
    ['\u20e3', ''],
    ['≤', '<='],
    ['≥', '>='],
    ['≈', '~'],
  ])('with each of %j is printed with %j if no font has the character', (characters, printed) => {
    const font = { has: (character: string) => !characters.includes(character) };
    for (const character of characters)
      expect(typeset(`a${character}b`, [font])).toEqual({ text: `a${printed}b`, lost: 'nothing' });
  });

  it('keeps invisible characters that a font has, and omits those that no font has without a mark', () => {
    const font = { has: (character: string) => character !== '🎉' && character !== '\u2060' };
    expect(typeset('a\u200db 🎉', [font])).toEqual({ text: 'a\u200db', lost: 'symbols' });
    expect(typeset('\u2060', [font])).toEqual({ text: '', lost: 'nothing' });
  });

  it('is printed only with characters in the fonts, and is unchanged if it is typeset again (I9)', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(' ', '🎉', '\u202f', '한', 'a'),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 6 }), (parts) => {
        const text = parts.join('');
        const set = typeset(text, fonts);
        expect([...set.text].filter((character) => !fonts.some((font) => font.has(character)))).toEqual([]);
        // Invisible characters alone leave nothing.
        expect(set.text === '' && set.lost !== 'nothing').toBe(false);
        expect(typeset(set.text, fonts)).toEqual({ text: set.text, lost: 'nothing' });
      }),
      runs(120, 30_000),
    );
  });
});
