/** How much of a table is held in memory at once. */

/** Excel's limit, without the header. */
export const MOST_ROWS = 1_048_575;

/** Rows times columns: each value that is held takes some hundred bytes. */
export const MOST_VALUES = 4_000_000;
