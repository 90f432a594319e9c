/** A bulk file as it was read: rows of named values, before anybody has asked what they mean. */

export interface InputRow {
  /** 1-based, counting rows of data: the first below the CSV header is row 1. What `--adopt` and `--not-created` take. */
  readonly row: number;
  /** Line of the file where the row begins, 1-based. */
  readonly line: number;
  /** By column as the file spells it. Text from CSV; any JSON value, exact, from JSON and NDJSON. Missing: no key. */
  readonly values: ReadonlyMap<string, unknown>;
}

export interface Input {
  /** What messages call it: the path, or `standard input`. */
  readonly name: string;
  /** In the order of the header, or of first appearance in JSON. */
  readonly columns: readonly string[];
  /** Line of the header, where faults of a column are; undefined for JSON. */
  readonly headerLine: number | undefined;
  readonly rows: readonly InputRow[];
}

/** `row 3 (line 4)`, everywhere the same, because people type the first number back. */
export function nameRow({ row, line }: { row: number; line: number }): string {
  return `row ${row} (line ${line})`;
}
