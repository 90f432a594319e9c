import type { Row } from './row-sink.ts';

const MOST_KNOWN = 1000;
const LONGEST_VALUE = 100;

type Encode = (value: unknown) => string;

export function createLine(
  names: readonly string[],
  openingOf: (name: string, index: number) => string,
  encode: Encode,
  end: string,
): (row: Row) => string {
  const fields = names.map((name, index) => ({ name, format: createField(openingOf(name, index), encode) }));
  return (row) => {
    let line = '';
    for (const { name, format } of fields) line += format(row[name]);
    return line + end;
  };
}

/** Returns a function that encodes a value after `opening`, and caches short values. */
export function createField(opening: string, encode: Encode): Encode {
  let known: Map<unknown, string> | undefined = new Map();
  return (value) => {
    const cached = known?.get(value);
    if (cached !== undefined) return cached;
    const text = opening + encode(value);
    if (known && isShort(value)) known.set(value, text);
    // Stops caching, because a field with so many values repeats few of them.
    if (known?.size === MOST_KNOWN) known = undefined;
    return text;
  };
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= LONGEST_VALUE;
  return typeof value !== 'object' || value === null;
}
