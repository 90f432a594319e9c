import type { Readable } from 'node:stream';
import { orUndefined } from '#base/errors';
import { clean } from '#base/text/clean';
import { redactKeys } from '#base/text/key';
import { isSwitchedOn } from '#base/text/switched-on';
import { withoutCommands } from '#base/text/workflow-commands';
import { type Clock, formatInstant } from '#base/time/time';
import { loadColors, NO_COLORS, wantsColor } from './color.ts';
import { type Bar, createBar, createPlainProgress, createSpokenProgress, type Progress } from './progress.ts';
import { askLine } from './prompt.ts';
import { createStdoutWriter, flushFile, type OutputStream } from './stdout-writer.ts';
import { wrapWords } from './wrap-words.ts';

export type { Progress };

export type Console = ReturnType<typeof createConsole>;

export interface ConsoleOptions {
  stdin: Readable & { isTTY?: boolean };
  stdout: OutputStream;
  stderr: OutputStream;
  env: NodeJS.Dict<string>;
  quiet: boolean;
  verbose: boolean;
  noColor: boolean;
  clock: Clock;
  signal: AbortSignal;
  /** Returns whether a program that reads standard output may write to the same terminal. */
  isPiped?: () => boolean;
  /** Returns whether to write for screen readers. May change when the settings are read. */
  isAccessible?: () => boolean;
  wholePaths?: () => readonly string[];
  propose?: (text: string) => string;
  onClosedPipe: () => void;
}

const DEFAULT_WIDTH = 80;

export function createConsole(options: ConsoleOptions) {
  const { stdout, stderr, env, quiet, clock, signal, noColor, wholePaths: whole } = options;
  const isTerminal = stdout.isTTY === true;
  const errIsTerminal = stderr.isTTY === true;
  const isWatched = errIsTerminal && !isSwitchedOn(env.CI) && !quiet;
  const isAccessible = () => options.isAccessible?.() ?? false;
  const writeOut = createStdoutWriter(stdout, options.onClosedPipe);
  // Ignores errors, so that commands work even if standard error is closed.
  stderr.on('error', () => undefined);
  const writeError = (text: string) => void orUndefined(() => stderr.write(text));
  const isWorkflow = isSwitchedOn(env.GITHUB_ACTIONS);
  const harmless = (text: string) => (isWorkflow ? withoutCommands(text) : text);
  let bar: Bar | undefined;
  let errColors = NO_COLORS;
  // Doesn't wait for colors, because warnings follow only after the settings are read.
  void loadColors(wantsColor(env, { isTerminal: errIsTerminal, noColor })).then((colors) => {
    errColors = colors;
  });

  const wrapped = (text: string) =>
    wrapWords(text, errIsTerminal ? stderr.columns || DEFAULT_WIDTH : undefined, { whole });

  function line(text: string, colored = (lines: string) => lines): void {
    bar?.hide();
    writeError(`${colored(wrapped(harmless(text)))}\n`);
    bar?.show();
  }
  const proposing = (text: string) => presentable(options.propose?.(text) ?? text);
  const note = (text: string) => {
    if (!quiet) line(proposing(text));
  };

  let active = createPlainProgress(note);

  function startProgress(unit: string): Progress {
    if (!isWatched || options.isPiped?.()) return createPlainProgress(note);
    if (isAccessible()) return createSpokenProgress(unit, note, clock);
    if (env.TERM === 'dumb') return createPlainProgress(note);
    bar = createBar(unit, { width: () => stderr.columns || DEFAULT_WIDTH, write: writeError }, clock);
    return bar;
  }

  // Opens standard input on first use: opening takes milliseconds.
  const asking = () => ({ input: options.stdin, output: stderr, signal });
  return {
    isTerminal,
    get canAsk() {
      return errIsTerminal && !isSwitchedOn(env.CI) && options.stdin.isTTY === true;
    },
    color: wantsColor(env, { isTerminal, noColor }),
    get isAccessible() {
      return isAccessible();
    },
    get width() {
      return stdout.columns || positive(env.COLUMNS) || DEFAULT_WIDTH;
    },
    async write(data: string | Uint8Array) {
      if (!isTerminal) return writeOut(data);
      bar?.hide();
      await writeOut(data);
      bar?.show();
    },
    harmless,
    flush: () => flushFile(stdout),
    /** Unless --quiet, prints a line with control characters escaped and keys redacted. */
    note,
    warn: (text: string, always = false) => {
      if (always || !quiet)
        line(`warning: ${proposing(text)}`, (lines) =>
          lines.replace('warning:', errColors.yellow('warning:')),
        );
    },
    verbose: (text: string) => {
      if (options.verbose) line(presentable(`${formatInstant(clock.now())} ${text}`));
    },
    progress(unit: string) {
      active = startProgress(unit);
      return active;
    },
    activeProgress: () => active,
    ask(question: string) {
      const manner = isAccessible() || env.TERM === 'dumb' ? 'plain' : 'edited';
      return askLine(wrapped(proposing(question)), { ...asking(), manner });
    },
    askSecret: (question: string) => askLine(wrapped(clean(question)), { ...asking(), manner: 'secret' }),
  };
}

const MAX_LINE = 4000;

function presentable(text: string): string {
  const shown = redactKeys(text);
  return clean(shown.length <= MAX_LINE ? shown : `${shown.slice(0, MAX_LINE)}…`);
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}
