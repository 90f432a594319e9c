/**
 * Plays many histories in several processes, and prints what came of them: violations with the seed of the shortest history of each kind,
 * outcomes, questions and refusals. `--minutes` begins no further histories after that time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  addHistory,
  addProblem,
  emptySummary,
  merge,
  print,
  type Summary,
} from '../codes/engine/plan/world/summary.ts';
import { openTheatre, type Theatre } from './theatre.ts';

/** Number of histories that a process plays before it reports. */
const AT_ONCE = 10;
/** Number of histories between two lines of progress. */
const PROGRESS = 500;

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '30000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '600' },
    only: { type: 'string' },
    kill: { type: 'string', default: 'request' },
    workers: { type: 'string', default: `${availableParallelism()}` },
    child: { type: 'boolean', default: false },
  },
});
const kill = values.kill as 'none' | 'request' | 'call';
const bin = process.env.QRCTL_TEST_BIN ?? '';

async function playMany(
  theatre: Theatre,
  from: number,
  many: number,
  onStep?: (text: string) => void,
): Promise<Summary> {
  const summary = emptySummary();
  for (let seed = from; seed < from + many; seed++) {
    let steps = 0;
    const tally = await theatre.play(seed, kill, (text) => {
      steps += 1;
      onStep?.(text);
    });
    addHistory(summary, tally, seed, steps);
  }
  return summary;
}

/** The command prints its results, which are read from files here. */
function forkChild(): ChildProcess {
  const child = fork(fileURLToPath(import.meta.url), ['--child', '--kill', kill], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.resume();
  return child;
}

/** Time for a batch of histories before its process counts as hung. */
const BATCH_MS = 600_000;

/** Resolves to what a process found in a batch; rejects if it ends or hangs, which is a violation. */
function playBatch(child: ChildProcess, from: number, many: number): Promise<Summary> {
  child.send([from, many]);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), BATCH_MS);
    const onExit = () => reject(new Error(`A process ended or hung while it played the seeds from ${from}.`));
    child.once('exit', onExit);
    child.once('message', (part) => {
      clearTimeout(timer);
      child.off('exit', onExit);
      resolve(part as Summary);
    });
  });
}

async function playInProcesses(many: number, from: number): Promise<Summary> {
  const whole = emptySummary();
  let next = from;
  const end = performance.now() + Number(values.minutes) * 60_000;
  const playInOne = async () => {
    let child = forkChild();
    while (next < from + many && performance.now() < end) {
      const first = next;
      next += AT_ONCE;
      try {
        merge(whole, await playBatch(child, first, Math.min(AT_ONCE, from + many - first)));
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        addProblem(whole, { seed: first, steps: 0, text });
        child = forkChild();
      }
      if (whole.histories % PROGRESS === 0)
        console.error(
          `${whole.histories} histories, ${Object.keys(whole.problems).length} kinds of violations`,
        );
    }
    child.disconnect();
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, playInOne));
  return whole;
}

/** Plays one history in a process of its own, whose output is that of the command, and prints its transcript. */
async function playOne(seed: number): Promise<void> {
  const child = forkChild();
  child.send([seed, 1, 'told']);
  child.on('message', (message: string | Summary) => {
    if (typeof message === 'string') return console.log(message);
    const found = Object.values(message.problems);
    console.log(
      found.length === 0 ? 'no violation' : found.map(({ text }) => `VIOLATION ${text}`).join('\n'),
    );
    child.disconnect();
  });
  await once(child, 'exit');
}

if (values.child) {
  const theatre = await openTheatre(bin);
  const send = (message: unknown) => process.send?.(message);
  process.on('message', ([from, many, told]: [number, number, string?]) => {
    void playMany(theatre, from, many, told === undefined ? undefined : send).then(send);
  });
  process.on('disconnect', () => void theatre.close().then(() => process.exit()));
} else if (values.only === undefined) {
  const begun = performance.now();
  const summary = await playInProcesses(Number(values.histories), Number(values.seed));
  print(summary, (performance.now() - begun) / 1000);
} else {
  await playOne(Number(values.only));
}
