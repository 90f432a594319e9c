/** Row of a bulk file that is to become a code. */
import { inQuotes } from '../../../base/text/quote.ts';
import type { NewCode } from '../../../service/shapes.ts';

/** A row that is to become a code. */
export interface NewRow {
  /** Its place in the input, from 1; in the journal, and wherever rows are sent and looked for, the number of its entry. */
  readonly row: number;
  /** Line of the file where the row begins, 1-based: the number that users see and type. */
  readonly line: number;
  /** All its values, by column, which identify a changed input. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The columns that only the user reads. */
  readonly own?: readonly string[] | undefined;
  readonly code: NewCode;
  /** Key by which the caller knows the row, kept in the journal; absent for rows that are known by their values. */
  readonly key?: string | undefined;
}

/** Names a row for users: `line 4`; a removed one by the name of its code. */
export function nameRow({ line, code }: { line?: number | undefined; code?: NewCode | undefined }): string {
  if (line !== undefined) return `line ${line}`;
  return code ? `a removed row (${inQuotes(code.name)})` : 'a removed row';
}
