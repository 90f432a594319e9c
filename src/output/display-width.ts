/** Columns a text takes on a terminal, where 東京 takes four and an emoji two. cli-table3 measures with this, too (src/build/bundle.mjs). */
import stringWidth from 'string-width';

/** The columns `text` takes, as string-width has them, but much faster where it begins with common letters: cli-table3 measures a cell dozens of times. */
export function displayWidth(text: string): number {
  let width = 0;
  for (let i = 0; i < text.length; i++) {
    const columns = columnsAlone(text.charCodeAt(i));
    // The letter before may join with what comes: string-width begins with it.
    if (columns === 0)
      return i === 0 ? stringWidth(text) : width - columnsAlone(text.charCodeAt(i - 1)) + stringWidth(text.slice(i - 1));
    width += columns;
  }
  return width;
}

/** The columns of a character that never joins another of these: ASCII, letters of Latin, Greek, Cyrillic, kana, kanji, hangul; 0 of any other. */
function columnsAlone(unit: number): 0 | 1 | 2 {
  if (unit <= 0x2ff) return unit >= 0x20 && unit !== 0xad && !(unit >= 0x7f && unit <= 0xa0) ? 1 : 0;
  if (unit <= 0x481) return (unit >= 0x391 && unit <= 0x3ce && unit !== 0x3a2) || unit >= 0x400 ? 1 : 0;
  if (unit === 0x2026 || unit === 0x2013 || unit === 0x2500) return 1;
  const isKana = (unit >= 0x3041 && unit <= 0x3096) || (unit >= 0x30a1 && unit <= 0x30fa);
  return isKana || (unit >= 0x4e00 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xd7a3) ? 2 : 0;
}
