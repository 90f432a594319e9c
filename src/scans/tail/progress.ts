/** Which scans of each code were printed: where a restart continues, and the scans that it must not print again. */
import { CLOCK_NOISE_MS, type ClockReading, setBackOf } from '../append/overlap.ts';
import { OVERLAP_MS } from '../export/follow-code.ts';
import type { TailPosition } from './tail-state.ts';

export interface TailProgress {
  readonly positions: Map<string, TailPosition>;
  resume(code: string, now: ClockReading): TailPosition;
  /**
   * Records that a scan was printed. `hasBegun`: the service returned every scan from the start of the code on, so all before this one are printed.
   */
  print(
    code: string,
    scan: { id: number | bigint; ms: number },
    state: { now: ClockReading; hasBegun: boolean },
  ): void;
  prune(): void;
}

/** Number of printed scans above which a position moves although the clocks disagree: the state must not grow without bound. */
const MOST_HELD = 10_000;

/** Creates the progress of a run that continues from `positions`; other codes begin at `sinceMs`. */
export function createTailProgress(sinceMs: number, positions: Map<string, TailPosition>): TailProgress {
  const positionOf = (code: string, at: ClockReading): TailPosition => {
    const found = positions.get(code) ?? { fromMs: sinceMs, at, printed: new Map() };
    positions.set(code, found);
    return found;
  };

  return {
    positions,
    resume(code, now) {
      const position = positionOf(code, now);
      const { at } = position;
      // S8: scans that came after the position was set are not printed; the clock of now shows that time.
      const wroteMs = setBackOf({ writtenAt: at }, now, OVERLAP_MS)?.toMs ?? Number.POSITIVE_INFINITY;
      const latestMs = Math.min(wroteMs, now.serviceMs ?? now.machineMs) - OVERLAP_MS;
      position.fromMs = Math.max(Math.min(sinceMs, position.fromMs), Math.min(position.fromMs, latestMs));
      return position;
    },
    print(code, { id, ms }, { now, hasBegun }) {
      const position = positionOf(code, now);
      position.printed.set(id, ms);
      const fromMs = ms - OVERLAP_MS;
      const isTrusted =
        ms <= trustedMs(position.at, now) || (position.printed.size > MOST_HELD && ms <= timeOf(now));
      // S3: late scans may follow for as long as the overlap. A scan dated in the future shows nothing.
      if (hasBegun && isTrusted && fromMs > position.fromMs) Object.assign(position, { fromMs, at: now });
    },
    prune() {
      for (const { fromMs, printed } of positions.values())
        for (const [id, ms] of printed) if (ms < fromMs) printed.delete(id);
    },
  };
}

function timeOf({ serviceMs, machineMs }: ClockReading): number {
  return serviceMs ?? machineMs;
}

/** S8: returns the service's time, but not more than this machine's clock allows: one of both may be ahead. */
function trustedMs(at: ClockReading, now: ClockReading): number {
  if (at.serviceMs === undefined) return timeOf(now);
  return Math.min(timeOf(now), at.serviceMs + Math.max(now.machineMs - at.machineMs, 0) + CLOCK_NOISE_MS);
}
