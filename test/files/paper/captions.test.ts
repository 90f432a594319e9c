import { describe, expect, it } from 'vitest';
import { loadFonts } from '#files/paper/caption-fonts';
import { captionOf, piecesOf } from '#files/paper/captions';

describe('a caption', () => {
  it('is complete if its name is not longer than the limit (I8)', () => {
    expect(captionOf(`Menu${'\u200b'.repeat(3996)}`)).toBe('Menu');
    expect(captionOf(`Menu${'\u200b'.repeat(3997)}`)).toBe('Menu…');
  });

  it('has no space before its ellipsis', () => {
    expect(captionOf(`${'x'.repeat(999)} ${'y'.repeat(9)}`)).toBe(`${'x'.repeat(999)}…`);
  });

  it('continues to the right after a word that runs to the left', async () => {
    const text = 'menu قائمة menu';
    expect(piecesOf(text, await loadFonts([text])).map((piece) => piece.text)).toEqual([
      'menu ',
      'قائمة',
      ' ',
      'menu',
    ]);
  });
});
