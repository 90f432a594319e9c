import { describe, expect, it } from 'vitest';
import { loadFonts } from '#files/paper/caption-fonts';
import { captionOf, piecesOf } from '#files/paper/captions';

describe('a caption', () => {
  it('ends in an ellipsis only if the name is longer than the limit (I8)', () => {
    expect(captionOf(`Menu${'\u200b'.repeat(3996)}`)).toBe('Menu');
    expect(captionOf(`Menu${'\u200b'.repeat(3997)}`)).toBe('Menu…');
  });

  it.each([
    ['x'.repeat(1000), 'x'.repeat(1000)],
    ['\u200b'.repeat(5000), ''],
    ['  a \n\u2028\tb ', 'a b'],
    ['e\u0301', '\u00e9'],
    [`abcdx${'\u0301'.repeat(6)}y`, `abcdx${'\u0301'.repeat(4)}y`],
  ])('of the name %j is %j', (name, caption) => {
    expect(captionOf(name)).toBe(caption);
  });

  it('has no space before its ellipsis', () => {
    expect(captionOf(`${'x'.repeat(999)} ${'y'.repeat(9)}`)).toBe(`${'x'.repeat(999)}…`);
  });

  it('continues from left to right after a right-to-left word', async () => {
    const text = 'menu قائمة menu';
    const expected = ['menu ', 'قائمة', ' ', 'menu'];
    expect(piecesOf(text, await loadFonts([text])).map((piece) => piece.text)).toEqual(expected);
  });

  it.each([
    ['a😀b', 'a😀b'],
    ['(שלום)', '(םולש)'],
    // fontkit reverses digits in Arabic script, even though they run from left to right.
    ['۱۲۳', '۳۲۱'],
  ])('like %j is drawn as %j, and is refused if no font has its characters', (text, drawn) => {
    const font = { name: '', bytes: Buffer.alloc(0), isTooLight: false, has: () => true };
    expect(piecesOf(text, [font])).toEqual([{ font, text: drawn }]);
    expect(() => piecesOf(text, [])).toThrow('no font has a character of it');
  });
});
