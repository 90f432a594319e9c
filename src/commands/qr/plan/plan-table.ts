/** Plan for a terminal: one line per row, its changes below it if they do not fit. */
import { shortenPair } from '../../../base/text/differing-parts.ts';
import { formatInstant } from '../../../base/time/time.ts';
import { reasonOf } from '../../../codes/engine/results/explain.ts';
import { type PlanRow, stateOf } from '../../../codes/engine/results/questions.ts';
import type { ColourName, Column } from '../../../files/formats/columns.ts';
import type { Row } from '../../../files/formats/row-sink.ts';
import { OUTCOME } from '../code-columns.ts';
import { codeOf, describeNew } from './plan-records.ts';

const COLOURS: ReadonlyMap<string, ColourName> = new Map([
  ['create', 'green'],
  ['adopt', 'cyan'],
  ['update', 'yellow'],
  ['removed', 'yellow'],
  ['edited', 'yellow'],
  ['unchanged', 'dim'],
]);

/** Returns the columns of the table. */
export const TABLE_COLUMNS: readonly Column[] = [
  { name: 'line', align: 'right', importance: 5 },
  { name: 'key', importance: 4 },
  { name: 'at', importance: 6 },
  {
    name: 'action',
    importance: 9,
    keepWhole: true,
    colour: (action) => COLOURS.get(String(action)) ?? 'red',
  },
  { name: 'code', importance: 8, leastWidth: 16 },
  OUTCOME,
  { name: 'change', importance: 7, below: true },
];

/** Graphemes of the common part of two values that are shown whole. */
const LONGEST_COMMON = 100;

/** Returns the record of a row. */
export function tableRow(row: PlanRow): Row {
  const { item, end } = row;
  const { id, slug } = codeOf(row);
  const sent = item.changes.filter(({ what }) => what === 'send');
  const changes = sent.map(({ field, old, new: value }) => {
    const [before, after] = shortenPair(old, value, LONGEST_COMMON).map(showValue);
    return `${field}: ${before} → ${after}`;
  });
  return {
    line: item.row?.line ?? null,
    key: item.key ?? null,
    at: item.row?.atMs === undefined ? null : formatInstant(item.row.atMs),
    action: stateOf(row),
    code: slug ?? id ?? describeNew(row) ?? null,
    outcome: end?.outcome ?? null,
    change: [...changes, reasonOf(row)].filter((part) => part !== undefined).join('; ') || null,
  };
}

/** An address is as it is; any other value is in quotes, so that it can't be mistaken for the sentence. */
function showValue(value: string): string {
  if (value === '') return '(empty)';
  return /^[^\s"]+$/.test(value) ? value : `"${value.replaceAll('"', '\\"')}"`;
}
