/** A few weeks of three people with copies of a sheet, lost responses, kills and lost memories (test/rows plays thousands). */
import { expect, it, onTestFinished } from 'vitest';
import { openTheatre } from '../rows/theatre.ts';
import { BIN } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';

it('random sequences of runs and edits create no duplicate code, mix up no rows, and revert no edit silently', async () => {
  const theatre = await openTheatre(BIN);
  onTestFinished(() => theatre.close());
  const problems: string[] = [];
  for (let seed = 1; seed <= (SOAK ? 12 : 5); seed++) {
    const { problems: found } = await theatre.play(seed, 'none', () => undefined);
    problems.push(...found.map((problem) => `seed ${seed}: ${problem}`));
  }
  for (let seed = 101; seed <= (SOAK ? 102 : 101); seed++) {
    const { problems: found } = await theatre.play(seed, 'request', () => undefined);
    problems.push(...found.map((problem) => `seed ${seed}: ${problem}`));
  }

  expect(problems).toEqual([]);
});
