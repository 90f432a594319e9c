import type { Clock } from '#base/time/time';

interface Work {
  done: number;
  total?: number;
  detail?: string;
}

export interface ScanRun {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly console: {
    note(line: string): void;
    /** Prints a warning, with `always` even under --quiet. */
    warn(line: string, always?: boolean): void;
    progress(unit: string): { update(work: Work): void; stop(): void };
  };
}
