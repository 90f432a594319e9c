import { createLocalTime } from '#base/time/local-time';
import type { Range } from './export/range.ts';

/** Formats `from 2026-10-01 00:00 to 2026-11-01 00:00 (Europe/Berlin)`. */
export function formatLocalRange(range: Range | undefined, zone: string): string {
  if (!range) return '';
  const { format } = createLocalTime(zone);
  const ends = [range.sinceMs, range.untilMs].map((ms) => (ms === undefined ? undefined : format(ms)));
  const isWhole = ends.every((end) => end === undefined || end.endsWith(':00'));
  const [since, until] = ends.map((end) => (isWhole ? end?.replace(/:00$/, '') : end));
  return `from ${since ?? 'the first scan'} to ${until} (${zone})`;
}
