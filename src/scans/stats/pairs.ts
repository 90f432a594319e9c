import type { Row } from '../../files/formats/row-sink.ts';
import { formatUnit, unitOf } from './calendar.ts';
import type { CodeValues } from './code-groups.ts';
import { type CodeOfScans, keyOfCode } from './code-of-scans.ts';
import type { GroupBy } from './dimensions.ts';

export type Pair = readonly [GroupBy, GroupBy];

export const MOST_PAIRS = 50_000;
const LONGEST = 500;

export function nameOfPair([a, b]: Pair): string {
  return `${a.by},${b.by}`;
}

export function createPairKeys(pair: Pair, codeValues: CodeValues) {
  const valueIn = (group: GroupBy, hour: number, scan: Row, code: CodeOfScans) => {
    if (group.kind === 'time') return formatUnit(group.by, unitOf(group.by, hour));
    if (group.kind === 'value') return scan[group.by];
    return group.kind === 'code' ? keyOfCode(code) : codeValues.get(group.by)?.(code);
  };
  return (hour: number, scan: Row, code: CodeOfScans) => {
    const [a, b] = pair.map((group) => valueIn(group, hour, scan, code));
    return keyOf(a, b);
  };
}

export function keyOf(...values: unknown[]): string {
  return values
    .map((value) =>
      String(value ?? '')
        .slice(0, LONGEST)
        .replaceAll('\0', ' '),
    )
    .join('\0');
}
