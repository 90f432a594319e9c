/** The process in which parsers are given damaged input, one after the other; fuzz.ts starts it, and ends it when it says nothing for too long. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countOf, failureOf, inputOf, PARSERS, shown } from './try-input.ts';

export interface FuzzJob {
  seed: number;
  /** Over all parsers. */
  total: number;
  parser: string;
  /** Its inputs are numbered from 0; those before it are left out. */
  first: number;
  /** Only tells what the first is. */
  isShown?: true;
}

export type FuzzNews =
  | { is: 'parsers'; names: string[] }
  | { is: 'done'; number: number; ms: number; failure?: string | undefined; input?: string | undefined }
  /** `next` is where another process goes on; undefined: all were tried. */
  | { is: 'end'; next: number | undefined; peakMb: number };

/** Inputs of one process, where each may leave a thread. */
const THREADS = 8;

function tell(news: FuzzNews): Promise<void> {
  return new Promise((resolve) => process.send?.(news, () => resolve()));
}

async function run({ seed, total, parser: name, first, isShown }: FuzzJob): Promise<void> {
  const parser = PARSERS.find((known) => known.name === name);
  if (!parser) throw new Error(`no parser ${name}`);
  if (isShown) return tell({ is: 'done', number: first, ms: 0, input: shown(inputOf(parser, seed, first)) });
  const directory = mkdtempSync(join(tmpdir(), 'qrctl-fuzz-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const count = countOf(parser, total);
  let loose: string | undefined;
  process.on('unhandledRejection', (error) => {
    loose = `an unhandled rejection: ${error instanceof Error ? error.stack : String(error)}`;
  });
  const end = Math.min(count, first + (parser.isApart ? THREADS : count));
  for (let number = first; number < end; number++) {
    const input = inputOf(parser, seed, number);
    const began = performance.now();
    const failure = (await failureOf(parser, input, directory)) ?? loose;
    loose = undefined;
    const found = failure === undefined ? {} : { failure, input: shown(input) };
    await tell({ is: 'done', number, ms: performance.now() - began, ...found });
  }
  await tell({
    is: 'end',
    next: end < count ? end : undefined,
    peakMb: process.resourceUsage().maxRSS / 1024,
  });
}

process.once('message', (job: FuzzJob) => {
  run(job).then(() => process.disconnect());
});
void tell({ is: 'parsers', names: PARSERS.map(({ name }) => name) });
