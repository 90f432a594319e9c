/** Text cut to the columns there are. */
import { clean } from './clean.ts';
import { isCommon } from './common-letters.ts';
import { displayWidth } from './display-width.ts';

const ELLIPSIS = '…';

/** No grapheme that shows as one or two columns needs more code units than this; what does is hostile. */
const UNITS_PER_COLUMN = 16;

/** Cleaned text, at most `width` columns of it; longer ones end in an ellipsis. Cost is bounded by `width`, not by the text. */
export function fitText(text: string, width: number): string {
  const bound = width * UNITS_PER_COLUMN;
  const whole = text.length <= bound;
  const shown = clean(whole ? text : text.slice(0, bound));
  if (whole && displayWidth(shown) <= width) return shown;
  return cut(shown, width);
}

/** The longest start of `text` that leaves a column for the ellipsis, by graphemes. */
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

let segmenter: Intl.Segmenter | undefined;

/** What a reader takes for one letter each. The segmenter is made for the first text that needs it: it takes node 20 ms. */
function* graphemesOf(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}
