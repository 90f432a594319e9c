import { clean } from '../base/text/clean.ts';
import { isCommon } from '../base/text/common-letters.ts';
import { displayWidth, graphemesOf } from '../base/text/display-width.ts';

const ELLIPSIS = '…';

/** Maximum UTF-16 units per column of a short text; a longer grapheme is hostile. */
const UNITS_PER_COLUMN = 16;
/** Maximum units of a long text in addition to two per column. */
const EXTRA_UNITS = 512;

/**
 * Cleans a text and truncates it to `width` columns, with an ellipsis. The cost is bounded by `width`, not by
 * the text.
 */
export function fitText(text: string, width: number): string {
  const bound = Math.min(width * UNITS_PER_COLUMN, 2 * width + EXTRA_UNITS);
  const isWhole = text.length <= bound;
  const shown = clean(isWhole ? text : text.slice(0, bound));
  return isWhole && displayWidth(shown) <= width ? shown : cut(shown, width);
}

function cut(text: string, width: number): string {
  if (width < 1) return '';
  let kept = '';
  let free = width - 1;
  for (const grapheme of isCommon(text) ? text : graphemesOf(text)) {
    free -= displayWidth(grapheme);
    if (free < 0) break;
    kept += grapheme;
  }
  return kept + ELLIPSIS;
}
