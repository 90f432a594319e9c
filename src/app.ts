/** Runs a command line and reports its error. */

import { basename, dirname } from 'node:path';
import { version } from '../package.json';
import { exitCodeOf, Failure, LocalError, type RowProblem, systemCode, UsageError } from './base/errors.ts';
import { formatAnnotations } from './base/run/annotations.ts';
import { formatRunMetrics } from './base/run/run-metrics.ts';
import { formatRunSummary, type RunEnd } from './base/run/run-summary.ts';
import { isSwitchedOn } from './base/text/switched-on.ts';
import { withoutCommands, withoutCommandsInJson } from './base/text/workflow-commands.ts';
import { systemClock } from './base/time/time.ts';
import { interpret, type TextInputs } from './cli/program.ts';
import { createPropose } from './cli/proposals.ts';
import type { Options, Values } from './commands/define.ts';
import { type Context, createContext, ownProcesses } from './context.ts';
import { describeSystemError, ifDiskFull } from './files/durable/path-errors.ts';
import type { Processes } from './files/durable/replace-file.ts';
import type { OutputPlace } from './files/formats/whole-file.ts';
import { configFile } from './settings/store.ts';
import { loadColors, wantsColor } from './terminal/color.ts';
import { type ErrorStyle, renderError } from './terminal/render-error.ts';
import { spacedPaths } from './terminal/wrap-words.ts';

/** Exit codes for failed, missing or undecided rows. They override exit code 0 for a closed pipe. */
const OF_ROWS = new Set([4, 8, 9]);

export async function run(
  argv: readonly string[],
  process: NodeJS.Process,
  terminal: TextInputs['terminal'],
): Promise<number> {
  const startedMs = systemClock.now();
  const line = await interpret(argv, { version, terminal });
  const { command, globals, style } = line;
  const fail = (error: unknown, problems?: readonly RowProblem[]) => report(error, style, process, problems);
  if (line.kind === 'print') return print(line.text, process).catch((error: unknown) => fail(error));
  const propose = createPropose(globals);
  const withProposals = (error: unknown) => {
    if (error instanceof Failure && error.hint !== undefined) error.hint = propose(error.hint);
    return error;
  };
  if (line.kind === 'refuse') {
    const error = withProposals(line.error);
    const end = { command, startedMs, error, facts: {}, profile: globals.profile, stats: undefined };
    const exit = await fail(error);
    return (await summarize(globals.summary, end, fail)) ?? exit;
  }
  const context = createContext(globals, propose);
  let { summary } = globals;
  let error: unknown;
  try {
    await useFlags(context, line.definition.options, line.options);
    if (summary !== undefined) {
      await checkSummaryPlace(summary).catch((failure: unknown) => {
        summary = undefined;
        throw failure;
      });
    }
    await line.definition.run(context, line);
    context.signal.throwIfAborted();
  } catch (failure) {
    const { aborted, reason } = context.signal;
    const isOver = aborted && !(exitCodeOf(reason) === 0 && OF_ROWS.has(exitCodeOf(failure)));
    error = withProposals(isOver ? reason : ifDiskFull(failure));
  }
  try {
    const exit = error === undefined ? 0 : await fail(error, context.facts.problems);
    const end = { command, startedMs, error, facts: context.facts, ...(await context.account()) };
    const place = context.files.isRefused('--summary') ? undefined : summary;
    return (await summarize(place, end, fail)) ?? exit;
  } finally {
    await context.dispose();
  }
}

/** Registers flags' files. Throws UsageError if one would overwrite another, the config or the key file. */
async function useFlags(
  { files, env, flags }: Context,
  options: Options,
  given: Values<Options>,
): Promise<void> {
  const named = Object.entries(options).flatMap(([key, { flags: form, complete, writes = false }]) => {
    const paths = complete === 'files' ? [given[key] ?? []].flat() : [];
    return paths.map((path) => ({ flag: /--[a-z-]+/.exec(form)?.[0], path: String(path), writes }));
  });
  if (flags.summary !== undefined) named.push({ flag: '--summary', path: flags.summary, writes: true });
  if (!named.some(({ writes }) => writes)) return;
  // Without a home directory, `configFile` throws: no config file needs protection.
  const config = await configFile(env).catch(() => '-');
  files.use(
    { what: 'the config file', path: config, writes: false },
    { what: 'the file of the API key', path: env.QRCTL_API_KEY_FILE || '-', writes: false },
    ...named,
  );
}

/** Writes the `--summary` file, if specified. Returns an exit code if only this write fails. */
async function summarize(
  path: string | undefined,
  end: Omit<RunEnd, 'finishedMs'>,
  fail: (error: unknown) => Promise<number>,
): Promise<number | undefined> {
  if (path === undefined) return undefined;
  try {
    await writeSummary(path, { ...end, finishedMs: systemClock.now() }, ownProcesses);
    return undefined;
  } catch (failure) {
    const exit = await fail(failure);
    return end.error === undefined ? exit : undefined;
  }
}

/** Prints to standard output, ignoring a closed pipe. Throws LocalError for other failures. */
export function print(text: string | Uint8Array, process: NodeJS.Process): Promise<number> {
  return new Promise((resolve, reject) => {
    process.stdout.on('error', () => undefined);
    process.stdout.write(text, (error) => {
      if (!error || systemCode(error) === 'EPIPE') resolve(0);
      else
        reject(
          new LocalError(`cannot write to standard output: ${describeSystemError(error)}`, { cause: error }),
        );
    });
  });
}

/** Prints an error as text or JSON, with annotations in GitHub Actions. Returns its exit code. */
export async function report(
  error: unknown,
  style: ErrorStyle,
  process: NodeJS.Process,
  problems: readonly RowProblem[] = [],
): Promise<number> {
  const isTerminal = process.stderr.isTTY === true;
  const colors = await loadColors(wantsColor(process.env, { isTerminal, noColor: style.color === false }));
  let text = renderError(error, style, {
    columns: isTerminal ? process.stderr.columns : undefined,
    colors,
    wholePaths: () => spacedPaths(process),
  });
  if (isSwitchedOn(process.env.GITHUB_ACTIONS)) {
    const rows = [...(error instanceof Failure ? error.rows : []), ...problems];
    const place = { workspace: process.env.GITHUB_WORKSPACE, directory: process.cwd() };
    text =
      (style.json ? withoutCommandsInJson(text) : withoutCommands(text)) + formatAnnotations(rows, place);
  }
  await new Promise<void>((resolve) => {
    process.stderr.on('error', () => resolve());
    process.stderr.write(text, () => resolve());
  });
  return exitCodeOf(error);
}

const OTHER_FILE = 'specify a different file with --summary';
const PLACE: OutputPlace = { elsewhere: OTHER_FILE, replaces: ['none', 'summary'] };

/** Checks the `--summary` path before the run changes anything. Throws a Failure. */
async function checkSummaryPlace(path: string): Promise<void> {
  const { stat } = await import('node:fs/promises');
  const directory = await stat(dirname(path)).catch(() => undefined);
  if (!directory?.isDirectory()) {
    throw new UsageError(`cannot write the summary ${path}: the directory ${dirname(path)} does not exist`, {
      hint: `Create the directory first, or ${OTHER_FILE}.`,
    });
  }
  const { checkWholeFile } = await import('./files/formats/whole-file.ts');
  await checkWholeFile(path, PLACE);
}

async function writeSummary(path: string, end: RunEnd, processes: Processes): Promise<void> {
  const { writeWholeFile } = await import('./files/formats/whole-file.ts');
  const text = /\.prom$/i.test(path) ? formatRunMetrics(end, basename(path)) : formatRunSummary(end);
  await writeWholeFile(path, text, { ...PLACE, processes });
}
