/** Maximum number of rows: Excel's limit, without the header. */
export const MOST_ROWS = 1_048_575;

/** Maximum number of columns, above the limit of any spreadsheet. */
export const MOST_COLUMNS = 1000;

/** Maximum number of cells, some hundred bytes each. */
export const MOST_VALUES = 4_000_000;

/** Maximum number of empty lines, which are skipped. */
export const MOST_EMPTY = 2 ** 20;
export const TOO_MANY_EMPTY = `exceeds the limit of ${MOST_EMPTY} empty lines per file`;

/** Maximum length of a row, in bytes or characters. */
export const MOST_RECORD = 16 * 2 ** 20;

/** Maximum number of characters of all cells: a workbook stores a repeated text once. */
export const MOST_TEXT = 128 * 2 ** 20;
