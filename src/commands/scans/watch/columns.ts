/** Columns of `scans watch`, and how a table shows them. */
import type { Column } from '../../../rows/columns.ts';

const COLOURS = new Map<unknown, 'red' | 'yellow' | 'green' | 'dim'>([
  ['quiet', 'red'],
  ['drop', 'red'],
  ['jump', 'yellow'],
  ['new', 'dim'],
  ['ok', 'green'],
]);

export const COLUMNS: readonly Column[] = [
  { name: 'id', importance: 1, keepWhole: true },
  { name: 'slug', importance: 10, keepWhole: true },
  { name: 'name', importance: 7, leastWidth: 16 },
  { name: 'outcome', importance: 11, keepWhole: true, colour: (value) => COLOURS.get(value) },
  { name: 'scans', importance: 9, align: 'right' },
  { name: 'expected', importance: 8, align: 'right' },
  { name: 'low', importance: 4, align: 'right' },
  { name: 'high', importance: 3, align: 'right' },
  { name: 'last_scan', importance: 5, isTime: true },
  { name: 'note', importance: 6, leastWidth: 16 },
];
