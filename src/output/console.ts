/** The terminal as commands see it: data to standard output, everything else to standard error. */

/** A running line or bar on standard error; silent with --quiet, plain lines off a terminal. */
export interface Progress {
  /** What is done so far; drawn at most a few times a second. `total` may become known later or change. */
  update(state: { done: number; total?: number; detail?: string }): void;
  /** A pause for the rate limit of about `ms` begins: a countdown on a terminal, one plain line elsewhere. */
  pause(ms: number): void;
  resume(): void;
  /** Removes the bar. Idempotent; notes written meanwhile appear above the bar. */
  stop(): void;
}

export interface Console {
  /** Standard output is a terminal (decides the default format and colours). */
  readonly isTerminal: boolean;
  /** A person can be asked: standard input and standard error are terminals, and this is not CI. */
  readonly canAsk: boolean;
  /** Standard output may be coloured. */
  readonly colour: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /**
   * Data to standard output, resolved when accepted. A closed pipe rejects with ClosedPipeError, any other failure (a full
   * device) with LocalError.
   */
  write(data: string | Uint8Array): Promise<void>;
  /**
   * One line on standard error unless --quiet. Service data in it is cleaned of control characters, line ends too: several
   * lines are several notes.
   */
  note(line: string): void;
  /** As `note`, marked and coloured as a warning. */
  warn(line: string): void;
  /** One line on standard error when --verbose. */
  verbose(line: string): void;
  /** A progress bar or line; `unit` is what is counted ("scans"). */
  progress(unit: string): Progress;
  /** Asks for one line on standard error and reads it from standard input. Only when `canAsk`; rejects on abort. */
  ask(question: string): Promise<string>;
  /** As `ask`, without echo. */
  askSecret(question: string): Promise<string>;
}
