import { describe, expect, it } from 'vitest';
import { loadFonts } from '../../src/image/caption-fonts.ts';
import { canWrite } from '../../src/image/captions.ts';

describe('the fonts of captions', () => {
  it('are those that have their characters, and always the first, which has the ellipsis', async () => {
    const namesOf = async (...texts: string[]) => (await loadFonts(texts)).map(({ name }) => name);
    expect(await namesOf()).toEqual(['noto-sans-latin-400']);
    expect(await namesOf('menu', 'Łódź')).toEqual(['noto-sans-latin-400', 'noto-sans-latin-ext-400']);
    expect(await namesOf('قائمة')).toEqual(['noto-sans-latin-400', 'noto-sans-arabic-arabic-400']);
    expect(canWrite('…', await loadFonts([]))).toBe(true);
  });

  it('can write a text only if they have all of its characters', async () => {
    const fonts = await loadFonts(['Łódź 🎉']);
    expect(canWrite('Łódź', fonts)).toBe(true);
    expect(canWrite('Łódź 🎉', fonts)).toBe(false);
  });
});
