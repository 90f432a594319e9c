/** Finds rows that cannot be told apart. Pure. */
import { inQuotes } from '../../../base/text/quote.ts';
import { type Fault, type Input, type InputRow, placeOf } from '../../../files/formats/read/input.ts';
import { newCode } from '../../../service/shapes.ts';
import { foldKey } from '../lock/lock-file.ts';
import type { Row } from '../plan/model.ts';
import { valuesKey } from '../plan/values.ts';

/** E2: returns the faults of keys that are equal, or that no reader could tell apart. */
export function repeatedKeys(input: Input, rows: readonly Pick<Row, 'key' | 'line'>[]): Fault[] {
  const first = new Map<string, { key: string; line: number }>();
  return rows.flatMap(({ key, line }): Fault[] => {
    if (key === undefined) return [];
    const folded = foldKey(key);
    const other = first.get(folded);
    if (!other) {
      first.set(folded, { key, line });
      return [];
    }
    const place = placeOf(input, other.line);
    if (other.key === key) return [{ line, message: `${inQuotes(key)} is also the key of ${place}` }];
    return [
      {
        line,
        message: `${inQuotes(key)} differs from the key ${inQuotes(other.key)} of ${place} only in case or spacing`,
      },
    ];
  });
}

interface NewRow {
  row: Pick<InputRow, 'line'>;
  name: string;
  type: string | undefined;
  destination: string | undefined;
}

/**
 * Creates a collector of warnings about new rows with the values of an earlier one. Repeated rows are wanted at times (two posters, one
 * address), so they are not refused.
 */
export function createRepeatedRows(input: Input): { add(row: NewRow): void; warnings(): readonly Fault[] } {
  const firstLines = new Map<string, number>();
  const warnings: Fault[] = [];
  return {
    warnings: () => warnings,
    add({ row: { line }, name, type, destination }) {
      const values = valuesKey(newCode(name, type, destination));
      const first = firstLines.get(values);
      if (first === undefined) firstLines.set(values, line);
      else
        warnings.push({
          line,
          message: `has the same values as ${placeOf(input, first)}: each row gets its own code`,
        });
    },
  };
}
