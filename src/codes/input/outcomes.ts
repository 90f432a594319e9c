import { OUTCOMES, type Outcome } from '../../base/run/outcomes.ts';

export type RowOutcome = Exclude<Outcome, 'earlier'>;

/** Outcomes that leave nothing to do. */
const DONE: ReadonlySet<RowOutcome> = new Set<RowOutcome>([
  'created',
  'adopted',
  'exists',
  'updated',
  'unchanged',
  'deleted',
]);

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

export function isRowOutcome(cell: unknown): cell is RowOutcome {
  return typeof cell === 'string' && cell !== 'earlier' && Object.hasOwn(OUTCOMES, cell);
}
