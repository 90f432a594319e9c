/** JSON and NDJSON with the exact values: integers beyond 2^53 come as bigint and are printed with all their digits. */
import type { Printable } from './columns.ts';
import { type Formatter, markNothing, type Shape } from './formatter.ts';

/** One record a line. `names` picks the keys, in that order; undefined prints the records as they are. */
export function createNdjsonFormatter(names: readonly string[] | undefined): Formatter {
  const record = recordFormatter(names);
  return {
    begin: () => '',
    rows(rows) {
      let text = '';
      for (const row of rows) text += `${record(row)}\n`;
      return text;
    },
    end: () => '',
    mark: markNothing,
  };
}

/** One valid document: an array with a record a line for a list, an indented object for a single record. */
export function createJsonFormatter(names: readonly string[] | undefined, shape: Shape): Formatter {
  if (shape === 'record') return singleFormatter(names);
  const record = recordFormatter(names);
  let separator = '[\n';
  return {
    begin: () => '',
    rows(rows) {
      let text = '';
      for (const row of rows) {
        text += separator + record(row);
        separator = ',\n';
      }
      return text;
    },
    end: () => (separator === ',\n' ? '\n]\n' : '[]\n'),
    mark() {
      const marked = separator;
      return () => {
        separator = marked;
      };
    },
  };
}

function singleFormatter(names: readonly string[] | undefined): Formatter {
  return {
    begin: () => '',
    rows: ([row = {}]) => `${formatJson(names ? pick(row, names) : row, 2)}\n`,
    end: () => '',
  };
}

/** A record on one line. */
function recordFormatter(names: readonly string[] | undefined): (row: Printable) => string {
  return names ? (row) => formatFast(pick(row, names)) : formatFast;
}

/** As `formatJson`, but by JSON.stringify, which is far faster and refuses only bigints. */
function formatFast(row: Printable): string {
  try {
    return JSON.stringify(row);
  } catch {
    return formatJson(row);
  }
}

/** The named keys in that order; a missing one is null, so that every row has the same keys. */
function pick(row: Printable, names: readonly string[]): Printable {
  const picked: Record<string, unknown> = {};
  for (const name of names) picked[name] = row[name] ?? null;
  return picked;
}

/** JSON of any value that JSON.parse or its exact cousin gave; a bigint becomes a number. `indent` in spaces. */
export function formatJson(value: unknown, indent = 0, margin = ''): string {
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = margin + ' '.repeat(indent);
  const colon = indent ? ': ' : ':';
  const parts = Array.isArray(value)
    ? value.map((item) => formatJson(item, indent, inner))
    : Object.entries(value).map(([key, item]) => JSON.stringify(key) + colon + formatJson(item, indent, inner));
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  return indent ? `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}` : `${open}${parts.join(',')}${close}`;
}
