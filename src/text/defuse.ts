/**
 * Cells of CSV that no spreadsheet takes for a formula, whatever it takes for a separator, and how the text comes back from them. An
 * apostrophe is put before a formula: at the beginning of a text, and behind a separator or line end within it, because a program that
 * splits at another separator than ours finds our quotes in the middle of its cells, where they mean nothing. So that each text comes back
 * as it was, one that has apostrophes at such a place already gets one more as well: no two are written alike, `restore` takes off exactly
 * what `defuse` put there, and what a person typed without an apostrophe means itself.
 */

/** What spreadsheets begin a formula with, the full-width forms too. */
const FORMULA_SIGNS = '=+-@＝＋－＠';

/**
 * T1, T10, T13: the text with an apostrophe wherever a spreadsheet would take it, or what follows, for a formula, or where apostrophes stand
 * before such a text. Whoever splits at `separator`, which is the file's own, keeps to the quotes around the cell.
 */
export function defuse(text: string, separator = ','): string {
  const inside = INNER.test(text) ? defuseInside(text, separator) : text;
  return leadsToFormula(inside) ? `'${inside}` : inside;
}

/** T10: what was written as this cell, whichever separator the file had. */
export function restore(cell: string): string {
  if (!cell.includes("'")) return cell;
  const inside = cell.startsWith("'") && leadsToFormula(cell) ? cell.slice(1) : cell;
  return INNER.test(inside) ? restoreInside(inside) : inside;
}

function leadsToFormula(text: string): boolean {
  return looksLikeFormula(text.startsWith("'") ? text.replace(/^'+/, '') : text);
}

/**
 * A sign at the first place that shows; or a tab or line end before that, because what follows them counts as a cell. Some programs trim
 * spaces, controls and characters that do not show before they look, and some write one line end for another.
 */
function looksLikeFormula(text: string): boolean {
  // Nearly every text begins with a character of ASCII that shows, and V8 takes a millisecond to gather the properties of Unicode.
  if (/^[!-~]/.test(text)) return FORMULA_SIGNS.includes(text.charAt(0));
  const found = text.search(/[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
  const first = found < 0 ? text.length : found;
  return /[\t\r\n]/.test(text.slice(0, first)) || (first < text.length && FORMULA_SIGNS.includes(text.charAt(first)));
}

/** What one program or another splits at, and behind it no character of ASCII that shows and begins no formula: hardly a text has that. */
const INNER = /[,;|\t\n\r][^!#-&(-*,.-<>?A-~]/;
/** A return and a line feed are one line end: nothing stands between them. */
const BOUNDARIES = /[,;|\t\n]|\r(?!\n)/g;

function defuseInside(text: string, separator: string): string {
  const begins = formulaFinder(text);
  return text.replace(BOUNDARIES, (boundary, at: number) => {
    if (!begins(at + 1)) return boundary;
    return boundary !== separator || text[at + 1] === "'" ? `${boundary}'` : boundary;
  });
}

function restoreInside(text: string): string {
  const begins = formulaFinder(text);
  return text.replace(/[,;|\t\n\r]'/g, (found, at: number) => (begins(at + 1) ? found.charAt(0) : found));
}

/**
 * Whether a formula begins at a place, asked from left to right: a sign behind any blanks, quotes and apostrophes, so that one apostrophe more
 * changes no place. Each character is looked at once.
 */
function formulaFinder(text: string): (at: number) => boolean {
  const shown = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}"']/gu;
  let first = -1;
  return (at) => {
    if (at > first) {
      shown.lastIndex = at;
      first = shown.exec(text)?.index ?? text.length;
    }
    return first < text.length && FORMULA_SIGNS.includes(text.charAt(first));
  };
}
