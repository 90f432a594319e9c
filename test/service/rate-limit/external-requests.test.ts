import { describe, expect, it } from 'vitest';
import { createExternalRequests } from '../../../src/service/rate-limit/external-requests.ts';
import { headersOf } from './setup.ts';

const RESET = Date.UTC(2026, 0, 1);
const WINDOW = 60_000;

/** The number after answers that say this, `[Remaining, Reset]` each. */
function told(...answers: [number | undefined, number | undefined][]) {
  const external = createExternalRequests();
  for (const [remaining, resetMs] of answers) external.received(headersOf({ remaining, resetMs }));
  return external;
}

describe('requests of other clients (L20)', () => {
  it('are 0 if every number is of an own response, in any order, in several windows', () => {
    expect(told().count()).toBe(0);
    expect(
      told([57, RESET], [59, RESET], [58, RESET + 1000], [59, RESET + WINDOW], [58, RESET + WINDOW]).count(),
    ).toBe(0);
  });

  it('are the missing numbers, of all windows', () => {
    expect(told([59, RESET], [57, RESET]).count()).toBe(1);
    const windows = [0, 1, 2, 3].flatMap((n): [number, number][] => [
      [59, RESET + n * WINDOW],
      [50, RESET + n * WINDOW],
    ]);
    expect(told(...windows).count()).toBe(4 * 8);
  });

  it('do not include an own request whose response arrives after the window ends', () => {
    const external = told([59, RESET], [57, RESET], [59, RESET + WINDOW], [58, RESET]);
    expect(external.count()).toBe(0);
  });

  it('exclude own requests without a response', () => {
    const external = told([59, RESET], [57, RESET]);
    external.lost();
    expect(external.count()).toBe(0);
    createExternalRequests().lost();
  });

  it('are unknown if the service states no Remaining, always the same, or no new window', () => {
    expect(told([undefined, RESET], [59, undefined], [40, undefined]).count()).toBe(0);
    expect(told([59, RESET], [59, RESET], [59, RESET]).count()).toBe(0);
  });

  it('are counted across responses without a Reset, which belong to no window', () => {
    const external = told([59, RESET], [50, RESET], [58, undefined]);
    external.lost();
    expect(external.count()).toBe(7);
  });
});
