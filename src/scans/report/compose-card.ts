import { capitalize } from '#base/text/quote';
import { isRecurring } from '#scans/stats/dimensions';
import type { Figure, Section } from '#scans/stats/figures';
import { calendarTable, figuresTable, isNew } from './compose-tables.ts';
import type { Card, ColumnChart } from './document.ts';
import { fill, type Locale } from './languages/load-language.ts';
import { formatHour, shorten, unitDates, unitName } from './row-names.ts';

interface CardOptions {
  id: string;
  legend: Card['legend'];
  weekdayBefore?: number;
  isNoted: { averages: boolean; beforeData: boolean };
}

const WIDE: ReadonlySet<string> = new Set(['day', 'week', 'month', 'hour', 'code', 'referrer']);

export function composeCard(given: Section, options: CardOptions, locale: Locale): Card {
  const { id, legend, isNoted } = options;
  const { kind, by } = given;
  const { words } = locale;
  const title = kind === 'column' ? shorten(by) : words.cards[by];
  const isCompared = legend !== undefined;
  const isWide = WIDE.has(by) || kind === 'column' || kind === 'utm';
  const isRunning = kind === 'time' && !isRecurring(given);
  const rows = given.rows.filter(({ scans, perDay }) => !isRunning || scans > 0 || perDay !== null);
  const section: Section = { ...given, rows };
  const card = { id, title, isWide, tables: [], notes: notesOf(section, options, locale) };
  if (section.rows.length === 0) return { ...card, notes: [words.noScans, ...card.notes] };
  const hasChart = kind === 'time' && by !== 'weekday';
  const tableOptions = { caption: title, isCompared, beforeData: isNoted.beforeData, hasBars: !hasChart };
  const table = figuresTable(section, tableOptions, locale);
  if (!hasChart) return { ...card, tables: [table] };
  const shift = shiftOf(given, options);
  const chart = chartOf(given, shift, title, locale);
  const hasLine = chart.columns.filter(({ previous }) => previous !== null).length > 1;
  return {
    ...card,
    chart,
    ...(legend && hasLine && { legend }),
    tables: [by === 'day' ? calendarTable(section, locale) : table],
    notes: [...(hasLine && shift !== 0 ? [words.notes.byWeekday] : []), ...card.notes],
  };
}

const LEAST_DAYS = 14;

function shiftOf({ by, rows, isSparse }: Section, { weekdayBefore = 0 }: CardOptions): number {
  const weekday = unitDates('day', rows[0]?.value ?? '')?.[0].weekday;
  if (by !== 'day' || isSparse || rows.length < LEAST_DAYS || weekday === undefined) return 0;
  const later = (weekday - weekdayBefore + 7) % 7;
  return later > 3 ? later - 7 : later;
}

function notesOf(section: Section, { legend, isNoted }: CardOptions, { words: { notes } }: Locale): string[] {
  const { rows, isApproximate, isSparse, comparesAverages } = section;
  const isCompared = legend !== undefined;
  const isMarked = (row: Figure) =>
    row.isBeforeData && row.previous !== null && !isNew(row, section, isNoted);
  const shown: [isShown: boolean | undefined, note: string][] = [
    [isRecurring(section), notes.averageBars],
    [isCompared && comparesAverages && !isNoted.averages, notes.averageChanges],
    [isApproximate, notes.approximate],
    [isSparse, notes.sparse],
    [rows.some(({ isPart }) => isPart), notes.part],
    [isCompared && !isNoted.beforeData && section.by !== 'day' && rows.some(isMarked), notes.beforeData],
  ];
  return shown.flatMap(([isShown, note]) => (isShown ? [note] : []));
}

function chartOf(section: Section, shift: number, title: string, locale: Locale): ColumnChart {
  const { rows } = section;
  const isAverage = isRecurring(section);
  const [most] = [...rows].sort((a, b) => b.scans - a.scans);
  const { chart, noScans } = locale.words;
  const describe = (row: Figure) =>
    fill(chart, { title, peak: unitName(row, section, locale), scans: locale.scans(row.scans) });
  return {
    label: most && most.scans > 0 ? describe(most) : noScans,
    columns: rows.map((row, at) => ({
      label: axisLabel(row, section, locale),
      value: (isAverage ? row.perDay : row.scans) ?? 0,
      previous: (isAverage ? row.previousPerDay : rows[at + shift]?.previous) ?? null,
      isPart: row.isPart ?? false,
    })),
  };
}

function axisLabel({ value }: Figure, { by, rows }: Section, locale: Locale): string {
  if (by === 'hour') return formatHour(Number(value), locale);
  const ofMonth = rows.length <= 12 ? 'monthAlone' : 'monthShort';
  const dates = unitDates(by, value ?? '');
  return dates ? capitalize(locale.date(by === 'month' ? ofMonth : 'dayMonth', dates[0])) : '';
}
