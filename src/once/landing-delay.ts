/** Waiting until requests without an answer have had their effect, or never will: before that no listing proves anything. */
import type { Service } from '../service/service.ts';
import type { Clock } from '../time.ts';
import type { RecordedStates, RowState } from './row-states.ts';

/** O5: gateways give up on a service long before the service gives up on a write. */
export const LANDING_MS = 10_000;
/** Times from Date headers are whole seconds. */
const DATE_RESOLUTION_MS = 2000;
/** Requests that ask for nothing but the service's clock; each halves what is not known of it, so this many leave milliseconds. */
const MOST_SAMPLES = 8;

export interface LandingOptions {
  states: RecordedStates;
  service: Pick<Service, 'nowMs' | 'msToClockSample'>;
  /** Any small request: its answer shows the service's clock. */
  askClock: () => Promise<unknown>;
  clock: Clock;
  signal: AbortSignal;
  /** Told how long, when it is not nothing. */
  onWait: (ms: number) => void;
}

/** Waits until the last of these writes could have landed. Where no code created tells the service's clock, asks for it meanwhile. */
export async function waitForLanding(unknown: readonly RowState[], options: LandingOptions): Promise<void> {
  const { states, service, askClock, clock, signal, onWait } = options;
  const ms = landingDelayMs(unknown, states, service.nowMs());
  if (ms > 0) onWait(ms);
  const end = clock.monotonic() + ms;
  const blind = unknown.some(({ attempts }) => !states.evidence.isCalibrated(attempts[0]?.session ?? 0));
  for (let sample = 0; blind && sample < MOST_SAMPLES; sample++) {
    const pauseMs = service.msToClockSample();
    if (clock.monotonic() + pauseMs > end) break;
    await clock.sleep(pauseMs, signal);
    await askClock();
  }
  await clock.sleep(Math.max(0, end - clock.monotonic()), signal);
}

/** Ms until every one of these rows has had its time. `serviceNowMs`: the service's clock, if it was seen. */
function landingDelayMs(unknown: readonly RowState[], states: RecordedStates, serviceNowMs: number | undefined): number {
  let delayMs = 0;
  for (const row of unknown) delayMs = Math.max(delayMs, LANDING_MS - ageMs(row, states, serviceNowMs));
  return delayMs;
}

/** Since the row's last request ended, at least. One of an earlier run may have left until that run died: before this one began. */
function ageMs({ attempts }: RowState, states: RecordedStates, serviceNowMs: number | undefined): number {
  const last = attempts.at(-1);
  const elapsedMs = states.elapsedMs();
  if (!last) return elapsedMs;
  if (last.session === states.evidence.session()) return last.end ? elapsedMs - last.end.t : 0;
  if (last.end?.s === undefined || serviceNowMs === undefined) return elapsedMs;
  return Math.max(elapsedMs, serviceNowMs - last.end.s - DATE_RESOLUTION_MS);
}
