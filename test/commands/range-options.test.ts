import { expect, it } from 'vitest';
import { planRange } from '#commands/range-options';
import { fakeClock } from '../support/clock.ts';
import { printingContext } from './printing.ts';

async function plan(
  flags: Parameters<typeof planRange>[1],
  { timezone, TZ }: { timezone?: string; TZ?: string } = {},
) {
  const { context, said } = printingContext(undefined, { timezone });
  const range = await planRange({ ...context, env: { TZ }, clock: fakeClock() }, flags);
  const at = (ms: number | undefined) =>
    ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16);
  return { since: at(range.sinceMs), until: at(range.untilMs), zone: range.zone(), said: said() };
}

const [DAY, NEXT] = ['2026-01-05T00:00', '2026-01-06T00:00'];

it.each([
  [{ since: '2026-01-05' }, { since: '2026-01-04T23:00', until: undefined, zone: 'Europe/Berlin' }],
  [{ since: `${DAY}Z` }, { since: DAY, until: undefined, zone: 'UTC' }],
  [
    { since: `${DAY}Z`, until: `${NEXT}Z` },
    { since: DAY, until: NEXT, zone: 'UTC' },
  ],
  [
    { since: `${DAY}Z`, until: NEXT },
    { since: DAY, until: '2026-01-05T23:00', zone: 'Europe/Berlin' },
  ],
  [
    { since: `${DAY}Z`, timezone: 'Asia/Tokyo' },
    { since: DAY, until: undefined, zone: 'Asia/Tokyo' },
  ],
  [
    { during: '2026-01-05', timezone: 'UTC' },
    { since: DAY, until: NEXT, zone: 'UTC' },
  ],
  [{}, { since: undefined, until: undefined, zone: 'Europe/Berlin' }],
])('planRange resolves %j to the expected range and time zone', async (flags, expected) => {
  expect(await plan(flags, { timezone: 'Europe/Berlin' })).toEqual({ ...expected, said: '' });
});

it('a date in --until excludes this day, and a note shows how to include the day', async () => {
  const note = async (flags: Parameters<typeof planRange>[1]) => (await plan(flags, { TZ: 'UTC' })).said;
  expect(await note({ until: '2026-01-31' })).toBe(
    '--until 2026-01-31 excludes 2026-01-31 itself. To include it, use --until 2026-02-01\n',
  );
  expect(await note({ since: '2026-01-01', until: '2026-01-31' })).toBe(
    '--until 2026-01-31 excludes 2026-01-31 itself. To include it, use --until 2026-02-01 or --during 2026-01\n',
  );
  expect(await note({ since: '2026-01-01' })).toBe('');
});

it.each([
  [{ since: NEXT, until: NEXT }, `--since ${NEXT} must be before --until ${NEXT}`],
  [{ since: NEXT, until: DAY }, `--since ${NEXT} must be before --until ${DAY}`],
  [{ timezone: 'Mars' }, /Mars/],
])('planRange refuses %j', async (flags, message) => {
  await expect(plan(flags, { TZ: 'UTC' })).rejects.toThrow(message);
});
