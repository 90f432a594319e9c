/**
 * Measures common characters without the Unicode tables, which take 20 to 100 ms to load. Separate from
 * display-width.ts, because clean.ts must not load string-width.
 */

/** Measures a text up to its first uncommon character, less the character that it may combine with. */
export function commonStart(text: string): { units: number; columns: number } {
  let columns = 0;
  let last = 0;
  let lastColumns = 0;
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    const isPair = unit >= 0xd800 && unit <= 0xdbff;
    const own = isPair ? columnsOfEmoji(text, at) : columnsOfUnit(unit);
    if (own === 0) return { units: last, columns: columns - lastColumns };
    last = at;
    lastColumns = own;
    columns += own;
    at += isPair ? 2 : 1;
  }
  return { units: text.length, columns };
}

export function isCommon(text: string): boolean {
  return commonStart(text).units === text.length;
}

function columnsOfUnit(unit: number): 0 | 1 | 2 {
  if (unit <= 0x2ff) return unit >= 0x20 && unit !== 0xad && !(unit >= 0x7f && unit <= 0xa0) ? 1 : 0;
  if (unit <= 0x481) return (unit >= 0x391 && unit <= 0x3ce && unit !== 0x3a2) || unit >= 0x400 ? 1 : 0;
  if (unit <= 0x64a) return (unit >= 0x5d0 && unit <= 0x5ea) || unit >= 0x621 ? 1 : 0;
  if (unit >= 0x2018 && unit <= 0x201e) return 1;
  if (unit === 0x2013 || unit === 0x2014 || unit === 0x2022 || unit === 0x2026 || unit === 0x20ac) return 1;
  if (unit >= 0x2500 && unit <= 0x259f) return 1;
  const isKana = (unit >= 0x3041 && unit <= 0x3096) || (unit >= 0x30a1 && unit <= 0x30fa);
  return isKana || (unit >= 0x4e00 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xd7a3) ? 2 : 0;
}

/** Matches a single emoji that does not combine, unlike flag halves and skin tones. */
const EMOJI = /^(?![\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}])\p{Emoji_Presentation}/u;

function columnsOfEmoji(text: string, at: number): 0 | 2 {
  return EMOJI.test(text.slice(at, at + 2)) ? 2 : 0;
}
