import { isPeriod, parsePeriod } from '../../base/time/periods.ts';
import { parseInstant } from '../../base/time/time.ts';
import { DAY_MS } from '../../base/time/units.ts';
import type { LocalDate } from './languages/format-locale.ts';
import { localDate } from './range-words.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
/** 1970-01-01 was a Thursday. */
const EPOCH_WEEKDAY = 3;

/** Returns the first and the last date; undefined if there are none, as for an hour or a year of five digits. */
export function unitDates(by: string, value: string): [LocalDate, LocalDate] | undefined {
  if (by === 'weekday') return twice({ year: 1970, month: 1, day: 5, weekday: WEEKDAYS.indexOf(value) });
  if (by === 'day') return dayDates(value);
  if (by === 'hour' || !isPeriod(value, 0)) return undefined;
  const { sinceMs, untilMs } = parsePeriod(value, { flag: '', nowMs: 0, timezone: 'UTC' });
  return [localDate(sinceMs, 'UTC'), localDate(untilMs - DAY_MS, 'UTC')];
}

function dayDates(value: string): [LocalDate, LocalDate] | undefined {
  const ms = parseInstant(`${value}T00:00:00Z`);
  const [year, month, day] = value.split('-').map(Number);
  if (ms === undefined || year === undefined || month === undefined || day === undefined) return undefined;
  const weekday = (((Math.floor(ms / DAY_MS) + EPOCH_WEEKDAY) % 7) + 7) % 7;
  return twice({ year, month, day, weekday });
}

function twice(date: LocalDate): [LocalDate, LocalDate] {
  return [date, date];
}
