/** Terminal interface of commands: data to standard output, everything else to standard error. */
import type { Readable } from 'node:stream';
import { clean } from '../base/text/clean.ts';
import { redactKeys } from '../base/text/key.ts';
import { isSwitchedOn } from '../base/text/switched-on.ts';
import { withoutCommands } from '../base/text/workflow-commands.ts';
import { type Clock, formatInstant } from '../base/time/time.ts';
import { type Environment, loadColours, NO_COLOURS, wantsColour } from './colour.ts';
import { type Bar, createBar, createPlainProgress, type Progress } from './progress.ts';
import { askLine } from './prompt.ts';
import { createSpokenProgress } from './spoken-progress.ts';
import { createStdoutWriter, flushFile, type OutputStream } from './stdout-writer.ts';
import { wrapWords } from './wrap-words.ts';

export type { Progress };

export interface Console {
  /** Standard output is a terminal (decides the default format and colors). */
  readonly isTerminal: boolean;
  /** A prompt is possible: standard input and standard error are terminals, and this is not CI. */
  readonly canAsk: boolean;
  /** Standard output may be colored. */
  readonly colour: boolean;
  /** Output is for a screen reader: nothing is redrawn, there are no blocks or lines of signs, and questions are plain lines. */
  readonly isAccessible: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /**
   * Data to standard output, resolved when accepted. A closed pipe rejects with ClosedPipeError, any other failure (a full
   * device) with LocalError.
   */
  write(data: string | Uint8Array): Promise<void>;
  /** Text for people that holds values of others, as it is printed: in GitHub Actions, none of them is a workflow command. */
  harmless(text: string): string;
  /** Flushes the data to disk if standard output is a file. Fails with LocalError. */
  flush(): Promise<void>;
  /**
   * One line on standard error unless --quiet. Service data in it is cleaned of control characters, line ends too: several
   * lines are several notes.
   */
  note(line: string): void;
  /** Prints a note marked and colored as a warning. `always`: also under --quiet, for critical warnings. */
  warn(line: string, always?: boolean): void;
  /** One line on standard error when --verbose, behind the time of this machine's clock (UTC). */
  verbose(line: string): void;
  /** Progress bar or line; `unit` is the counted noun ("scans"). */
  progress(unit: string): Progress;
  /** Prompts on standard error and reads one line from standard input. Only if `canAsk`; rejects on abort. */
  ask(question: string): Promise<string>;
  /** Prompts without echo; see `ask`. */
  askSecret(question: string): Promise<string>;
}

export interface ConsoleOptions {
  stdin: Readable & { isTTY?: boolean };
  stdout: OutputStream;
  stderr: OutputStream;
  env: Environment;
  quiet: boolean;
  verbose: boolean;
  /** `--no-color`. */
  noColor: boolean;
  clock: Clock;
  signal: AbortSignal;
  /** Returns whether another program reads standard output: it may write to the terminal of the bar. */
  isPiped?: () => boolean;
  /** Returns whether output is for a screen reader; default: no. It may change when the settings are read. */
  isAccessible?: () => boolean;
  /** Texts with spaces at which a message is not broken; see wrapWords. */
  wholePaths?: () => readonly string[];
  /** Completes the commands that a note, warning or question proposes. */
  propose?: (text: string) => string;
  /** The reader of standard output went away: the command should end. */
  onClosedPipe: () => void;
}

const DEFAULT_WIDTH = 80;

/** Creates a console over the streams of a process or a test. */
export function createConsole(options: ConsoleOptions): Console {
  const { stdout, stderr, env, quiet, clock, signal, noColor, wholePaths: whole } = options;
  const isTerminal = stdout.isTTY === true;
  const errIsTerminal = stderr.isTTY === true;
  // In CI, prompts would get no reply, and a moving bar would fill the log.
  const isWatched = errIsTerminal && !isSwitchedOn(env.CI) && !quiet;
  const isAccessible = () => options.isAccessible?.() ?? false;
  const writeOut = createStdoutWriter(stdout, options.onClosedPipe);
  const say = createSayer(stderr);
  const isWorkflow = isSwitchedOn(env.GITHUB_ACTIONS);
  const harmless = (text: string) => (isWorkflow ? withoutCommands(text) : text);
  let bar: Bar | undefined;
  let errColours = NO_COLOURS;
  // They are there before the first warning: whatever warns has waited for the settings by then.
  void loadColours(wantsColour(env, { isTerminal: errIsTerminal, noColor })).then((colours) => {
    errColours = colours;
  });

  const wrapped = (text: string) =>
    wrapWords(text, errIsTerminal ? stderr.columns || DEFAULT_WIDTH : undefined, { whole });

  function line(text: string, coloured = (lines: string) => lines): void {
    bar?.hide();
    say(`${coloured(wrapped(harmless(text)))}\n`);
    bar?.show();
  }
  const proposing = (text: string) => presentable(options.propose?.(text) ?? text);
  const note = (text: string) => {
    if (!quiet) line(proposing(text));
  };

  function progress(unit: string): Progress {
    if (!isWatched || options.isPiped?.()) return createPlainProgress(note);
    if (isAccessible()) return createSpokenProgress(unit, note, clock);
    if (env.TERM === 'dumb') return createPlainProgress(note);
    bar?.stop();
    bar = createBar(unit, { width: () => stderr.columns || DEFAULT_WIDTH, write: say }, clock);
    return bar;
  }

  const asking = { input: options.stdin, output: stderr, signal };
  return {
    isTerminal,
    canAsk: errIsTerminal && !isSwitchedOn(env.CI) && options.stdin.isTTY === true,
    colour: wantsColour(env, { isTerminal, noColor }),
    get isAccessible() {
      return isAccessible();
    },
    get width() {
      return stdout.columns || positive(env.COLUMNS) || DEFAULT_WIDTH;
    },
    async write(data) {
      if (!isTerminal) return writeOut(data);
      bar?.hide(); // both may be the same screen
      await writeOut(data);
      bar?.show();
    },
    harmless,
    flush: () => flushFile(stdout),
    note,
    warn: (text, always = false) => {
      if (always || !quiet)
        line(`warning: ${proposing(text)}`, (lines) =>
          lines.replace('warning:', errColours.yellow('warning:')),
        );
    },
    verbose: (text) => {
      if (options.verbose) line(presentable(`${formatInstant(clock.now())} ${text}`));
    },
    progress,
    ask(question) {
      const manner = isAccessible() || env.TERM === 'dumb' ? 'plain' : 'edited';
      return askLine(wrapped(proposing(question)), { ...asking, manner });
    },
    askSecret: (question) => askLine(wrapped(clean(question)), { ...asking, manner: 'secret' }),
  };
}

/** No line of ours comes near this. */
const LONGEST_LINE = 4000;

/** One line without control characters and keys, whoever provided the text, and of limited length. */
function presentable(text: string): string {
  const shown = redactKeys(text);
  return clean(shown.length <= LONGEST_LINE ? shown : `${shown.slice(0, LONGEST_LINE)}…`);
}

/** Writes to standard error and does not care whether it works: every command does its work with standard error closed. */
function createSayer(stderr: OutputStream): (text: string) => void {
  stderr.on('error', () => undefined);
  return (text) => {
    try {
      stderr.write(text);
    } catch {
      // standard error is closed
    }
  };
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}
