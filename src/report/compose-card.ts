/** Composes one card of the report: a dimension as a chart, as tables, or both. */
import type { Section } from '../stats/figures.ts';
import { countOf } from '../text/quote.ts';
import { calendarTable, columnName, figuresTable } from './compose-tables.ts';
import type { Card, ColumnChart } from './document.ts';

/** Titles of cards; a card without one has the name of its column. */
const TITLES: Partial<Record<string, string>> = {
  day: 'Scans by day',
  week: 'Scans by week',
  month: 'Scans by month',
  hour: 'Time of day',
  weekday: 'Day of the week',
  country: 'Countries',
  city: 'Cities',
  device: 'Devices',
  os: 'Operating systems',
  browser: 'Browsers',
  referrer: 'Where visitors came from',
  code: 'Codes',
};

/** Cards that take the whole width. */
const WIDE: ReadonlySet<Section['by']> = new Set(['day', 'week', 'month', 'hour', 'code', 'referrer']);

/** Composes the card of a section; `isCompared`: its rows have a previous count. */
export function composeCard(section: Section, { isCompared }: { isCompared: boolean }): Card {
  const { by, rows } = section;
  const title = TITLES[by] ?? columnName(by);
  const card = { id: `by-${by}`, title, isWide: WIDE.has(by), tables: [], notes: notesOf(section) };
  if (rows.length === 0) return { ...card, notes: ['No scans.', ...card.notes] };
  const table = (hasBars: boolean) => figuresTable(section, { caption: title, isCompared, hasBars });
  if (section.kind !== 'time' || by === 'weekday') return { ...card, tables: [table(true)] };
  return {
    ...card,
    chart: chartOf(section, title),
    ...(isCompared && { legend: { now: 'this period', before: 'previous period' } }),
    tables: [by === 'day' ? calendarTable(section, title) : table(false)],
  };
}

function notesOf({ by, rows, isApproximate, isSparse }: Section): string[] {
  return [
    ...(isApproximate
      ? ['Too many distinct values for exact counts. Each count is a minimum; the remainder is in the last row.']
      : []),
    ...(isSparse ? [`The range is too long for one row per ${by}. Rows without scans are omitted.`] : []),
    ...(rows.some(({ isPart }) => isPart) ? [`* Partial ${by}: the report begins or ends within it.`] : []),
  ];
}

function chartOf({ by, rows }: Section, title: string): ColumnChart {
  const [most] = [...rows].sort((a, b) => b.scans - a.scans);
  const peak =
    !most || most.scans === 0
      ? 'no scans'
      : `peak at ${most.value} with ${countOf(most.scans, 'scan')}; all figures are in the table below`;
  return {
    label: `${title}: ${peak}`,
    columns: rows.map(({ value, scans, previous, isPart = false }) => {
      return { label: shortLabel(by, value ?? ''), scans, previous, isPart };
    }),
  };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a unit so short that it fits on a phone with four others. */
function shortLabel(by: Section['by'], value: string): string {
  const [year = '', month = '', day = ''] = value.split('-');
  if (by === 'day') return `${MONTHS[Number(month) - 1] ?? ''} ${Number(day)}`;
  if (by === 'month') return `${MONTHS[Number(month) - 1] ?? ''} ${year.slice(2)}`;
  if (by === 'week') return `${month} ${year.slice(2)}`;
  return by === 'hour' ? `${value}:00` : value.slice(0, 3);
}
