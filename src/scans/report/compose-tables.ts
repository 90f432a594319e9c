import { capitalize } from '#base/text/quote';
import type { Cross } from '#scans/stats/cross';
import { isRecurring } from '#scans/stats/dimensions';
import type { Figure, HourOfWeekday, Section } from '#scans/stats/figures';
import { toneOf } from './compose-tiles.ts';
import type {
  CellText,
  FigureCell,
  FigureRow,
  FigureTable,
  Shade,
  ShadeCell,
  ShadeTable,
} from './document.ts';
import type { LocalDate, Locale } from './languages/load-language.ts';
import { formatHour, rowName, shorten, unitDates } from './row-names.ts';

interface TableOptions {
  caption: string;
  isCompared: boolean;
  beforeData: boolean;
  hasBars: boolean;
}

type FormatScans = (scans: number | null, perDay: number | null) => CellText;

const NONE = '–';

export function figuresTable(section: Section, options: TableOptions, locale: Locale): FigureTable {
  const { words } = locale;
  const { caption, isCompared, hasBars } = options;
  const { kind, by, comparesAverages } = section;
  const hasAverages = kind === 'time' || comparesAverages;
  const averages = section.rows.flatMap(({ perDay, previousPerDay }) => [perDay, previousPerDay]);
  const formatScans: FormatScans = (scans, perDay) => ({
    text: scans === null ? NONE : locale.number(scans),
    ...(hasAverages && { detail: perDay === null ? NONE : locale.average(perDay, averages) }),
  });
  const head = (text: string): CellText => ({ text, ...(hasAverages && { detail: words.heads.perDay }) });
  const ofBar = (row: Figure) => (isRecurring(section) ? (row.perDay ?? 0) : row.scans);
  // Ignores the row for all other values, because it could make every bar invisible.
  const most = section.rows.reduce((all, row) => (row.isRest ? all : Math.max(all, ofBar(row))), 0) || 1;
  return {
    kind: 'figures',
    caption,
    head: [
      { text: kind === 'column' ? shorten(by) : words.columns[by] },
      head(words.heads.scans),
      { text: words.heads.share },
      ...(isCompared ? [head(words.heads.previous), { text: words.heads.change }] : []),
    ],
    rows: section.rows.map((row) => ({
      ...markedName(row, section, locale),
      ...(hasBars && !row.isRest && { bar: ofBar(row) / most }),
      cells: [
        { ...formatScans(row.scans, row.perDay), isStrong: true },
        { text: row.share === null ? NONE : locale.share(row.share) },
        ...(isCompared ? comparedCells(row, isNew(row, section, options), formatScans, locale) : []),
      ],
    })),
  };
}

const LONGEST_HEAD = 24;

export function crossTable({ rows, columns, cells }: Cross, locale: Locale): FigureTable {
  const { words, number } = locale;
  const nameOf = ({ kind, by }: Section) => (kind === 'column' ? shorten(by) : words.columns[by]);
  const heads = columns.rows.map((row) => shorten(rowName(row, columns, locale).name, LONGEST_HEAD));
  return {
    kind: 'figures',
    caption: `${nameOf(rows)} × ${nameOf(columns)}`,
    head: [nameOf(rows), ...heads, words.heads.scans].map((text) => ({ text })),
    rows: rows.rows.map((row, at) => ({
      ...markedName(row, rows, locale),
      cells: [
        ...(cells[at] ?? []).map((scans) => ({ text: number(scans) })),
        { text: number(row.scans), isStrong: true },
      ],
    })),
  };
}

function markedName(row: Figure, section: Section, locale: Locale): Omit<FigureRow, 'cells'> {
  const { name, ...others } = rowName(row, section, locale);
  const isDim = row.value === null || row.isRest === true;
  return { name: row.isPart ? `${name}\u00a0*` : name, ...others, isDim };
}

export function isNew(
  { isBeforeData, previous, isRest }: Figure,
  { kind }: Section,
  { beforeData }: Pick<TableOptions, 'beforeData'>,
): boolean {
  return (
    kind !== 'time' && kind !== 'value' && isBeforeData === true && !beforeData && previous === 0 && !isRest
  );
}

function comparedCells(row: Figure, isNew: boolean, formatScans: FormatScans, locale: Locale): FigureCell[] {
  const { isBeforeData, change } = row;
  const [previous, previousPerDay] = isNew ? [null, null] : [row.previous, row.previousPerDay];
  const before = formatScans(previous, previousPerDay);
  const unknown = isNew ? locale.words.heads.isNew : NONE;
  const text = change === null ? unknown : locale.change(change);
  return [
    { ...before, text: `${before.text}${isBeforeData && previous !== null ? '\u00a0†' : ''}` },
    { text, ...(change !== null && { tone: toneOf(change) }) },
  ];
}

const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6];
const SHADES = 5;

interface Day {
  row: Figure;
  date: LocalDate;
}

export function calendarTable({ rows }: Section, locale: Locale): ShadeTable {
  const most = rows.reduce((all, { scans }) => Math.max(all, scans), 1);
  const weeks: (Day | undefined)[][] = [];
  let week: (Day | undefined)[] = [];
  for (const row of rows) {
    const date = unitDates('day', row.value ?? '')?.[0];
    if (date === undefined) continue;
    if (date.weekday === 0 || weeks.length === 0) {
      week = new Array(7).fill(undefined);
      weeks.push(week);
    }
    week[date.weekday] = { row, date };
  }
  const days = weeks.flat().flatMap((day) => day?.date.year ?? []);
  const pattern = days[0] === days.at(-1) ? 'dayMonth' : 'dateShort';
  return {
    kind: 'shades',
    id: 'calendar',
    caption: locale.words.notes.byWeek,
    head: [locale.words.heads.weekOf, ...weekdayHeads(locale)],
    rows: weeks.map((week) => {
      const first = week.find((day) => day !== undefined);
      return {
        name: first ? locale.date(pattern, first.date) : '',
        cells: week.map((day) => {
          if (!day) return undefined;
          const { scans, isPart } = day.row;
          return { text: `${locale.number(scans)}${isPart ? '*' : ''}`, shade: shadeOf(scans, most) };
        }),
      };
    }),
  };
}

export function hoursTable(hours: readonly (readonly HourOfWeekday[])[], locale: Locale): ShadeTable {
  const all = hours.flat().map(({ perDay }) => perDay);
  const most = all.reduce<number>((found, perDay) => Math.max(found, perDay ?? 0), 0);
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
