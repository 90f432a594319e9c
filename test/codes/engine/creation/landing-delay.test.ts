import { describe, expect, it } from 'vitest';
import type { JournalRecord, Stamp } from '../../../../src/codes/engine/creation/journal-records.ts';
import { lastLookDelayMs, SETTLE_MS, waitForLanding } from '../../../../src/codes/engine/creation/landing-delay.ts';
import { openStates, replay } from '../../../../src/codes/engine/creation/row-states.ts';
import { fakeClock } from '../../../support/clock.ts';

const T0 = Date.UTC(2026, 0, 1);
const at = (t: number, s?: number): Stamp => ({ t, w: T0 + t, b: 5000 + t, ...(s !== undefined && { s }) });

/** Row 1 of an earlier run: sent, and lost at 1000 ms, when the service's clock showed `endedAtMs` if it was seen. */
const lostBefore = (endedAtMs?: number): JournalRecord[] => [
  { is: 'session', ...at(0) },
  { is: 'intent', row: 1, ...at(900) },
  { is: 'unknown', row: 1, error: 'lost', ...at(1000, endedAtMs) },
];
/** And a code of its own run, whose created_at needs no asking. */
const calibrated: JournalRecord = { is: 'created', row: 2, id: 'x', slug: 's', at: new Date(T0).toISOString(), ...at(950) };

interface Situation {
  found?: JournalRecord[];
  /** The rows that are waited for. */
  unknown?: number[];
  /** What happens in this session before the wait. */
  events?: { is: 'intent' | 'unknown'; atMs: number }[];
  /** How far into the session the wait begins. */
  startMs?: number;
  serviceNowMs?: number;
  sampleMs?: number;
}

async function wait({ found = [], unknown = [1], events = [], startMs = 0, serviceNowMs, sampleMs = 700 }: Situation) {
  const clock = fakeClock({ wallMs: T0 });
  const journal = { states: replay(found, 3), append: async () => undefined, note: () => undefined };
  const nowMs = () => serviceNowMs;
  const clocks = { clock, serviceNowMs: () => undefined, uptimeMs: () => 5000 + clock.monotonic() };
  const states = await openStates(journal, clocks);
  for (const { is, atMs } of events) {
    await clock.advance(atMs - clock.monotonic());
    await states.record([is === 'intent' ? { is, row: 1 } : { is, row: 1, error: 'lost' }]);
  }
  await clock.advance(startMs - clock.monotonic());
  let asked = 0;
  const said: number[] = [];
  const askClock = async () => {
    asked += 1;
  };
  const service = { nowMs, msToClockSample: () => sampleMs };
  const signal = new AbortController().signal;
  const work = waitForLanding(unknown.map(states.of), {
    states,
    service,
    settleMs: SETTLE_MS,
    askClock,
    clock,
    signal,
    onWait: (ms) => said.push(ms),
  });
  await clock.run(work);
  return { waitedMs: clock.monotonic() - startMs, asked, said };
}

describe('waiting for a write that may still land', () => {
  it('lasts ten seconds from the end of the request (O5)', async () => {
    const events = [
      { is: 'intent' as const, atMs: 1000 },
      { is: 'unknown' as const, atMs: 3000 },
    ];
    expect(await wait({ events, startMs: 7000 })).toMatchObject({ waitedMs: SETTLE_MS - 4000, said: [SETTLE_MS - 4000] });
    expect(await wait({ events, startMs: 13_000 })).toMatchObject({ waitedMs: 0, said: [] });
    expect(await wait({ events, startMs: 60_000 })).toMatchObject({ waitedMs: 0, said: [] });
  });

  it('lasts ten seconds from now where nothing says when the request ended', async () => {
    const events = [{ is: 'intent' as const, atMs: 1000 }];
    expect(await wait({ events, startMs: 30_000 })).toMatchObject({ waitedMs: SETTLE_MS });
  });

  it('counts a killed run’s request from the beginning of this run (O5)', async () => {
    expect(await wait({ found: lostBefore(), startMs: 3000 })).toMatchObject({ waitedMs: SETTLE_MS - 3000 });
    expect(await wait({ found: lostBefore(), startMs: 3000, serviceNowMs: T0 + 60_000 })).toMatchObject({ waitedMs: 7000 });
    expect(await wait({ found: lostBefore(T0), startMs: 3000 })).toMatchObject({ waitedMs: 7000 });
  });

  it('is shorter where the service’s clock says that the time has gone by, seconds allowed for its Dates', async () => {
    const found = lostBefore(T0);
    expect(await wait({ found, startMs: 1000, serviceNowMs: T0 + 8000 })).toMatchObject({ waitedMs: SETTLE_MS - 6000 });
    expect(await wait({ found, startMs: 1000, serviceNowMs: T0 + 12_000 })).toMatchObject({ waitedMs: 0 });
    expect(await wait({ found, startMs: 1000, serviceNowMs: T0 })).toMatchObject({ waitedMs: SETTLE_MS - 1000 });
  });

  it('asks for the service’s clock meanwhile, eight times at most and never past its end, where no code tells it', async () => {
    expect(await wait({ found: lostBefore(), sampleMs: 700 })).toMatchObject({ asked: 8, waitedMs: SETTLE_MS });
    expect(await wait({ found: lostBefore(), sampleMs: 4000 })).toMatchObject({ asked: 2, waitedMs: SETTLE_MS });
    expect(await wait({ found: lostBefore(), sampleMs: 5000 })).toMatchObject({ asked: 2, waitedMs: SETTLE_MS });
    expect(await wait({ found: [...lostBefore(), calibrated] })).toMatchObject({ asked: 0, waitedMs: SETTLE_MS });
    // Of two rows one is of a run that created none.
    const found: JournalRecord[] = [
      ...lostBefore(),
      calibrated,
      { is: 'session', ...at(0) },
      { is: 'intent', row: 3, ...at(10) },
    ];
    expect(await wait({ found, unknown: [1, 3] })).toMatchObject({ asked: 8, waitedMs: SETTLE_MS });
  });

  it('ends at once with the reason of an interruption', async () => {
    const clock = fakeClock();
    const journal = { states: replay(lostBefore(), 1), append: async () => undefined, note: () => undefined };
    const states = await openStates(journal, { clock, serviceNowMs: () => undefined, uptimeMs: () => 0 });
    const controller = new AbortController();
    clock.at(1500, () => controller.abort(new Error('interrupted')));
    const service = { nowMs: () => undefined, msToClockSample: () => 60_000 };
    const options = {
      states,
      settleMs: SETTLE_MS,
      service,
      askClock: async () => undefined,
      clock,
      signal: controller.signal,
      onWait: () => undefined,
    };
    await expect(clock.run(waitForLanding([states.of(1)], options))).rejects.toThrow('interrupted');
    expect(clock.monotonic()).toBe(1500);
  });

  it('is longer where requests took long (O5)', async () => {
    const events = [
      { is: 'intent' as const, atMs: 0 },
      { is: 'unknown' as const, atMs: 8000 },
    ];
    expect(await wait({ events, startMs: 9000 })).toMatchObject({ waitedMs: 15_000 });
  });
});

describe('the last look', () => {
  /** Row 1 sent, lost, sent again and created; ms until the last look, so long after the session began. */
  async function delayAfter(elapsedMs: number, more: JournalRecord[] = [], serviceNowMs?: number, settleMs = SETTLE_MS) {
    const clock = fakeClock({ wallMs: T0 });
    const before = replay([...lostBefore(T0 + 1000), ...more], 2);
    const journal = { states: before, append: async () => undefined, note: () => undefined };
    const states = await openStates(journal, { clock, serviceNowMs: () => undefined, uptimeMs: () => 0 });
    await clock.advance(elapsedMs);
    return lastLookDelayMs([states.of(1)], { states, service: { nowMs: () => serviceNowMs }, settleMs });
  }
  const again: JournalRecord[] = [
    { is: 'absent', row: 1, before: [], word: false, ...at(11_000) },
    { is: 'intent', row: 1, ...at(11_100) },
    { is: 'created', row: 1, id: 'x', slug: 's', at: new Date(T0).toISOString(), ...at(11_200) },
  ];

  it('is six times --settle later than that by which rows are sent again (O20)', async () => {
    expect(await delayAfter(3000, again)).toBe(7 * SETTLE_MS - 3000);
    expect(await delayAfter(80_000, again)).toBe(0);
    expect(await delayAfter(3000, again, T0 + 61_000 + 2000)).toBe(7 * SETTLE_MS - 60_000);
    expect(await delayAfter(3000, again, T0 + 3_600_000)).toBe(0);
    expect(await delayAfter(3000, again, undefined, 0)).toBe(0);
  });

  it('is as much later where requests took long (O20)', async () => {
    const slow: JournalRecord[] = [
      { is: 'session', ...at(0) },
      { is: 'intent', row: 2, ...at(0) },
      { is: 'unknown', row: 2, error: 'lost', ...at(40_000) },
      { is: 'adopted', row: 2, id: 'y', slug: 's', ...at(130_000) },
    ];
    expect(await delayAfter(3000, [...again, ...slow])).toBe(2 * 40_000 + 6 * SETTLE_MS - 3000);
  });

  it('waits for the newest lost answer, of whichever row', async () => {
    const other: JournalRecord[] = [
      { is: 'session', ...at(0) },
      { is: 'intent', row: 2, ...at(0) },
      { is: 'unknown', row: 2, error: 'lost', ...at(10, T0 + 3_600_000) },
      { is: 'adopted', row: 2, id: 'y', slug: 's', ...at(20_000) },
    ];
    expect(await delayAfter(3000, [...again, ...other], T0 + 3_600_000 + 12_000)).toBe(7 * SETTLE_MS - 10_000);
  });
});
