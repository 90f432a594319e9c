/** One line of progress. Pure. */
import { formatDuration } from '../time.ts';

export interface BarState {
  unit: string;
  done: number;
  total?: number;
  /** Whatever else is worth a word: "page 12 of 200". Plain text of our own. */
  detail?: string;
  /** Time worked, without the pauses. */
  elapsedMs: number;
  /** What is left of a pause for the rate limit, when there is one. */
  pauseLeftMs?: number | undefined;
}

/** Widths of the bar, the roomiest first; 0 is without. */
const CELLS = [20, 10, 0];
/** A rate over less time than this is noise. */
const RATE_FROM_MS = 500;

/** The line in at most `room` columns, all of its characters one wide. Where it is tight the bar gives way first, then the detail. */
export function renderBar(state: BarState, room: number): string {
  const { unit, done, total, detail } = state;
  const counts = `${counted(done, total)} ${unit}`;
  const bars = CELLS.map((cells) => (total === undefined || cells === 0 ? undefined : bar(done / total, cells)));
  const full = bars.map((share) => joined([share, counts, detail, pace(state)]));
  const short = joined([counts, pace(state)]);
  return (full.find((line) => line.length <= room) ?? short).slice(0, Math.max(0, room));
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}

function bar(share: number, cells: number): string {
  const done = Number.isNaN(share) ? 0 : Math.min(1, share); // nothing of nothing is none
  const full = Math.floor(done * cells);
  const percent = `${Math.floor(done * 100)}`.padStart(3);
  return `${'█'.repeat(full)}${'░'.repeat(cells - full)} ${percent}%`;
}

function counted(done: number, total: number | undefined): string {
  return total === undefined ? grouped(done) : `${grouped(done)}/${grouped(total)}`;
}

/** The countdown while paused, else the rate. */
function pace({ done, elapsedMs, pauseLeftMs }: BarState): string | undefined {
  if (pauseLeftMs === 0) return 'rate limit: going on';
  if (pauseLeftMs !== undefined) return `rate limit: ${formatDuration(Math.ceil(pauseLeftMs / 1000) * 1000)} left`;
  if (elapsedMs < RATE_FROM_MS) return undefined;
  return `${grouped(Math.round((done * 1000) / elapsedMs))}/s`;
}

/** `1,234,567`, the same in every locale. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
