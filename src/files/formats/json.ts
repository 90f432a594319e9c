/** JSON and NDJSON with the exact values: integers beyond 2^53 come as bigint and are printed with all their digits. */
import { type Formatter, type Shape, stateless } from './formatter.ts';
import { createJsonLines, formatJson } from './json-lines.ts';
import type { Row } from './row-sink.ts';

/** One record a line. `names` picks the keys, in that order; undefined prints the records as they are. */
export function createNdjsonFormatter(names: readonly string[] | undefined): Formatter {
  const lines = createJsonLines();
  return {
    begin: () => '',
    rows: (rows) =>
      lines.collect(() => {
        for (const row of rows) {
          lines.add(picked(row, names));
          lines.addText('\n');
        }
      }),
    end: () => '',
    checkpoint: stateless,
  };
}

/** One valid document: an array with a record a line for a list, an indented object for a single record. */
export function createJsonFormatter(names: readonly string[] | undefined, shape: Shape): Formatter {
  if (shape === 'record') return singleFormatter(names);
  const lines = createJsonLines();
  let separator = '[\n';
  return {
    begin: () => '',
    rows: (rows) =>
      lines.collect(() => {
        for (const row of rows) {
          lines.addText(separator);
          lines.add(picked(row, names));
          separator = ',\n';
        }
      }),
    end: () => (separator === ',\n' ? '\n]\n' : '[]\n'),
    checkpoint() {
      const marked = separator;
      return () => {
        separator = marked;
      };
    },
  };
}

function singleFormatter(names: readonly string[] | undefined): Formatter {
  return { begin: () => '', rows: ([row = {}]) => `${formatJson(picked(row, names), 2)}\n`, end: () => '' };
}

/** The named keys in that order; a missing one is null, so that every row has the same keys. */
function picked(row: Row, names: readonly string[] | undefined): Row {
  if (!names) return row;
  const result: Record<string, unknown> = {};
  for (const name of names) result[name] = row[name] ?? null;
  return result;
}
