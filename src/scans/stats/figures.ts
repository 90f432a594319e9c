/** Turns tallies into rows that add up, for tables, charts and files. */
import { unitOf } from './calendar.ts';
import { DAYS_A_WEEK, HOURS_A_DAY } from './day-counts.ts';
import type { GroupBy } from './dimensions.ts';
import { average, type Compared, type Counts, compare, differInLength, type Section } from './figure.ts';
import { type FiguresOptions, periodsOf, previousScans } from './periods.ts';
import { timeSection } from './time-figures.ts';
import { valueSection } from './value-figures.ts';

export type { Figure, Section } from './figure.ts';
export type { FiguresOptions } from './periods.ts';

/** Returns the rows of one dimension: times in order, values by their scans. F3: their scans add up to the total, whatever was omitted. */
export function figuresOf(group: GroupBy, options: FiguresOptions): Section {
  const periods = periodsOf(options);
  return group.kind === 'time' ? timeSection(group, options, periods) : valueSection(group, options, periods);
}

/** All scans of the range, compared with those of the previous one. */
export interface Total extends Compared {
  comparesAverages: boolean;
}

/** Returns the comparison of all scans. */
export function totalOf(options: FiguresOptions): Total {
  const { current, previous, beginsBeforeData } = periodsOf(options);
  const counts: Counts = {
    scans: current.tally.total(),
    days: current.days.all,
    previous: previousScans(previous, previous?.tally.total() ?? 0),
    previousDays: previous?.days.all ?? 0,
    isBeforeData: beginsBeforeData(options.before?.span.sinceMs),
  };
  return { ...compare(counts), comparesAverages: differInLength(counts) };
}

/** Scans of an hour of the day on a weekday; `perDay`: average of that hour on such a day, null if the data covers none. */
export interface HourOfWeekday {
  scans: number;
  perDay: number | null;
}

/** Returns the scans of each hour on each weekday: 7 rows from Monday, of 24 hours. F3: they add up to the total. */
export function hoursByWeekday(options: FiguresOptions): HourOfWeekday[][] {
  const { tally, days } = periodsOf(options).current;
  const counts = Array.from({ length: DAYS_A_WEEK }, () => new Array<number>(HOURS_A_DAY).fill(0));
  for (const [hour, scans] of tally.hours) {
    const row = counts[unitOf('weekday', hour)] ?? [];
    const at = unitOf('hour', hour);
    row[at] = (row[at] ?? 0) + scans;
  }
  return counts.map((row, weekday) =>
    row.map((scans, hour) => ({ scans, perDay: average(scans, days.ofHourOnWeekday(weekday, hour)) })),
  );
}
