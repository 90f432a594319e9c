/** Parses a list of ids or slugs, one per line, without a header: the output of `qr list --ids`, or a pasted text file. */
import { restore } from '../../base/text/defuse.ts';
import {
  fold,
  type Input,
  type InputRow,
  OUR_COLUMNS,
  type ReadOptions,
} from '../../files/formats/read/input.ts';
import { isUuid } from '../../service/checks.ts';

/** Headers of a column of codes that make it a table, whether or not a command supports the column. */
const HEADERS: ReadonlySet<string> = new Set([
  ...OUR_COLUMNS,
  ...['short_url', 'ids', 'slugs', 'uuid', 'uuids', 'code', 'codes', 'qr_id', 'qr_slug'],
]);

/** One value without a blank or a separator in it, with or without quotes around it. */
const NAME = /^\s*(?:"([^\s",;]+)"|([^\s",;]+))\s*$/;

/**
 * Reads text as a list of ids and slugs, or returns undefined if it may be a table: a line holds more than one word, or the first line is
 * the name of a column. Empty text is a list of no codes. Takes time linear in its length.
 */
export function parseBareNames(
  text: string,
  name: string,
  { rawCells, bom }: ReadOptions & { bom: boolean },
): Input | undefined {
  const rows: InputRow[] = [];
  const lines = text.split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const [, quoted, plain = quoted ?? ''] = NAME.exec(line) ?? [];
    if (plain === '' || (rows.length === 0 && HEADERS.has(fold(plain)))) return undefined;
    const code = rawCells ? plain : restore(plain);
    rows.push({
      row: rows.length + 1,
      line: index + 1,
      values: new Map([[isUuid(code) ? 'id' : 'slug', code]]),
    });
  }
  const columns = ['id', 'slug'];
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  return {
    name,
    columns,
    headerLine: undefined,
    rows,
    form: { is: 'csv', delimiter: ',', bom, lineEnd },
    isBare: true,
  };
}
