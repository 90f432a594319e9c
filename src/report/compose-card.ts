/** Composes one card of the report: a dimension as a chart, as tables, or both. */
import type { Figure, Section } from '../stats/figures.ts';
import { capitalize } from '../text/sentence.ts';
import { calendarTable } from './compose-shades.ts';
import { figuresTable, isRecurring } from './compose-tables.ts';
import type { Card, ColumnChart } from './document.ts';
import type { Locale } from './languages/load-language.ts';
import { formatHour, shorten, unitName } from './row-names.ts';
import { unitDates } from './unit-dates.ts';

interface CardOptions {
  id: string;
  /** Names of the two ranges; undefined without a comparison. */
  legend: Card['legend'];
  /** The report says so of all its cards: changes are those of averages, or the data does not cover the comparison. */
  isSaid: { averages: boolean; beforeData: boolean };
}

/** Cards that take the whole width. */
const WIDE: ReadonlySet<string> = new Set(['day', 'week', 'month', 'hour', 'code', 'referrer']);

export function composeCard(section: Section, { id, legend, isSaid }: CardOptions, locale: Locale): Card {
  const { kind, by, rows } = section;
  const { words } = locale;
  const title = section.kind === 'column' ? shorten(section.by) : words.cards[section.by];
  const isCompared = legend !== undefined;
  const isWide = WIDE.has(by) || kind === 'column' || kind === 'utm';
  const card = { id, title, isWide, tables: [], notes: notesOf(section, { isCompared, isSaid }, locale) };
  if (rows.length === 0) return { ...card, notes: [words.noScans, ...card.notes] };
  const hasChart = kind === 'time' && by !== 'weekday';
  const table = figuresTable(section, { caption: title, isCompared, hasBars: !hasChart }, locale);
  if (!hasChart) return { ...card, tables: [table] };
  return {
    ...card,
    chart: chartOf(section, title, locale),
    ...(legend && { legend }),
    tables: [by === 'day' ? calendarTable(section, words.notes.byWeek, locale) : table],
  };
}

function notesOf(
  section: Section,
  { isCompared, isSaid }: { isCompared: boolean } & Pick<CardOptions, 'isSaid'>,
  { words: { notes } }: Locale,
): string[] {
  const { rows, isApproximate, isSparse, comparesAverages } = section;
  return [
    ...(isRecurring(section) ? [notes.averageBars] : []),
    ...(isCompared && comparesAverages && !isSaid.averages ? [notes.averageChanges] : []),
    ...(isApproximate ? [notes.approximate] : []),
    ...(isSparse ? [notes.sparse] : []),
    ...(rows.some(({ isPart }) => isPart) ? [notes.part] : []),
    ...(isCompared && !isSaid.beforeData && section.by !== 'day' && rows.some(({ isBeforeData }) => isBeforeData)
      ? [notes.beforeData]
      : []),
  ];
}

function chartOf(section: Section, title: string, locale: Locale): ColumnChart {
  const { by, rows } = section;
  const isAverage = isRecurring(section);
  const [most] = [...rows].sort((a, b) => b.scans - a.scans);
  const peak =
    !most || most.scans === 0
      ? locale.words.noScans
      : locale.words.chart(title, unitName(most, section, locale), locale.scans(most.scans));
  const label = axisLabels(section, locale);
  return {
    label: peak,
    columns: rows.map((row) => ({
      label: by === 'hour' ? formatHour(Number(row.value), locale) : label(row),
      value: (isAverage ? row.perDay : row.scans) ?? 0,
      previous: isAverage ? row.previousPerDay : row.previous,
      isPart: row.isPart ?? false,
    })),
  };
}

/** Returns a function that formats a day, week or month so short that it fits on a phone with four others. */
function axisLabels({ by, rows }: Section, locale: Locale): (row: Figure) => string {
  // Twelve months have twelve names.
  const pattern = by === 'month' ? (rows.length <= 12 ? 'monthAlone' : 'monthShort') : 'dayMonth';
  return ({ value }) => {
    const dates = value === null ? undefined : unitDates(by, value);
    return dates ? capitalize(locale.date(pattern, dates[0])) : (value ?? '');
  };
}
