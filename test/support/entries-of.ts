import type { InputRow } from '#files/formats/read/input';

/** Returns the cells of a row with their columns. */
export function entriesOf(columns: readonly string[], values?: InputRow['values']): [string, unknown][] {
  return columns.flatMap((name): [string, unknown][] =>
    values?.has(name) ? [[name, values.get(name)]] : [],
  );
}
