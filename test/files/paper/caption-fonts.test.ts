import { describe, expect, it } from 'vitest';
import { loadFonts } from '#files/paper/caption-fonts';

describe('the fonts for captions', () => {
  it('include the fonts that have the characters, and always the Latin font, which has the ellipsis', async () => {
    const namesOf = async (...texts: string[]) => (await loadFonts(texts)).map(({ name }) => name);
    expect(await namesOf()).toEqual(['noto-sans-latin-400']);
    expect(await namesOf('menu', 'Łódź')).toEqual(['noto-sans-latin-400', 'noto-sans-latin-ext-400']);
    expect(await namesOf('قائمة')).toEqual(['noto-sans-latin-400', 'noto-sans-arabic-arabic-400']);
    expect((await loadFonts([]))[0]?.has('…')).toBe(true);
  });

  it('include no further font for characters that have an equivalent in the Latin font', async () => {
    const names = (await loadFonts(['22\u202f132 → ①'])).map(({ name }) => name);
    expect(names).toEqual(['noto-sans-latin-400']);
  });
});
