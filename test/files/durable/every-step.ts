/** A piece of work on the disk in memory, attacked at each of its steps. */
import { createMemoryDisk, type Fault, type MemoryDisk } from '../../support/memory-disk.ts';

export interface Attempt<T> {
  memory: MemoryDisk;
  /** What the work gave, or what it failed with. */
  result: T | undefined;
  error: unknown;
  step: number;
}

/** Runs `work` once for each fault and step on a disk that `prepare` filled, and calls `check` after each; tells the number of steps. */
export async function atEveryStep<T>(
  prepare: (memory: MemoryDisk) => Promise<void> | void,
  work: (memory: MemoryDisk) => Promise<T>,
  faults: readonly Fault[],
  check: (attempt: Attempt<T>) => Promise<void> | void,
): Promise<number> {
  const start = async () => {
    const memory = createMemoryDisk();
    await prepare(memory);
    memory.revive();
    return memory;
  };
  const whole = await start();
  await work(whole);
  const steps = whole.steps();
  for (const fault of faults) {
    for (let at = 0; at < steps; at++) {
      const memory = await start();
      memory.fault = (step) => (step === at ? fault : undefined);
      const attempt: Attempt<T> = { memory, result: undefined, error: undefined, step: at };
      await work(memory).then(
        (result) => Object.assign(attempt, { result }),
        (error: unknown) => Object.assign(attempt, { error }),
      );
      await check(attempt);
    }
  }
  return steps;
}

/** The ways in which a power cut mixes what was not flushed: by what `keep` of `revive` is asked about. */
export const POWER_CUTS: readonly ((what: string) => number)[] = [
  () => 0,
  () => 0.5,
  () => 1,
  (what) => (what === 'names' ? 1 : 0),
  (what) => (what === 'names' ? 0 : 1),
  (what) => (what === 'names' ? 1 : 0.5),
];
