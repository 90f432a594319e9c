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
  const started = clock.monotonic();
  let work: Work | undefined;
  let pausedMs = 0;
  let pausedSince: number | undefined;
  let notedMs = 0;
  const workedMs = () => (pausedSince ?? clock.monotonic()) - started - pausedMs;
  const noteWork = () => {
    const elapsedMs = workedMs();
    if (pausedSince !== undefined || work === undefined || elapsedMs - notedMs < LINE_MS) return;
    notedMs = elapsedMs;
    note(`Working for ${formatDuration(elapsedMs)}: ${describeWork({ unit, ...work, elapsedMs })}`);
  };
  const stop = startTicking(CHECK_MS, noteWork);
  return {
    update(next) {
      work = next;
    },
    pause(ms) {
      if (pausedSince !== undefined) pausedMs += clock.monotonic() - pausedSince;
      pausedSince = clock.monotonic();
      const state = work && { unit, ...work, elapsedMs: workedMs(), pauseLeftMs: ms };
      note(`Waiting ${formatDuration(ms)} for the rate limit${state ? `: ${describeWork(state)}` : ''}`);
    },
    resume() {
      if (pausedSince !== undefined) pausedMs += clock.monotonic() - pausedSince;
      pausedSince = undefined;
    },
    stop,
  };
}
