import { UnexpectedResponseError } from '#base/errors';
import { createLine } from './create-field.ts';
import { type Formatter, formatterOf, type Shape } from './formatter.ts';
import type { Row } from './row-sink.ts';

export function createNdjsonFormatter(names: readonly string[] | undefined): Formatter {
  const format = createRecordFormatter(names);
  return formatterOf((rows) => rows.map((row) => `${format(row)}\n`).join(''));
}

export function createJsonFormatter(names: readonly string[] | undefined, shape: Shape): Formatter {
  if (shape === 'record') {
    const pick = (row: Row) =>
      names ? Object.fromEntries(names.map((name) => [name, row[name] ?? null])) : row;
    return formatterOf(([row = {}]) => `${formatJson(pick(row), 2)}\n`);
  }
  const format = createRecordFormatter(names);
  let separator = '[\n';
  return {
    begin: () => '',
    rows(rows) {
      let text = '';
      for (const row of rows) {
        text += separator + format(row);
        separator = ',\n';
      }
      return text;
    },
    end: () => (separator === ',\n' ? '\n]\n' : '[]\n'),
    checkpoint() {
      const marked = separator;
      return () => {
        separator = marked;
      };
    },
  };
}

/** Returns a function that formats records as compact JSON. With `names`, each has exactly these keys. */
function createRecordFormatter(names: readonly string[] | undefined): (row: Row) => string {
  if (!names) return formatCompact;
  const openingOf = (name: string, index: number) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
  return createLine(names, openingOf, (value) => formatCompact(value ?? null), '}');
}

export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? formatJson(value) : String(value);
}

const DEEPEST = 200;

/** Formats a value as JSON, `indent` in spaces. Throws UnexpectedResponseError if it is nested too deep. */
export function formatJson(value: unknown, indent = 0, margin = '', depth = 0): string {
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth > DEEPEST)
    throw new UnexpectedResponseError(`the service returned a value nested more than ${DEEPEST} levels deep`);
  const inner = margin + ' '.repeat(indent);
  const colon = indent ? ': ' : ':';
  const parts = Array.isArray(value)
    ? value.map((item) => formatJson(item, indent, inner, depth + 1))
    : Object.entries(value).flatMap(([key, item]) =>
        item === undefined ? [] : JSON.stringify(key) + colon + formatJson(item, indent, inner, depth + 1),
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  return indent
    ? `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`
    : `${open}${parts.join(',')}${close}`;
}

/** Formats compact JSON with JSON.stringify, or for bigints with `formatJson`, which is slower. */
function formatCompact(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return formatJson(value);
  }
}
