/** Composes figures as tables: one row per value, or days as weeks of a calendar. */
import type { Figure, Section } from '../stats/figures.ts';
import { formatCount } from '../text/quote.ts';
import { capitalize } from '../text/sentence.ts';
import { parseInstant } from '../time/time.ts';
import { DAY_MS } from '../time/units.ts';
import type { FigureCell, FigureTable, Shade, ShadeCell, ShadeTable, Tone } from './document.ts';

interface TableOptions {
  caption: string;
  isCompared: boolean;
  hasBars: boolean;
}

/** Composes one row per value. */
export function figuresTable({ by, rows }: Section, { caption, isCompared, hasBars }: TableOptions): FigureTable {
  // All others together would make each of the named look like nothing.
  const most = rows.reduce((all, { scans, isRest }) => (isRest ? all : Math.max(all, scans)), 1);
  return {
    kind: 'figures',
    caption,
    head: [columnName(by), 'Scans', 'Share', ...(isCompared ? ['Previous', 'Change'] : [])],
    rows: rows.map((row) => ({
      name: nameOf(row, rows),
      isDim: row.value === null || row.isRest === true,
      ...(hasBars && !row.isRest && { bar: row.scans / most }),
      cells: cellsOf(row, isCompared),
    })),
  };
}

function cellsOf({ scans, share, previous, change }: Figure, isCompared: boolean): FigureCell[] {
  const cells: FigureCell[] = [{ text: formatCount(scans), isStrong: true }, { text: share === null ? '–' : formatShare(share) }];
  if (!isCompared) return cells;
  return [
    ...cells,
    { text: previous === null ? '–' : formatCount(previous) },
    { text: change === null ? '–' : formatChange(change), tone: toneOf(change ?? 0) },
  ];
}

/** If it differs from the name of the dimension. */
const COLUMN: Partial<Record<string, string>> = { os: 'System', referrer: 'Referrer' };

export function columnName(by: Section['by']): string {
  return COLUMN[by] ?? capitalize(by);
}

function nameOf({ by, value, isRest, isPart }: Figure, rows: readonly Figure[]): string {
  if (isRest) return `all others${rows.length > 1 ? '' : ' (too many to list)'}`;
  if (value === null) return by === 'referrer' ? 'no referrer' : 'not recorded';
  return `${value}${isPart ? ' *' : ''}`;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const SHADES = 5;

/** Composes days as weeks of a calendar. */
export function calendarTable({ rows }: Section, caption: string): ShadeTable {
  const most = rows.reduce((all, { scans }) => Math.max(all, scans), 1);
  const weeks: (Figure | undefined)[][] = [];
  for (const row of rows) {
    const weekday = (Math.floor((parseInstant(`${row.value}T00:00:00Z`) ?? 0) / DAY_MS) + 3) % 7;
    if (weekday === 0 || weeks.length === 0) weeks.push(new Array(7).fill(undefined));
    const week = weeks.at(-1);
    if (week) week[weekday] = row;
  }
  return {
    kind: 'shades',
    id: 'calendar',
    caption: `${caption}, by week`,
    head: ['Week of', ...WEEKDAYS],
    rows: weeks.map((week) => ({
      name: week.find((day) => day !== undefined)?.value ?? '',
      cells: week.map((day) => day && dayCell(day, most)),
    })),
  };
}

function dayCell({ scans, isPart }: Figure, most: number): ShadeCell {
  return { text: `${formatCount(scans)}${isPart ? '*' : ''}`, shade: shadeOf(scans, most) };
}

function shadeOf(scans: number, most: number): Shade {
  return (scans === 0 ? 0 : Math.max(1, Math.ceil((scans / most) * SHADES))) as Shade;
}

export function formatShare(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

export function formatChange(change: number): string {
  return `${change > 0 ? '+' : change < 0 ? '−' : '±'}${Math.abs(change * 100).toFixed(Math.abs(change) >= 10 ? 0 : 1)}%`;
}

export function toneOf(change: number): Tone {
  return change === 0 ? 'even' : change > 0 ? 'up' : 'down';
}
