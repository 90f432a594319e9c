/**
 * Waits for the visibility delay. A request without a response takes effect when the service creates its code, which may be after the
 * request was given up. Until that delay has passed, no listing verifies that a code was not created.
 */
import type { Clock } from '../../../base/time/time.ts';
import type { Service } from '../../../service/service.ts';
import type { RowState } from './apply-record.ts';
import type { RecordedStates } from './row-states.ts';
import type { Attempt } from './time-bounds.ts';

/** O5: gateways give up on a service long before the service gives up on a write. Default of `--settle`. */
export const SETTLE_MS = 10_000;
/** O5: where requests take long, writes do. */
const SLOWER_THAN_ANSWERS = 2;
/** O20: the last look is this many times `settleMs` later. It detects a write that took effect after its row was sent again. */
export const LAST_LOOK_SETTLES = 6;
/** Times from Date headers are whole seconds. */
const DATE_RESOLUTION_MS = 2000;

/** Number of requests for the service's clock only; each halves the uncertainty, so this many leave milliseconds. */
const MOST_SAMPLES = 8;

interface ClockQuestions {
  service: Pick<Service, 'nowMs' | 'msToClockSample'>;
  /** Any small request: its response shows the service's clock. */
  askClock: () => Promise<unknown>;
}

interface LandingOptions {
  states: RecordedStates;
  service: Pick<Service, 'nowMs'>;
  settleMs: number;
  clock: Clock;
  signal: AbortSignal;
  /** Told how long, when it is not nothing. */
  onWait: (ms: number) => void;
}

type DelayOptions = Pick<LandingOptions, 'states' | 'service' | 'settleMs'>;

/**
 * Waits until these writes must have taken effect, so that rows missing from the listing may be sent again. If no created code shows the
 * service's clock, queries it meanwhile.
 */
export async function waitForLanding(unknown: readonly RowState[], options: LandingOptions & ClockQuestions): Promise<void> {
  const { states, service, askClock, clock, signal, onWait } = options;
  const ms = landingDelayMs(unknown, options);
  if (ms > 0) onWait(ms);
  const end = clock.monotonic() + ms;
  const blind = unknown.some(({ attempts: [first] }) => first && !states.evidence.isCalibrated(first.session));
  for (let sample = 0; blind && sample < MOST_SAMPLES; sample++) {
    const pauseMs = service.msToClockSample();
    if (clock.monotonic() + pauseMs > end) break;
    await clock.sleep(pauseMs, signal);
    await askClock();
  }
  await clock.sleep(Math.max(0, end - clock.monotonic()), signal);
}

/** Returns the ms until a last look at the listing can rule out duplicate codes of these rows. */
export function lastLookDelayMs(resent: readonly RowState[], options: DelayOptions): number {
  const { states, service } = options;
  const laterMs = LAST_LOOK_SETTLES * options.settleMs;
  // For equal rows it is unknown which request created a code, so the newest lost request of all rows counts as well.
  const newest = states.newestLost();
  const newestMs = newest ? neededMs(options) + laterMs - ageMs(newest, states, service.nowMs()) : 0;
  return Math.max(newestMs, landingDelayMs(resent, options, laterMs));
}

/** Ms until `neededMs`, and `laterMs` more, have gone by since the end of each request of these rows. */
export function landingDelayMs(rows: readonly Pick<RowState, 'attempts'>[], options: DelayOptions, laterMs = 0): number {
  const { states, service } = options;
  const needed = neededMs(options) + laterMs;
  const nowMs = service.nowMs();
  let delayMs = 0;
  for (const { attempts } of rows) {
    for (const attempt of attempts) delayMs = Math.max(delayMs, needed - ageMs(attempt, states, nowMs));
  }
  return delayMs;
}

/** O5: how long a request may take to land after it ended. */
function neededMs({ states, settleMs }: DelayOptions): number {
  return Math.max(settleMs, SLOWER_THAN_ANSWERS * states.slowestMs());
}

/** Since the request ended, at least. One of an earlier run may have left until that run died: before this one began. */
function ageMs(attempt: Attempt, states: RecordedStates, serviceNowMs: number | undefined): number {
  const elapsedMs = states.elapsedMs();
  const { session, end } = attempt;
  if (session === states.evidence.session()) return end ? elapsedMs - end.t : 0;
  const seenMs = states.evidence.dateAfter(attempt);
  if (seenMs === undefined || serviceNowMs === undefined) return elapsedMs;
  return Math.max(elapsedMs, serviceNowMs - seenMs - DATE_RESOLUTION_MS);
}
