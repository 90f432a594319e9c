/** Only this file uses Date. Other files get a `Clock`, so that tests need not sleep. */
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

export interface Clock {
  /** Returns epoch ms, which may differ from the service's time. */
  now(): number;
  monotonic(): number;
  random(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Maximum duration of a timer in ms. Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Returns monotonic ms by `hrtime`, because `performance` takes 2 ms to load. */
function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic,
  random: () => Math.random(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    const end = monotonic() + ms;
    for (let left = ms; left > 0; left = end - monotonic()) {
      await wait(Math.min(left, LONGEST_TIMER_MS), undefined, { signal }).catch(() =>
        signal?.throwIfAborted(),
      );
    }
  },
};

/** Waits one turn of the event loop, to handle signals. Throws `signal`'s reason if it is aborted. */
export async function letSignalsIn(signal: AbortSignal | undefined): Promise<void> {
  await nextTurn();
  signal?.throwIfAborted();
}

/** Starts a timer that does not keep the process alive. Returns a function that cancels it. */
export function after(ms: number, fire: () => void): () => void {
  const handle = setTimeout(fire, Math.min(ms, LONGEST_TIMER_MS));
  handle.unref();
  return () => clearTimeout(handle);
}

export function every(ms: number, tick: () => void): () => void {
  const handle = setInterval(tick, ms);
  handle.unref();
  return () => clearInterval(handle);
}

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(Z|z|[+-]\d\d:?\d\d)?$/;

/** Parses a time, in UTC if it has no offset, to epoch ms. Truncates digits beyond ms. */
export function parseInstant(text: string): number | undefined {
  const found = INSTANT.exec(text);
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second = '00', fraction = '', offset = 'Z'] = found;
  const zone = offset.toUpperCase() === 'Z' ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
  const ms = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`,
  );
  // Rejects 31 February, which Date.parse rolls over into March.
  const dayMs = utcMs(Number(year), Number(month), Number(day), 0, 0, 0, 0);
  return Number.isNaN(ms) || Number.isNaN(dayMs) ? undefined : ms;
}

/** Returns epoch ms of a UTC time; NaN if the month has fewer days. Other fields must be in range. */
export function utcMs(
  year: number,
  month: number,
  day: number,
  ...time: [number, number, number, number]
): number {
  const ms = Date.UTC(year, month - 1, day, ...time);
  return day <= 28 || new Date(ms).getUTCDate() === day ? ms : Number.NaN;
}

export function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}

export function instantOrNull(ms: number | undefined): string | null {
  return ms === undefined || !Number.isFinite(ms) ? null : formatInstant(ms);
}

/** Parses `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 5.6.7) to epoch ms. */
export function parseHttpDate(text: string): number | undefined {
  const ms = /\b(GMT|UTC)\b|[+-]\d{4}$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

export function formatHttpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text);
  if (!found) return undefined;
  const ms = Number(found[1]) * UNITS[found[2] as keyof typeof UNITS];
  return Number.isSafeInteger(Math.round(ms)) ? Math.round(ms) : undefined;
}

export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}

export const EPOCH: Date = new Date(0);

/** Number of ms in a quarter hour. Recent zone offsets change only at its multiples. */
export const QUARTER_MS = 900_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Returns the weekday (0: Monday) of a day number (0: 1970-01-01). */
export function weekdayOfDay(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}
