import { describe, expect, it } from 'vitest';
import { plan } from '#codes/engine/plan/plan';
import { runs } from '../../../support/property-runs.ts';
import { playHistory } from './world/history.ts';

describe('simulated weeks in which three people edit copies of a sheet, and responses, runs and ledgers are lost', () => {
  const { numRuns, seed } = runs(200, 150_000);

  it('never result in a duplicate code, a row with the code of another row, or an unreported loss of an edit', () => {
    const problems: string[] = [];
    for (let history = seed; history < seed + numRuns; history++) {
      const tally = playHistory(history, { planOf: plan });
      for (const problem of tally.problems) problems.push(`seed ${history}: ${problem}`);
    }

    expect(problems).toEqual([]);
  });

  it('require an unnecessary decision in at most one of ten weeks', () => {
    let needless = 0;
    for (let history = seed; history < seed + numRuns / 10; history++) {
      const { counts } = playHistory(history, { planOf: plan });
      if ([...counts.keys()].some((what) => what.startsWith('needless'))) needless += 1;
    }

    expect(needless).toBeLessThanOrEqual(numRuns / 100);
  });
});
