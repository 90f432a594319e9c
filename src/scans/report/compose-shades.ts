/** Composes tables whose cells are darker the more scans they have: days as weeks of a calendar, and hours by weekday. */
import { capitalize } from '../../base/text/quote.ts';
import type { Figure, HourOfWeekday, Section } from '../stats/figures.ts';
import type { Shade, ShadeCell, ShadeTable } from './document.ts';
import type { LocalDate } from './languages/format-locale.ts';
import type { Locale } from './languages/load-language.ts';
import { unitDates } from './range-words.ts';
import { formatHour } from './row-names.ts';

const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6];
const SHADES = 5;

interface Day {
  row: Figure;
  date: LocalDate;
}

export function calendarTable({ rows }: Section, caption: string, locale: Locale): ShadeTable {
  const most = rows.reduce((all, { scans }) => Math.max(all, scans), 1);
  const weeks: (Day | undefined)[][] = [];
  for (const row of rows) {
    const date = unitDates('day', row.value ?? '')?.[0];
    if (date === undefined) continue;
    if (date.weekday === 0 || weeks.length === 0) weeks.push(new Array(7).fill(undefined));
    const week = weeks.at(-1);
    if (week) week[date.weekday] = { row, date };
  }
  const days = weeks.flat().flatMap((day) => day?.date.year ?? []);
  const pattern = days[0] === days.at(-1) ? 'dayMonth' : 'dateShort';
  return {
    kind: 'shades',
    id: 'calendar',
    caption,
    head: [locale.words.heads.weekOf, ...weekdayHeads(locale)],
    rows: weeks.map((week) => {
      const first = week.find((day) => day !== undefined);
      return {
        name: first ? locale.date(pattern, first.date) : '',
        cells: week.map((day) => day && dayCell(day, most, locale)),
      };
    }),
  };
}

function dayCell({ row: { scans, isPart } }: Day, most: number, { number }: Locale): ShadeCell {
  return { text: `${number(scans)}${isPart ? '*' : ''}`, shade: shadeOf(scans, most) };
}

/** Composes the averages of each hour on each weekday, hours downwards, so that it fits on a phone. */
export function hoursTable(hours: readonly (readonly HourOfWeekday[])[], locale: Locale): ShadeTable {
  const all = hours.flat().map(({ perDay }) => perDay);
  const most = all.reduce<number>((found, perDay) => Math.max(found, perDay ?? 0), 0);
  // Decimals only where they say something, and in all cells the same number.
  const format = (perDay: number) =>
    perDay === 0 || most >= 100 ? locale.number(Math.round(perDay)) : locale.average(perDay, all);
  const cell = ({ perDay }: HourOfWeekday): ShadeCell | undefined =>
    perDay === null ? undefined : { text: format(perDay), shade: shadeOf(perDay, most) };
  return {
    kind: 'shades',
    id: 'hours',
    caption: locale.words.notes.averageCells,
    head: [locale.words.columns.hour, ...weekdayHeads(locale)],
    rows: Array.from({ length: 24 }, (_, hour) => ({
      name: formatHour(hour, locale),
      cells: WEEKDAYS.map((weekday) => {
        const figure = hours[weekday]?.[hour];
        return figure && cell(figure);
      }),
    })),
  };
}

function weekdayHeads({ weekday }: Locale): string[] {
  return WEEKDAYS.map((day) => capitalize(weekday(day, 'short')));
}

function shadeOf(scans: number, most: number): Shade {
  return (scans === 0 ? 0 : Math.max(1, Math.ceil((scans / most) * SHADES))) as Shade;
}
