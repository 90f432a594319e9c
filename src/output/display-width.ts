/** Columns a text takes on a terminal, where 東京 takes four and an emoji two. cli-table3 measures with this, too (src/build/bundle.mjs). */
import { commonStart } from './common-letters.ts';

/** The columns `text` takes, as string-width has them, but much faster where it begins with common letters: cli-table3 measures a cell dozens of times. */
export function displayWidth(text: string): number {
  const { units, columns } = commonStart(text);
  return units === text.length ? columns : columns + widthByTables(text.slice(units));
}

let library: typeof import('string-width') | undefined;

/** Loaded for the first text that needs it, because its tables take longer to read than a table to draw. */
function widthByTables(text: string): number {
  library ??= require('string-width') as typeof import('string-width');
  return library.default(text);
}
