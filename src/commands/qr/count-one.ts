/** Adds the outcome of a command for one code to `--summary`. */
import { Failure, RequestFailure, UsageError } from '../../base/errors.ts';
import type { OutcomeCounts } from '../../base/run/outcomes.ts';
import type { RunFacts } from '../../base/run/run-summary.ts';

/** Does it, and counts it as `outcome`; if it fails as failed, or as undecided if it may have been created. */
export async function countOne<T>(
  facts: RunFacts,
  outcome: 'created' | 'updated' | 'deleted',
  work: () => Promise<T>,
): Promise<T> {
  try {
    const result = await work();
    const outcomes: OutcomeCounts = { [outcome]: 1 };
    Object.assign(facts, { codes: 1, outcomes });
    return result;
  } catch (error) {
    const isUnknown = outcome === 'created' && error instanceof RequestFailure && error.outcome === 'unknown';
    const outcomes: OutcomeCounts = isUnknown ? { undecided: 1 } : { failed: 1 };
    if (error instanceof Failure && !(error instanceof UsageError)) Object.assign(facts, { codes: 0, outcomes });
    throw error;
  }
}
