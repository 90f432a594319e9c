/**
 * Prevents CSV injection: puts an apostrophe before a formula, even if it has one, at the start of a text.
 * Does the same after separators and line ends, where some programs begin a cell despite quotes.
 */

const FORMULA_SIGNS = '=+-@＝＋－＠';

/** T1, T10, T13: escapes formulas; after the file's `separator`, only those that begin with an apostrophe. */
export function defuse(text: string, separator = ','): string {
  const inside = INNER.test(text) ? defuseInside(text, separator) : text;
  return leadsToFormula(inside) ? `'${inside}` : inside;
}

/** T10: reverses `defuse` for any separator. */
export function restore(cell: string): string {
  if (!cell.includes("'")) return cell;
  const inside = cell.startsWith("'") && leadsToFormula(cell) ? cell.slice(1) : cell;
  return INNER.test(inside) ? restoreInside(inside) : inside;
}

function leadsToFormula(text: string): boolean {
  return looksLikeFormula(text.startsWith("'") ? text.replace(/^'+/, '') : text);
}

/** Returns whether a formula sign begins the visible text, or a tab or line end is before it (OWASP). */
function looksLikeFormula(text: string): boolean {
  if (/^[!-~]/.test(text)) return FORMULA_SIGNS.includes(text.charAt(0));
  const found = text.search(/[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
  const first = found < 0 ? text.length : found;
  return (
    /[\t\r\n]/.test(text.slice(0, first)) ||
    (first < text.length && FORMULA_SIGNS.includes(text.charAt(first)))
  );
}

/** Matches a separator or line end, unless the next character is visible ASCII that can't begin a formula. */
const INNER = /[,;|\t\n\r][^!#-&(-*,.-<>?A-~]/;
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

/** Returns a function that tests whether a formula begins at a position. Positions must increase. */
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
