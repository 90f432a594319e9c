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

const CELLS = 20;
/** A rate over less time than this is noise. */
const RATE_FROM_MS = 500;

/** The line, cut to `room` columns; it is made of single-width characters only. */
export function renderBar(state: BarState, room: number): { text: string; width: number } {
  const { unit, done, total, detail } = state;
  const parts = [total === undefined ? undefined : bar(done, total), `${counted(done, total)} ${unit}`, detail, pace(state)];
  const text = parts
    .filter((part) => part !== undefined && part !== '')
    .join('  ')
    .slice(0, Math.max(0, room));
  return { text, width: text.length };
}

function bar(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const full = Math.floor(share * CELLS);
  return `${'█'.repeat(full)}${'░'.repeat(CELLS - full)} ${Math.floor(share * 100)
    .toString()
    .padStart(3)}%`;
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
