/** Progress of a command, on standard error. */
import { type Clock, every, formatDuration } from '../base/time/time.ts';
import { renderBar, type Work } from './progress-bar.ts';

/** Progress line or bar on standard error; silent with --quiet, plain lines without a terminal. */
export interface Progress {
  /** Sets the work done so far; drawn at most ten times per second. `total` may become known later or change. */
  update(state: Work): void;
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

/** Progress whose line can be hidden temporarily, so that other text appears above it. */
export interface Bar extends Progress {
  hide(): void;
  show(): void;
}

/** Drawn often enough to look alive, seldom enough to cost nothing. */
const FRAME_MS = 100;

/**
 * The cursor stays at the beginning of the line, also if a terminal that was made narrower has wrapped the line: everything after it is
 * erased. A terminal reports its new width late, and a line drawn until then must not wrap, or it would stay.
 */
const CLEAR = '\r\x1b[J';
const withoutWrap = (line: string) => `\x1b[?7l${line}\x1b[?7h`;

/**
 * Creates a bar on a terminal, drawn at once and then ten times per second. Not from a library, because it has to hide for
 * notes and data, survive a resize, and turn into a countdown.
 */
export function createBar(
  unit: string,
  surface: BarSurface,
  clock: Clock,
  startTicking: typeof every = every,
): Bar {
  const started = clock.monotonic();
  let state: Work = { done: 0 };
  let pausedMs = 0;
  let pause: { since: number; until: number } | undefined;
  let isDrawn = false;
  let stopped = false;

  const hide = () => {
    if (isDrawn) surface.write(CLEAR);
    isDrawn = false;
  };
  const show = () => {
    if (stopped) return;
    const now = clock.monotonic();
    const elapsedMs = (pause?.since ?? now) - started - pausedMs;
    const pauseLeftMs = pause && Math.max(0, pause.until - now);
    const line = renderBar({ unit, ...state, elapsedMs, pauseLeftMs }, surface.width() - 1);
    surface.write(`${isDrawn ? CLEAR : ''}${withoutWrap(line)}\r`);
    isDrawn = true;
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

/** Creates progress without a terminal, which prints one line per pause. */
export function createPlainProgress(note: (line: string) => void): Progress {
  return {
    update: () => undefined,
    pause: (ms) => note(`Waiting ${formatDuration(ms)} for the rate limit`),
    resume: () => undefined,
    stop: () => undefined,
  };
}
