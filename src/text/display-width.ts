/** Columns a text takes on a terminal, where 東京 takes four and an emoji two. cli-table3 measures with this, too (src/build/bundle.mjs). */
import { commonStart } from './common-letters.ts';

/** The columns `text` takes, as string-width has them, but much faster where it begins with common letters: cli-table3 measures a cell dozens of times. */
export function displayWidth(text: string): number {
  const { units, columns } = commonStart(text);
  return units === text.length ? columns : columns + widthByTables(text.slice(units));
}

let library: typeof import('string-width') | undefined;

/** Of graphemes, each measured once: string-width takes a hundred times as long as a look at this. */
const widths = new Map<string, number>();
const MOST_WIDTHS = 4096;

/** Loaded for the first text that needs it, because its tables take longer to read than a table to draw. */
function widthByTables(text: string): number {
  const known = widths.get(text);
  if (known !== undefined) return known;
  library ??= require('string-width') as typeof import('string-width');
  let sum = 0;
  for (const grapheme of graphemesOf(text)) {
    const width = widths.get(grapheme) ?? library.default(grapheme);
    if (widths.size === MOST_WIDTHS) widths.clear();
    if (grapheme.length <= LONGEST_GRAPHEME) widths.set(grapheme, width);
    sum += width;
  }
  return sum;
}

/** Longer ones are not worth their memory. */
const LONGEST_GRAPHEME = 32;

let segmenter: Intl.Segmenter | undefined;

/** What a reader takes for one letter each. The segmenter is made for the first text that needs it: it takes node 20 ms. */
export function* graphemesOf(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}
