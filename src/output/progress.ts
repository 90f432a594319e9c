/** The line on standard error that shows how far a command is. */
import { type Clock, every, formatDuration } from '../time.ts';
import { renderBar } from './progress-bar.ts';

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

export interface BarSurface {
  /** Columns of the terminal now. */
  width(): number;
  write(text: string): void;
}

/** A progress whose line can be taken away for a moment, so that other text gets above it. */
export interface Bar extends Progress {
  hide(): void;
  show(): void;
}

/** Drawn often enough to look alive, seldom enough to cost nothing. */
const FRAME_MS = 100;

/**
 * A bar on a terminal: drawn at once, then ten times a second. Our own and not a library's, because it has to step aside for
 * notes and data, survive a resize, and turn into a countdown.
 */
export function createBar(unit: string, surface: BarSurface, clock: Clock, startTicking: typeof every = every): Bar {
  const started = clock.monotonic();
  let state: Parameters<Progress['update']>[0] = { done: 0 };
  let pausedMs = 0;
  let pause: { since: number; until: number } | undefined;
  let drawn = 0;
  let stopped = false;

  /** Takes the line away. A line drawn on a wider terminal has wrapped after a resize. */
  const clearing = () => {
    if (drawn === 0) return '';
    const rowsAbove = Math.ceil(drawn / Math.max(1, surface.width())) - 1;
    drawn = 0;
    return `\r${rowsAbove > 0 ? `\x1b[${rowsAbove}A` : ''}\x1b[J`;
  };
  const hide = () => {
    const text = clearing();
    if (text !== '') surface.write(text);
  };
  const show = () => {
    if (stopped) return;
    const now = clock.monotonic();
    const elapsedMs = (pause?.since ?? now) - started - pausedMs;
    const pauseLeftMs = pause && Math.max(0, pause.until - now);
    const line = renderBar({ unit, ...state, elapsedMs, pauseLeftMs }, surface.width() - 1);
    surface.write(clearing() + line);
    drawn = line.length;
  };
  const endPause = () => {
    if (pause) pausedMs += clock.monotonic() - pause.since;
    pause = undefined;
  };

  const stopTicking = startTicking(FRAME_MS, show);
  show();
  return {
    update(next) {
      state = next;
    },
    pause(ms) {
      endPause();
      const since = clock.monotonic();
      pause = { since, until: since + ms };
      show();
    },
    resume() {
      endPause();
      show();
    },
    stop() {
      if (stopped) return;
      hide();
      stopped = true;
      stopTicking();
    },
    hide,
    show,
  };
}

/** Off a terminal only the pauses are worth a line. */
export function createPlainProgress(note: (line: string) => void): Progress {
  return {
    update: () => undefined,
    pause: (ms) => note(`the rate limit is reached: pausing ${formatDuration(ms)}`),
    resume: () => undefined,
    stop: () => undefined,
  };
}
