import type { Clock } from '#base/time/time';

export interface ScanRun {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly console: {
    note(line: string): void;
    /** Prints a warning, with `always` even under --quiet. */
    warn(line: string, always?: boolean): void;
    progress(unit: string): {
      update(work: { done: number; total?: number; detail?: string }): void;
      stop(): void;
    };
  };
}
