/**
 * Cells of CSV that no spreadsheet takes for a formula, and how the text comes back from them. A text is defused by an apostrophe before
 * it. So that each comes back as it was, a text that begins with apostrophes before a formula gets one more as well: no two are written
 * alike, `restore` takes off exactly what `defuse` put there, and what a person typed without an apostrophe means itself.
 */

/** What spreadsheets begin a formula with, the full-width forms too. */
const FORMULA_SIGNS = '=+-@＝＋－＠';

/** T1, T10: the text behind an apostrophe where a spreadsheet would take it for a formula, or where apostrophes stand before such a text. */
export function defuse(text: string): string {
  return leadsToFormula(text) ? `'${text}` : text;
}

/** T10: what was written as this cell. */
export function restore(cell: string): string {
  return cell.startsWith("'") && leadsToFormula(cell) ? cell.slice(1) : cell;
}

function leadsToFormula(text: string): boolean {
  return looksLikeFormula(text.startsWith("'") ? text.replace(/^'+/, '') : text);
}

/**
 * A sign at the first place that shows; or a tab or return before that, because what follows them counts as a cell. Some programs trim
 * spaces, controls and characters that do not show before they look.
 */
function looksLikeFormula(text: string): boolean {
  // Nearly every text begins with a character of ASCII that shows, and V8 takes a millisecond to gather the properties of Unicode.
  if (/^[!-~]/.test(text)) return FORMULA_SIGNS.includes(text.charAt(0));
  const found = text.search(/[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
  const first = found < 0 ? text.length : found;
  return /[\t\r]/.test(text.slice(0, first)) || (first < text.length && FORMULA_SIGNS.includes(text.charAt(first)));
}
