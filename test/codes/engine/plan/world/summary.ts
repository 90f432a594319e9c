/** What many histories left behind: problems with the seeds of their shortest histories, outcomes, questions and excluded cases. */
import type { Tally } from './truth.ts';

interface Found {
  count: number;
  seed: number;
  steps: number;
  text: string;
}

export interface Summary {
  histories: number;
  /** Number of histories with a needless question. */
  needless: number;
  /** Each with the seed of the first history that had it. */
  readonly counts: Record<string, { times: number; seed: number }>;
  readonly problems: Record<string, Found>;
}

export function emptySummary(): Summary {
  return { histories: 0, needless: 0, counts: {}, problems: {} };
}

/** Adds the history of a seed. */
export function addHistory(summary: Summary, { problems, counts }: Tally, seed: number, steps: number): void {
  summary.histories += 1;
  for (const [what, times] of counts) addCount(summary, what, { times, seed });
  if ([...counts.keys()].some((what) => what.startsWith('needless'))) summary.needless += 1;
  const [text] = problems;
  if (text !== undefined) addProblem(summary, { seed, steps, text });
}

function addCount({ counts }: Summary, what: string, counted: { times: number; seed: number }): void {
  const known = counts[what];
  if (known) known.times += counted.times;
  else counts[what] = { ...counted };
}

export function addProblem(
  { problems }: Summary,
  { count = 1, ...found }: Partial<Found> & Omit<Found, 'count'>,
) {
  const kind = found.text.replace(/: .*/s, '').replace(/"[^"]*"|[0-9a-f]{8}-\S+|\d+/g, '…');
  const known = problems[kind];
  if (!known) problems[kind] = { count, ...found };
  else {
    known.count += count;
    if (found.steps < known.steps) Object.assign(known, found);
  }
}

export function merge(whole: Summary, part: Summary): void {
  whole.histories += part.histories;
  whole.needless += part.needless;
  for (const [what, counted] of Object.entries(part.counts)) addCount(whole, what, counted);
  for (const found of Object.values(part.problems)) addProblem(whole, found);
}

/** Prints it, and sets the exit code. */
export function print({ histories, needless, counts, problems }: Summary, seconds: number): void {
  console.log(`${histories} histories in ${seconds.toFixed(0)} s, ${needless} with a needless question`);
  for (const [what, { times, seed }] of Object.entries(counts).sort())
    console.log(`${String(times).padStart(9)}  ${what} (seed ${seed})`);
  const found = Object.entries(problems);
  console.log(`\n${found.length} kinds of problems`);
  for (const [kind, { count, seed, text }] of found)
    console.log(`${String(count).padStart(9)}  ${kind}, seed ${seed}: ${text}`);
  if (found.length > 0) process.exitCode = 1;
}
