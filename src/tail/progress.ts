/** What was printed of each code, for the state: how far a restart need not read, and the scans that it must not print again. */
import { OVERLAP_MS } from '../complete/follow-code.ts';
import type { TailPosition } from './tail-state.ts';

export interface TailProgress {
  readonly positions: Map<string, TailPosition>;
  /** Returns where a code is continued. */
  positionOf(code: string): TailPosition;
  /**
   * Notes that a scan was printed. `nowMs` is the clock of the service; `hasBegun`: every scan from the start of the code on was returned by
   * the service, so that those before this one are printed, too.
   */
  print(code: string, scan: { id: number | bigint; ms: number }, state: { nowMs: number; hasBegun: boolean }): void;
  /** Forgets scans that are no longer read again. */
  prune(): void;
}

/** Creates the progress of a run that continues from `positions`; other codes begin at `sinceMs`. */
export function createTailProgress(sinceMs: number, positions: Map<string, TailPosition>): TailProgress {
  const positionOf = (code: string) => {
    const found = positions.get(code) ?? { fromMs: sinceMs, printed: new Map() };
    positions.set(code, found);
    return found;
  };

  return {
    positions,
    positionOf,
    print(code, { id, ms }, { nowMs, hasBegun }) {
      const position = positionOf(code);
      position.printed.set(id, ms);
      // S3: late scans may follow for as long as the overlap. A scan dated in the future, or of a start that is not complete, shows nothing.
      if (hasBegun && ms <= nowMs) position.fromMs = Math.max(position.fromMs, ms - OVERLAP_MS);
    },
    prune() {
      for (const { fromMs, printed } of positions.values()) for (const [id, ms] of printed) if (ms < fromMs) printed.delete(id);
    },
  };
}
