/** Limits that keep input from filling memory. The readers of Parquet, workbooks and SVG add more. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** Maximum sizes in bytes, after decompression. */
export const MOST_BYTES = {
  /** Body of a response, or of a `qrctl api` request. */
  body: 64 * MIB,
  sandboxBody: MIB,
  destinationHead: 256 * KIB,
  cookies: 8 * KIB,
  keyFile: 4 * KIB,
  /** API key on standard input, or output of `key-command`. */
  keyStream: 64 * KIB,
  config: 4 * MIB,
  timeZone: 64 * KIB,
  /** Input with rows, or list of images. */
  rowsFile: 128 * MIB,
  /** Lock file or state file. */
  recordFile: 256 * MIB,
  /** First line of a ledger: a URL, a profile name and a fingerprint. */
  ledgerHead: 16 * KIB,
  logLine: 64 * MIB,
  image: 64 * MIB,
  logo: MIB,
  scanRecord: MIB,
} as const;

/** Maximum number of rows in a table: Excel's maximum less the header. */
export const MOST_ROWS = 1_048_575;

export const MOST_COLUMNS = 1000;

/** Maximum number of cells in a table, or of values in JSON as `checkBounds` counts them. */
export const MOST_VALUES = 4_000_000;

export const MOST_EMPTY = 2 ** 20;
export const TOO_MANY_EMPTY = `exceeds the limit of ${MOST_EMPTY} empty lines per file`;

/** Maximum length of a row, in bytes or characters. */
export const MOST_RECORD = 16 * 2 ** 20;

/** Maximum number of characters in all cells. A small workbook can repeat one stored text. */
export const MOST_TEXT = 128 * 2 ** 20;
