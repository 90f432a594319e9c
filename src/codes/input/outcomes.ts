/** Outcomes of rows. */
import { OUTCOMES, type Outcome } from '../../base/run/outcomes.ts';

export type RowOutcome = Exclude<Outcome, 'earlier'>;

/** The outcomes that leave nothing to do. */
const DONE: ReadonlySet<RowOutcome> = new Set<RowOutcome>([
  'created',
  'adopted',
  'exists',
  'updated',
  'unchanged',
  'deleted',
]);

/** Result of one row. */
export interface RowResult {
  id?: string | undefined;
  slug?: string | undefined;
  outcome: RowOutcome;
  error?: string | undefined;
  /** It was so before this run. */
  before?: boolean;
}

export function isDone({ outcome }: RowResult): boolean {
  return DONE.has(outcome);
}

/** Returns whether a cell has an outcome of a row. */
export function isRowOutcome(cell: unknown): cell is RowOutcome {
  return typeof cell === 'string' && cell !== 'earlier' && Object.hasOwn(OUTCOMES, cell);
}
