/**
 * Plays many histories in several processes, and prints what came of them: violations with the seed of the shortest history of each kind,
 * outcomes, questions and refusals. `--minutes` begins no further histories after that time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openTheatre, type Theatre } from './theatre.ts';

/** Number of histories that a process plays before it reports. */
const AT_ONCE = 10;
/** Number of histories between two lines of progress. */
const PROGRESS = 500;

interface Found {
  count: number;
  seed: number;
  steps: number;
  text: string;
}

interface Summary {
  needless: number;
  histories: number;
  counts: Record<string, { times: number; seed: number }>;
  problems: Record<string, Found>;
}

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
  const summary: Summary = { needless: 0, histories: 0, counts: {}, problems: {} };
  for (let seed = from; seed < from + many; seed++) {
    const lines: string[] = [];
    const { problems, counts } = await theatre.play(seed, kill, (text) => {
      lines.push(text);
      onStep?.(text);
    });
    summary.histories += 1;
    for (const [what, times] of counts) addCount(summary.counts, what, { times, seed });
    if ([...counts.keys()].some((what) => what.startsWith('needless'))) summary.needless += 1;
    const [text] = problems;
    if (text !== undefined)
      addProblem(summary.problems, kindOf(text), { count: 1, seed, steps: lines.length, text });
  }
  return summary;
}

/** Counts something, with the seed of the first history that had it. */
function addCount(
  counts: Summary['counts'],
  what: string,
  { times, seed }: { times: number; seed: number },
): void {
  const known = counts[what];
  if (known) known.times += times;
  else counts[what] = { times, seed };
}

function kindOf(text: string): string {
  return text.replace(/: .*/s, '').replace(/"[^"]*"|[0-9a-f]{8}-\S+|\d+/g, '…');
}

function addProblem(problems: Summary['problems'], kind: string, found: Found): void {
  const known = problems[kind];
  if (!known) problems[kind] = found;
  else {
    known.count += found.count;
    if (found.steps < known.steps)
      Object.assign(known, { seed: found.seed, steps: found.steps, text: found.text });
  }
}

function merge(whole: Summary, part: Summary): void {
  whole.histories += part.histories;
  whole.needless += part.needless;
  for (const [what, counted] of Object.entries(part.counts)) addCount(whole.counts, what, counted);
  for (const [kind, found] of Object.entries(part.problems)) addProblem(whole.problems, kind, found);
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
  const whole: Summary = { needless: 0, histories: 0, counts: {}, problems: {} };
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
        addProblem(whole.problems, kindOf(text), { count: 1, seed: first, steps: 0, text });
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

function print({ histories, needless, counts, problems }: Summary, seconds: number): void {
  console.log(`${histories} histories in ${seconds.toFixed(0)} s, ${needless} with a needless question`);
  for (const [what, { times, seed }] of Object.entries(counts).sort())
    console.log(`${String(times).padStart(9)}  ${what} (seed ${seed})`);
  const found = Object.entries(problems);
  console.log(`\n${found.length} kinds of violations`);
  for (const [kind, { count, seed, text }] of found)
    console.log(`${String(count).padStart(9)}  ${kind}, seed ${seed}: ${text}`);
  if (found.length > 0) process.exitCode = 1;
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
