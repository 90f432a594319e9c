import type { Clock } from '#base/time/time';

export interface ScanRun {
  clock: Clock;
  signal: AbortSignal;
  console: {
    note(line: string): void;
    /** Prints a warning, even with --quiet if `always`. */
    warn(line: string, always?: boolean): void;
    progress(unit: string): {
      update(work: { done: number; total?: number; detail?: string }): void;
      stop(): void;
    };
  };
}
