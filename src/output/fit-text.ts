/** Text cut to the columns there are. */
import { clean } from './clean.ts';
import { displayWidth } from './display-width.ts';

const ELLIPSIS = '…';

/** No grapheme that shows as one or two columns needs more code units than this; what does is hostile. */
const UNITS_PER_COLUMN = 16;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

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
  for (const { segment } of graphemes.segment(text)) {
    free -= displayWidth(segment);
    if (free < 0) break;
    kept += segment;
  }
  return kept + ELLIPSIS;
}
