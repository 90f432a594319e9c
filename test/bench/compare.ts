/** Contestants side by side: each runs once a round, so that whatever else the machine does hits all of them alike. */
import { type Run, run } from './run.ts';

export interface Contestant {
  name: string;
  command: readonly string[];
  /** Called after each run: throws where what it made is not what it should be. */
  check?(run: Run): Promise<void> | void;
}

/** Medians of the rounds. */
export interface Result {
  name: string;
  wallMs: number;
  cpuMs: number;
  peakMb: number | undefined;
  /** Medians of the ratios to the first contestant in the same round. */
  wallRatio: number;
  cpuRatio: number;
}

export async function compare(
  contestants: readonly Contestant[],
  env: Record<string, string | undefined>,
  { rounds, warmUp = true }: { rounds: number; warmUp?: boolean },
): Promise<Result[]> {
  const runs: Run[][] = contestants.map(() => []);
  for (let round = warmUp ? -1 : 0; round < rounds; round++) {
    for (const [i, { command, check }] of contestants.entries()) {
      const measured = await run(command, env);
      await check?.(measured);
      if (round >= 0) runs[i]?.push(measured);
    }
  }
  return contestants.map(({ name }, i) => summary(name, runs[i] ?? [], runs[0] ?? []));
}

function summary(name: string, runs: readonly Run[], first: readonly Run[]): Result {
  const peaks = runs.flatMap(({ peakMb }) => peakMb ?? []);
  return {
    name,
    wallMs: median(runs.map(({ wallMs }) => wallMs)),
    cpuMs: median(runs.map(({ cpuMs }) => cpuMs)),
    peakMb: peaks.length > 0 ? median(peaks) : undefined,
    wallRatio: median(runs.map(({ wallMs }, i) => wallMs / (first[i]?.wallMs ?? Number.NaN))),
    cpuRatio: median(runs.map(({ cpuMs }, i) => cpuMs / (first[i]?.cpuMs ?? Number.NaN))),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1 + (sorted.length % 2)], sorted[middle]];
  return (low + high) / 2;
}
