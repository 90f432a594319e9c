import { type Clock, every, formatDuration } from '../base/time/time.ts';
import { describeWork, renderBar, type Work } from './progress-bar.ts';

export interface Progress {
  /** Sets the work done so far. `total` may become known later or change. */
  update(state: Work): void;
  pause(ms: number): void;
  resume(): void;
  /** Removes the bar. Idempotent. */
  stop(): void;
}

export interface BarSurface {
  width(): number;
  write(text: string): void;
}

/** Progress whose line can be hidden, so that other text appears above it. */
export interface Bar extends Progress {
  hide(): void;
  show(): void;
}

/** Measures the time of work, without pauses. */
function createStopwatch(clock: Clock) {
  const started = clock.monotonic();
  let pausedMs = 0;
  let since: number | undefined;
  const resume = () => {
    if (since !== undefined) pausedMs += clock.monotonic() - since;
    since = undefined;
  };
  return {
    pause() {
      resume();
      since = clock.monotonic();
    },
    resume,
    isPaused: () => since !== undefined,
    workedMs: () => (since ?? clock.monotonic()) - started - pausedMs,
  };
}

const FRAME_MS = 100;

/**
 * Erases all after the cursor, also a line that a narrower terminal has wrapped. Lines are drawn without
 * wrapping, because a terminal reports its new width late.
 */
const CLEAR = '\r\x1b[J';
const withoutWrap = (line: string) => `\x1b[?7l${line}\x1b[?7h`;

/** Creates a bar on a terminal, drawn at once and then ten times per second. */
export function createBar(
  unit: string,
  surface: BarSurface,
  clock: Clock,
  startTicking: typeof every = every,
): Bar {
  const watch = createStopwatch(clock);
  let state: Work = { done: 0 };
  let pausedUntil: number | undefined;
  let isDrawn = false;
  let stopped = false;

  const hide = () => {
    if (isDrawn) surface.write(CLEAR);
    isDrawn = false;
  };
  const show = () => {
    if (stopped) return;
    const pauseLeftMs = pausedUntil === undefined ? undefined : Math.max(0, pausedUntil - clock.monotonic());
    const line = renderBar({ unit, ...state, elapsedMs: watch.workedMs(), pauseLeftMs }, surface.width() - 1);
    surface.write(`${isDrawn ? CLEAR : ''}${withoutWrap(line)}\r`);
    isDrawn = true;
  };
  const stopTicking = startTicking(FRAME_MS, show);
  show();
  return {
    update(next) {
      state = next;
    },
    pause(ms) {
      watch.pause();
      pausedUntil = clock.monotonic() + ms;
      show();
    },
    resume() {
      watch.resume();
      pausedUntil = undefined;
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

export function createPlainProgress(note: (line: string) => void): Progress {
  return {
    update: () => undefined,
    pause: (ms) => note(`Waiting ${formatDuration(ms)} for the rate limit`),
    resume: () => undefined,
    stop: () => undefined,
  };
}

/** Time of work between two lines for a screen reader. */
const LINE_MS = 30_000;
/** Interval in which that time is checked, because pauses postpone it. */
const CHECK_MS = 1000;

/** Creates progress for a screen reader: a line per 30 s of work without pauses, and one per pause. */
export function createSpokenProgress(
  unit: string,
  note: (line: string) => void,
  clock: Clock,
  startTicking: typeof every = every,
): Progress {
  const watch = createStopwatch(clock);
  let work: Work | undefined;
  let notedMs = 0;
  const noteWork = () => {
    const elapsedMs = watch.workedMs();
    if (watch.isPaused() || work === undefined || elapsedMs - notedMs < LINE_MS) return;
    notedMs = elapsedMs;
    note(`Working for ${formatDuration(elapsedMs)}: ${describeWork({ unit, ...work, elapsedMs })}`);
  };
  const stop = startTicking(CHECK_MS, noteWork);
  return {
    update(next) {
      work = next;
    },
    pause(ms) {
      watch.pause();
      const state = work && { unit, ...work, elapsedMs: watch.workedMs(), pauseLeftMs: ms };
      note(`Waiting ${formatDuration(ms)} for the rate limit${state ? `: ${describeWork(state)}` : ''}`);
    },
    resume: watch.resume,
    stop,
  };
}
