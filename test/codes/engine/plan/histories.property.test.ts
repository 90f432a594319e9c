import { describe, expect, it } from 'vitest';
import { plan } from '#codes/engine/plan/plan';
import { runs } from '../../../support/property-runs.ts';
import { playHistory } from './world/history.ts';

describe('a week of three people with copies of a sheet, lost responses, kills, and lost memories', () => {
  const { numRuns, seed } = runs(200, 150_000);

  it('never creates a duplicate code, takes the code of another row, or reverts an edit without a report', () => {
    const problems: string[] = [];
    for (let history = seed; history < seed + numRuns; history++) {
      const tally = playHistory(history, { planOf: plan });
      for (const problem of tally.problems) problems.push(`seed ${history}: ${problem}`);
    }

    expect(problems).toEqual([]);
  });

  it('requires an unnecessary decision in at most one of ten histories', () => {
    let needless = 0;
    for (let history = seed; history < seed + numRuns / 10; history++) {
      const { counts } = playHistory(history, { planOf: plan });
      if ([...counts.keys()].some((what) => what.startsWith('needless'))) needless += 1;
    }

    expect(needless).toBeLessThanOrEqual(numRuns / 100);
  });
});
