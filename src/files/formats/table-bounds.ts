/** How much of a table is held in memory at once. */

/** Excel's limit, without the header. */
export const MOST_ROWS = 1_048_575;

/** Rows times columns: each value that is held takes some hundred bytes. */
export const MOST_VALUES = 4_000_000;

/** Of one row, in bytes or characters. */
export const MOST_RECORD = 16 * 2 ** 20;

/** Characters of all cells, as much as a file of text may have: a workbook stores a text that occurs in many cells once. */
export const MOST_TEXT = 128 * 2 ** 20;
