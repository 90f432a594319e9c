/** Runs a command line and returns its exit code. The only place that catches every error. */
import { fstatSync, writeSync } from 'node:fs';
import { version } from '../package.json';
import type { RowProblem } from './base/errors.ts';
import type { RunEnd } from './base/run/run-summary.ts';
import { isSwitchedOn } from './base/text/switched-on.ts';
import { systemClock } from './base/time/time.ts';
import type { Terminal } from './cli/help/command-help.ts';
import { readyAnswer } from './cli/packaged.ts';
import type { Propose } from './cli/proposals.ts';
import type { ConsoleFlags } from './context.ts';
import { wantsColour } from './terminal/colour.ts';
import type { ErrorStyle } from './terminal/render-error.ts';

type App = typeof import('./app.ts');

const STDOUT = 1;

/** Exit codes of rows that failed or need a decision: a reader that closes standard output does not hide them. */
const OF_ROWS = new Set([4, 8, 9]);

/**
 * Runs one command line and returns the exit code, after all output is written. Loads the rest of the program with `load`, unless the text
 * is prepared (`ready`).
 */
export async function main(argv: readonly string[], load: () => App, ready = readyAnswer): Promise<number> {
  try {
    const answer = ready(argv, () => terminal({}));
    return await (answer === undefined ? run(argv, load()) : printNow(answer, load));
  } catch (error) {
    return report(error, { json: false, verbose: false }, load());
  }
}

async function run(argv: readonly string[], app: App): Promise<number> {
  const startedMs = systemClock.now();
  const line = await app.interpret(argv, { version, terminal });
  if (line.kind === 'print')
    return print(line.text, app).catch((error: unknown) => report(error, line.style, app));
  const { command, globals, style } = line;
  const propose = app.createPropose(globals);
  if (line.kind === 'refuse') {
    const error = withProposals(line.error, propose, app);
    const end = { command, startedMs, error, facts: {}, profile: globals.profile, stats: undefined };
    const exit = await report(error, style, app);
    return (await summarize(globals.summary, end, style, app)) ?? exit;
  }
  const context = app.createContext(globals, propose);
  let { summary } = globals;
  let error: unknown;
  try {
    await app.useFlags(context, line.definition.options, line.options);
    if (summary !== undefined) {
      await app.checkSummaryPlace(summary).catch((failure: unknown) => {
        summary = undefined;
        throw failure;
      });
    }
    await line.definition.run(context, line);
    context.signal.throwIfAborted();
  } catch (failure) {
    const isOver =
      context.signal.aborted &&
      !(app.exitCodeOf(context.signal.reason) === 0 && OF_ROWS.has(app.exitCodeOf(failure)));
    error = withProposals(isOver ? context.signal.reason : app.ifDiskFull(failure), propose, app);
  }
  try {
    const exit = error === undefined ? 0 : await report(error, style, app, context.facts.problems);
    const end = { command, startedMs, error, facts: context.facts, ...(await context.account()) };
    const place = context.files.isRefused('--summary') ? undefined : summary;
    return (await summarize(place, end, style, app)) ?? exit;
  } finally {
    await context.dispose();
  }
}

/** Completes the commands that the hint of a failure proposes. */
function withProposals(error: unknown, propose: Propose, { Failure }: App): unknown {
  if (error instanceof Failure && error.hint !== undefined) error.hint = propose(error.hint);
  return error;
}

async function summarize(
  path: string | undefined,
  end: Omit<RunEnd, 'finishedMs'>,
  style: ErrorStyle,
  app: App,
): Promise<number | undefined> {
  if (path === undefined) return undefined;
  try {
    await app.writeSummary(path, { ...end, finishedMs: systemClock.now() }, app.ownProcesses);
    return undefined;
  } catch (failure) {
    // The exit code of another failure is kept.
    const exit = await report(failure, style, app);
    return end.error === undefined ? exit : undefined;
  }
}

/** Terminal for texts about the command line itself. Node takes more than a millisecond to detect one. */
function terminal({ color }: ConsoleFlags): Terminal {
  const isTerminal = fstatSync(STDOUT).isCharacterDevice() && process.stdout.isTTY === true;
  const colour = wantsColour(process.env, { isTerminal, noColor: color === false });
  return { columns: isTerminal ? process.stdout.columns : undefined, colour };
}

/** Prints before there is a console. Throws LocalError if standard output cannot be written (a full disk). */
function print(text: string | Uint8Array, { describeSystemError, LocalError }: App): Promise<number> {
  return new Promise((resolve, reject) => {
    process.stdout.on('error', () => undefined);
    process.stdout.write(text, (error) => {
      if (!error || ('code' in error && error.code === 'EPIPE')) resolve(0);
      else
        reject(
          new LocalError(`cannot write to standard output: ${describeSystemError(error)}`, { cause: error }),
        );
    });
  });
}

/** Like `print`, but by descriptor if that accepts everything: Node takes more than a millisecond to open the stream. */
async function printNow(text: string, load: () => App): Promise<number> {
  const bytes = Buffer.from(text);
  let taken = 0;
  try {
    taken = writeSync(STDOUT, bytes);
  } catch {
    // The stream waits, or reports the same failure.
  }
  return taken === bytes.length ? 0 : print(bytes.subarray(taken), load());
}

/** Prints the error to standard error, as text or JSON, in GitHub Actions also the rows that failed, and returns the exit code. */
async function report(
  error: unknown,
  style: ErrorStyle,
  app: App,
  problems: readonly RowProblem[] = [],
): Promise<number> {
  const { exitCodeOf, loadColours, renderError, spacedPaths } = app;
  const isTerminal = process.stderr.isTTY === true;
  const colours = await loadColours(wantsColour(process.env, { isTerminal, noColor: style.color === false }));
  const text = renderError(error, style, {
    columns: isTerminal ? process.stderr.columns : undefined,
    colours,
    wholePaths: () => spacedPaths(process),
  });
  const said = isSwitchedOn(process.env.GITHUB_ACTIONS) ? annotated(text, error, style, problems, app) : text;
  await new Promise<void>((resolve) => {
    process.stderr.on('error', () => resolve());
    process.stderr.write(said, () => resolve());
  });
  return exitCodeOf(error);
}

/** Escapes workflow commands in the error, and adds those for the rows that failed. */
function annotated(
  text: string,
  error: unknown,
  { json }: ErrorStyle,
  problems: readonly RowProblem[],
  app: App,
): string {
  const rows = [...(error instanceof app.Failure ? error.rows : []), ...problems];
  const place = { workspace: process.env.GITHUB_WORKSPACE, directory: process.cwd() };
  return (
    (json ? app.withoutCommandsInJson(text) : app.withoutCommands(text)) + app.formatAnnotations(rows, place)
  );
}
