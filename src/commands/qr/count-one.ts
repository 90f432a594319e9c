/** Adds the outcome of a command that creates one code to `--summary`. */
import { Failure, RequestFailure, UsageError } from '../../base/errors.ts';
import type { OutcomeCounts } from '../../base/run/outcomes.ts';
import type { RunFacts } from '../../base/run/run-summary.ts';

/** Creates a code, and counts it as created; if it fails as failed, or as undecided if it may have been created. */
export async function countOne<T>(facts: RunFacts, create: () => Promise<T>): Promise<T> {
  try {
    const result = await create();
    Object.assign(facts, { codes: 1, outcomes: { created: 1 } });
    return result;
  } catch (error) {
    const isUnknown = error instanceof RequestFailure && error.outcome === 'unknown';
    const outcomes: OutcomeCounts = isUnknown ? { undecided: 1 } : { failed: 1 };
    if (error instanceof Failure && !(error instanceof UsageError))
      Object.assign(facts, { codes: 0, outcomes });
    throw error;
  }
}
