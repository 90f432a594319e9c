import { formatCount } from '#base/text/quote';
import { type Clock, every, formatDuration } from '#base/time/time';

export interface Progress {
  update(state: Work): void;
  pause(ms: number): void;
  resume(): void;
  stop(): void;
}

interface BarSurface {
  width(): number;
  write(text: string): void;
}

export interface Bar extends Progress {
  hide(): void;
  show(): void;
}

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

const CLEAR = '\r\x1b[J';
/** Turns off wrapping in the bar, because terminals report a new width late. */
const withoutWrap = (line: string) => `\x1b[?7l${line}\x1b[?7h`;

export function createBar(unit: string, surface: BarSurface, clock: Clock): Bar {
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
  const stopTicking = every(FRAME_MS, show);
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

const LINE_MS = 30_000;
const CHECK_MS = 1000;

/** Creates progress for screen readers: a line per pause, and a line per 30 s of work (without pauses). */
export function createSpokenProgress(unit: string, note: (line: string) => void, clock: Clock): Progress {
  const watch = createStopwatch(clock);
  let work: Work | undefined;
  let notedMs = 0;
  const noteWork = () => {
    const elapsedMs = watch.workedMs();
    if (watch.isPaused() || work === undefined || elapsedMs - notedMs < LINE_MS) return;
    notedMs = elapsedMs;
    note(`Working for ${formatDuration(elapsedMs)}: ${describeWork({ unit, ...work, elapsedMs })}`);
  };
  const stop = every(CHECK_MS, noteWork);
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

interface Work {
  done: number;
  total?: number;
  estimate?: number;
  waitMs?: number;
  /** Trusted plain text such as "page 12 of 200". */
  detail?: string;
}

interface BarState extends Work {
  unit: string;
  elapsedMs: number;
  pauseLeftMs?: number;
}

/** Bar widths to try, in columns. 0 shows only the percentage. */
const CELLS = [20, 10, 5, 0];
const RATE_FROM_MS = 500;

const LEFT_FROM_MS = 1000;

/** Renders a line of at most `room` columns. To fit, shrinks or omits the bar, and then omits other parts. */
export function renderBar(state: BarState, room: number): string {
  const { unit, done, total, detail } = state;
  const counts = `${counted(done, total, '/')} ${unit}`;
  const share = shareOf(state);
  const bars = share === undefined ? [undefined] : [...CELLS.map((cells) => bar(share, cells)), undefined];
  const full = bars.map((drawn) => joined([drawn, counts, detail, pace(state), left(state, share)]));
  const short = bars.map((drawn) => joined([drawn, counts, pace(state), left(state, share)]));
  const shortest = joined([counts, pace(state)]);
  return ([...full, ...short].find((line) => line.length <= room) ?? shortest).slice(0, Math.max(0, room));
}

function describeWork(state: BarState): string {
  const { unit, done, total, detail, elapsedMs } = state;
  const share = shareOf(state);
  const counts = `${counted(done, total, ' of ')} ${unit}`;
  const percent = share === undefined ? undefined : bar(share, 0).trim();
  const perSecond = elapsedMs < RATE_FROM_MS ? undefined : `${formatCount(rateOf(state))} per second`;
  return joined([counts, percent, detail, perSecond, left(state, share)], ', ');
}

function shareOf({ done, total, estimate }: Work): number | undefined {
  if (total === undefined) return estimate ? Math.min(0.99, done / estimate) : undefined;
  return total === 0 ? 0 : Math.min(1, done / total);
}

function left(state: BarState, share: number | undefined): string | undefined {
  const { elapsedMs, pauseLeftMs, waitMs = 0 } = state;
  if (share === undefined || share === 0 || share === 1 || elapsedMs < LEFT_FROM_MS) return undefined;
  const workMs = elapsedMs / share - elapsedMs;
  const ms = workMs + (pauseLeftMs === undefined ? waitMs : Math.max(0, waitMs - pauseLeftMs));
  return ms < LEFT_FROM_MS ? undefined : `${formatDuration(Math.ceil(ms / 1000) * 1000)} left`;
}

function joined(parts: readonly (string | undefined)[], separator = '  '): string {
  return parts.filter((part) => part !== undefined && part !== '').join(separator);
}

function bar(done: number, cells: number): string {
  const full = Math.floor(done * cells);
  const percent = `${Math.floor(done * 100)}%`.padStart(4);
  return cells === 0 ? percent : `${'█'.repeat(full)}${'░'.repeat(cells - full)} ${percent}`;
}

function counted(done: number, total: number | undefined, separator: string): string {
  return [done, ...(total === undefined ? [] : [total])].map(formatCount).join(separator);
}

function pace(state: BarState): string | undefined {
  const { elapsedMs, pauseLeftMs } = state;
  if (pauseLeftMs === 0) return 'rate limit: resuming';
  if (pauseLeftMs !== undefined)
    return `waiting ${formatDuration(Math.ceil(pauseLeftMs / 1000) * 1000)} for the rate limit`;
  if (elapsedMs < RATE_FROM_MS) return undefined;
  return `${formatCount(rateOf(state))}/s`;
}

function rateOf({ done, elapsedMs }: BarState): number {
  return Math.round((done * 1000) / elapsedMs);
}
