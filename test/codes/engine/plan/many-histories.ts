/**
 * Plays many histories in all processors and prints what came of them: problems with the seeds of their shortest histories, outcomes,
 * questions, and cases that the design excludes. Run it bundled by esbuild: `HISTORIES FIRST_SEED`; `-- SEED` plays one and prints each step.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { plan } from '#codes/engine/plan/plan';
import { playHistory } from './world/history.ts';
import { addHistory, emptySummary, merge, print, type Summary } from './world/summary.ts';

const HISTORIES = 1_000_000;

/** Number of histories that a process plays before it reports. */
const AT_ONCE = 5000;

/** Plays the histories of consecutive seeds. */
function playMany(from: number, many: number): Summary {
  const summary = emptySummary();
  for (let seed = from; seed < from + many; seed++) {
    let steps = 0;
    const tally = playHistory(seed, { planOf: plan, onStep: () => steps++ });
    addHistory(summary, tally, seed, steps);
  }
  return summary;
}

/** Plays histories in as many processes as there are processors. */
async function playInProcesses(many: number, from: number): Promise<Summary> {
  const whole = emptySummary();
  let next = from;
  const playInOne = async () => {
    const child = fork(fileURLToPath(import.meta.url), ['--child']);
    while (next < from + many) {
      const first = next;
      next += AT_ONCE;
      child.send([first, Math.min(AT_ONCE, from + many - first)]);
      const part = await new Promise<Summary>((resolve, reject) => {
        child.once('message', resolve as (message: unknown) => void);
        child.once('exit', () =>
          reject(new Error(`A process ended while it played the seeds from ${first}.`)),
        );
      });
      child.removeAllListeners('exit');
      merge(whole, part);
    }
    child.disconnect();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, playInOne));
  return whole;
}

const [first, second] = process.argv.slice(2);
if (first === '--child') {
  process.on('message', ([from, many]: [number, number]) => process.send?.(playMany(from, many)));
} else if (first === '--') {
  const { problems } = playHistory(Number(second), { planOf: plan, onStep: (text) => console.log(text) });
  console.log(problems.join('\n'));
} else {
  const begun = performance.now();
  const summary = await playInProcesses(Number(first ?? HISTORIES), Number(second ?? 1));
  print(summary, (performance.now() - begun) / 1000);
}
