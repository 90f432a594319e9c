/**
 * Plays many histories in all processors and prints what came of them: problems with the seeds of their shortest histories, outcomes,
 * questions, and cases that the design excludes. Run it bundled by esbuild: `HISTORIES FIRST_SEED`; `-- SEED` plays one and prints each step.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { plan } from '#codes/engine/plan/plan';
import { playHistory } from './world/history.ts';

const HISTORIES = 1_000_000;

/** Number of histories that a process plays before it reports. */
const AT_ONCE = 5000;

interface Found {
  count: number;
  seed: number;
  steps: number;
  text: string;
}

interface Summary {
  readonly histories: number;
  /** Number of histories with a needless question. */
  readonly needless: number;
  readonly counts: Record<string, number>;
  readonly problems: Record<string, Found>;
}

/** Plays the histories of consecutive seeds. */
function playMany(from: number, many: number): Summary {
  const counts: Record<string, number> = {};
  const problems: Record<string, Found> = {};
  let needless = 0;
  for (let seed = from; seed < from + many; seed++) {
    let steps = 0;
    const tally = playHistory(seed, { planOf: plan, onStep: () => steps++ });
    for (const [what, times] of tally.counts) counts[what] = (counts[what] ?? 0) + times;
    if ([...tally.counts.keys()].some((what) => what.startsWith('needless'))) needless += 1;
    const [text] = tally.problems;
    if (text !== undefined)
      addProblem(problems, text.replace(/:.*/s, '').replace(/"[^"]*"|\d+/g, '…'), {
        count: 1,
        seed,
        steps,
        text,
      });
  }
  return { histories: many, needless, counts, problems };
}

function addProblem(problems: Record<string, Found>, kind: string, found: Found): void {
  const known = problems[kind];
  if (!known) problems[kind] = found;
  else {
    known.count += found.count;
    if (found.steps < known.steps)
      Object.assign(known, { seed: found.seed, steps: found.steps, text: found.text });
  }
}

/** Plays histories in as many processes as there are processors. */
async function playInProcesses(many: number, from: number): Promise<Summary> {
  const counts: Record<string, number> = {};
  const problems: Record<string, Found> = {};
  let [next, needless] = [from, 0];
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
      needless += part.needless;
      for (const [what, times] of Object.entries(part.counts)) counts[what] = (counts[what] ?? 0) + times;
      for (const [kind, found] of Object.entries(part.problems)) addProblem(problems, kind, found);
    }
    child.disconnect();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, playInOne));
  return { histories: many, needless, counts, problems };
}

function print({ histories, needless, counts, problems }: Summary, seconds: number): void {
  console.log(`${histories} histories in ${seconds.toFixed(0)} s, ${needless} with a needless question`);
  for (const [what, times] of Object.entries(counts).sort())
    console.log(`${String(times).padStart(9)}  ${what}`);
  const found = Object.entries(problems);
  console.log(`\n${found.length} kinds of problems`);
  for (const [kind, { count, seed, text }] of found)
    console.log(`${String(count).padStart(9)}  ${kind}, seed ${seed}: ${text}`);
  if (found.length > 0) process.exitCode = 1;
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
