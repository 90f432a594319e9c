import { formatCount } from '../base/text/quote.ts';
import { formatDuration } from '../base/time/time.ts';

export interface Work {
  done: number;
  total?: number;
  estimate?: number;
  /** Part of `done` that was done before this run. */
  before?: number;
  /** Predicted waits for the rate limit, in ms. */
  waitMs?: number;
  /** Additional detail, such as "page 12 of 200". Trusted plain text. */
  detail?: string;
}

export interface BarState extends Work {
  unit: string;
  elapsedMs: number;
  pauseLeftMs?: number;
}

/** Widths of the bar, the widest first; 0 shows only the percentage. */
const CELLS = [20, 10, 5, 0];
const RATE_FROM_MS = 500;

/** Minimum time of work, and of remaining time, for which the remaining time is shown. */
const LEFT_FROM_MS = 1000;

/** Renders the line in at most `room` columns: reduces the bar to the percentage, then drops the detail. */
export function renderBar(state: BarState, room: number): string {
  const { unit, done, total, detail } = state;
  const counts = `${counted(done, total)} ${unit}`;
  const share = shareOf(state);
  const bars = share === undefined ? [undefined] : [...CELLS.map((cells) => bar(share, cells)), undefined];
  const full = bars.map((drawn) => joined([drawn, counts, detail, pace(state), left(state, share)]));
  const short = bars.map((drawn) => joined([drawn, counts, pace(state), left(state, share)]));
  const shortest = joined([counts, pace(state)]);
  return ([...full, ...short].find((line) => line.length <= room) ?? shortest).slice(0, Math.max(0, room));
}

/**
 * Describes the work in words: `45,000 of 100,000 scans, 45%, page 90 of 200, 4,500 per second, 13 s left`.
 */
export function describeWork(state: BarState): string {
  const { unit, done, total, detail, elapsedMs } = state;
  const share = shareOf(state);
  const counts = `${formatCount(done)}${total === undefined ? '' : ` of ${formatCount(total)}`} ${unit}`;
  const percent = share === undefined ? undefined : `${Math.floor(share * 100)}%`;
  const perSecond = elapsedMs < RATE_FROM_MS ? undefined : `${formatCount(rateOf(state))} per second`;
  return joined([counts, percent, detail, perSecond, left(state, share)], ', ');
}

function shareOf({ done, total, estimate }: Work): number | undefined {
  if (total === undefined) return estimate ? Math.min(0.99, done / estimate) : undefined;
  return total === 0 ? 0 : Math.min(1, done / total);
}

function left(state: BarState, share: number | undefined): string | undefined {
  const { done, before = 0, elapsedMs, pauseLeftMs, waitMs = 0 } = state;
  const own = done - before;
  if (share === undefined || share === 0 || share === 1 || own <= 0 || elapsedMs < LEFT_FROM_MS)
    return undefined;
  const workMs = (elapsedMs * (done / share - done)) / own;
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

function counted(done: number, total: number | undefined): string {
  return total === undefined ? formatCount(done) : `${formatCount(done)}/${formatCount(total)}`;
}

/** Returns the countdown of a pause, or the rate. */
function pace(state: BarState): string | undefined {
  const { elapsedMs, pauseLeftMs } = state;
  if (pauseLeftMs === 0) return 'rate limit: resuming';
  if (pauseLeftMs !== undefined)
    return `waiting ${formatDuration(Math.ceil(pauseLeftMs / 1000) * 1000)} for the rate limit`;
  if (elapsedMs < RATE_FROM_MS) return undefined;
  return `${formatCount(rateOf(state))}/s`;
}

function rateOf({ done, before = 0, elapsedMs }: BarState): number {
  return Math.round(((done - before) * 1000) / elapsedMs);
}
