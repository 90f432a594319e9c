/** Every step that a dataset takes on the disk is made the last one, of the process or of the machine, while a reader looks at each. */
import { describe, expect, it } from 'vitest';
import { atEveryStep, POWER_CUTS } from '../../files/durable/every-step.ts';
import { firstRows, SOAK } from '../../support/property-runs.ts';
import { CODE, HOUR, OTHER_CODE, START, type TestService } from '../append/runs.ts';
import { DAY, runLake, seen, wanted, watched } from './runs.ts';

const rows = (first: number, ...times: number[]) =>
  times.map((time, i) => ({ id: first + i, time: START + time }));

const service: TestService = {
  [CODE]: rows(1, 0, HOUR, DAY, 2 * DAY, 2 * DAY + HOUR),
  [OTHER_CODE]: rows(11, HOUR, 2 * HOUR, 2 * DAY),
};
/** A later night: new rows, one of them late, and one of a day that was closed. */
const later: TestService = {
  [CODE]: [...(service[CODE] ?? []), ...rows(21, 2 * DAY + HOUR / 2, 3 * DAY, 3 * DAY + HOUR)],
  [OTHER_CODE]: [...(service[OTHER_CODE] ?? []), ...rows(31, 2 * DAY + HOUR, 4 * DAY)],
};

describe('rows that a run adds to a dataset', () => {
  // A minute of processor time is for the long runs; the others see each kind once.
  const FAULTS = SOAK
    ? (['end-before', 'end-within', 'end-after', 'ENOSPC', 'EIO'] as const)
    : (['end-within'] as const);
  const CUTS = SOAK ? POWER_CUTS : POWER_CUTS.filter((keep) => keep('names') !== keep('inode 1')).slice(0, 1);

  it.each(firstRows(1, [true, false]))(
    'are seen once and only in complete parts at any step, and the next run adds the rest (append: %s) (P1, P2, P3, P4)',
    async (append) => {
      for (const cut of [undefined, ...CUTS]) {
        await atEveryStep(
          async (on) => {
            if (append) await runLake(on, service);
            else on.write('/data/x', '');
          },
          (on) => runLake(watched(on), later, { append }),
          cut ? (SOAK ? ['end-before', 'end-after'] : ['end-before']) : FAULTS,
          async ({ memory: after, result }) => {
            const old = append ? wanted(service) : [];
            after.revive(cut && { keep: cut });
            const now = seen(after);
            expect(new Set(now).size).toBe(now.length);
            expect(old.filter((row) => !now.includes(row))).toEqual([]);
            if (result !== undefined && !cut) expect(now).toEqual(wanted(later));
            await runLake(watched(after), later, { append: true });
            expect(seen(after)).toEqual(wanted(later));
            expect(after.names().filter((name) => name.endsWith('.partial'))).toEqual([]);
          },
        );
      }
    },
  );
});
