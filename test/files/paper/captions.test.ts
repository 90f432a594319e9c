import { describe, expect, it } from 'vitest';
import { loadFonts } from '#files/paper/caption-fonts';
import { captionOf, piecesOf } from '#files/paper/captions';

describe('a caption', () => {
  it('ends in an ellipsis only if the name is longer than the limit (I8)', () => {
    expect(captionOf(`Menu${'\u200b'.repeat(3996)}`)).toBe('Menu');
    expect(captionOf(`Menu${'\u200b'.repeat(3997)}`)).toBe('Menu…');
  });

  it('has no space before its ellipsis', () => {
    expect(captionOf(`${'x'.repeat(999)} ${'y'.repeat(9)}`)).toBe(`${'x'.repeat(999)}…`);
  });

  it('continues from left to right after a right-to-left word', async () => {
    const text = 'menu قائمة menu';
    const expected = ['menu ', 'قائمة', ' ', 'menu'];
    expect(piecesOf(text, await loadFonts([text])).map((piece) => piece.text)).toEqual(expected);
  });
});
