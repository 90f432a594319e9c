/** Rows of `qr check`, and how a table shows them. */
import type { CheckOutcome } from '../../../codes/destinations/verdict.ts';
import type { Column } from '../../../files/formats/columns.ts';

const COLOURS = {
  ok: 'green',
  redirected: 'green',
  broken: 'red',
  unreachable: 'red',
  blocked: 'yellow',
} as const;

export const COLUMNS: readonly Column[] = [
  { name: 'id', importance: 2, keepWhole: true },
  { name: 'slug', importance: 10, keepWhole: true },
  { name: 'name', importance: 8, leastWidth: 16 },
  { name: 'destination', importance: 7, leastWidth: 20 },
  {
    name: 'outcome',
    importance: 11,
    keepWhole: true,
    colour: (value) => new Map(Object.entries(COLOURS)).get(String(value)),
  },
  { name: 'http_status', importance: 5, align: 'right' },
  { name: 'final_url', importance: 1, leastWidth: 20 },
  { name: 'redirects', importance: 3, align: 'right' },
  { name: 'tls_days', importance: 4, align: 'right' },
  { name: 'ms', importance: 3, align: 'right' },
  { name: 'error', importance: 9, leastWidth: 20 },
];

/** One row of the output; its keys are the contract's. */
export interface CheckRow {
  [column: string]: unknown;
  id: string;
  destination: string | null;
  outcome: CheckOutcome;
  final_url: string | null;
  tls_days: number | null;
  error: string | null;
}
