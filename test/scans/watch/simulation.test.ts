/** A short run of the simulation that the constants were chosen by; `npm run test:watch` is the long one. */
import { describe, expect, it } from 'vitest';
import { daysUntilTold, episodes, makeYear, thresholdYear, watchYear } from './made-up-years.ts';

const KINDS = ['daily', 'weekends', 'workdays'] as const;
const isAlarm = (outcome: string) => outcome !== 'ok';

describe('over generated years,', () => {
  it.each([5, 100])(
    'a code with %d scans per day causes under 0.5 false alarms per year, but over 20 with a plain threshold',
    async (scansPerDay) => {
      let found = 0;
      let plain = 0;
      for (let seed = 1; seed <= 6; seed++) {
        const year = makeYear({ seed, scansPerDay, kind: KINDS[seed % 3] ?? 'daily' });
        found += episodes((await watchYear(year)).map(({ outcome }) => isAlarm(outcome)));
        plain += episodes(thresholdYear(year));
      }
      expect(found / 6).toBeLessThan(0.5);
      expect(plain / 6).toBeGreaterThan(20);
    },
  );

  it.each([
    [5, 16],
    [20, 6],
    [100, 3],
  ])(
    'a code that has %d scans per day until they stop is reported within %d days',
    async (scansPerDay, days) => {
      for (let seed = 1; seed <= 6; seed++) {
        const year = makeYear({ seed, scansPerDay, kind: KINDS[seed % 3] ?? 'daily', diesOnDay: 100 + seed });
        const verdicts = await watchYear(year);
        expect(
          daysUntilTold(
            year,
            verdicts.map(({ outcome }) => outcome === 'quiet' || outcome === 'drop'),
          ),
        ).toBeLessThan(days);
      }
    },
  );
});
