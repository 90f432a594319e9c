import { fstatSync, writeSync } from 'node:fs';
import type { Terminal } from './cli/help/command-help.ts';
import { readyText } from './cli/packaged.ts';
import type { ConsoleFlags } from './context.ts';
import { wantsColor } from './terminal/color.ts';

type App = typeof import('./app.ts');

const STDOUT = 1;

/** Runs a command line. Loads the app only if `ready` returns no text, or after a failure. */
export async function main(argv: readonly string[], load: () => App, ready = readyText): Promise<number> {
  try {
    const text = ready(argv, () => terminal({}));
    return await (text === undefined ? load().run(argv, process, terminal) : printNow(text, load));
  } catch (error) {
    return load().report(error, { json: false, verbose: false }, process);
  }
}

/** Describes standard output. Checks the descriptor first, because opening the stream takes 1 ms. */
function terminal(flags: ConsoleFlags): Terminal {
  const isTerminal = fstatSync(STDOUT).isCharacterDevice() && process.stdout.isTTY === true;
  const color = wantsColor(process.env, { isTerminal, noColor: flags.color === false });
  return { columns: isTerminal ? process.stdout.columns : undefined, color };
}

/** Prints by descriptor if possible, because Node takes more than 1 ms to open the stream. */
async function printNow(text: string, load: () => App): Promise<number> {
  const bytes = Buffer.from(text);
  let taken = 0;
  try {
    taken = writeSync(STDOUT, bytes);
  } catch {
    // The stream prints the rest: it waits for the reader, or reports the same failure.
  }
  return taken === bytes.length ? 0 : load().print(bytes.subarray(taken), process);
}
