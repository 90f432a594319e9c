/** JSON of single values as they came from the service; a bigint, which stands for an integer beyond 2^53, becomes a number. */

/** `indent` in spaces. */
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

/** As `formatJson` without indent, by JSON.stringify, which is far faster and refuses only bigints. */
export function formatCompact(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return formatJson(value);
  }
}
