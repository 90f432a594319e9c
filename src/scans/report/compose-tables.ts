/** Composes figures as tables of one row per value: totals, averages per day if periods differ in length, and changes. */
import type { Figure, Section } from '../stats/figures.ts';
import { toneOf } from './compose-tiles.ts';
import type { CellText, FigureCell, FigureTable, Name } from './document.ts';
import type { Locale } from './languages/load-language.ts';
import { rowName, shorten } from './row-names.ts';

interface TableOptions {
  caption: string;
  isCompared: boolean;
  /** The data does not cover the comparison. */
  beforeData: boolean;
  hasBars: boolean;
}

interface Columns extends Pick<TableOptions, 'isCompared' | 'beforeData'> {
  hasAverages: boolean;
  average(value: number): string;
}

const NONE = '–';

export function figuresTable(section: Section, options: TableOptions, locale: Locale): FigureTable {
  const { words } = locale;
  const { caption, isCompared, beforeData, hasBars } = options;
  const hasAverages = showsAverages(section, isCompared);
  const averages = section.rows.flatMap(({ perDay, previousPerDay }) => [perDay, previousPerDay]);
  const columns: Columns = {
    isCompared,
    beforeData,
    hasAverages,
    average: (value) => locale.average(value, averages),
  };
  const head = (text: string): CellText => ({ text, ...(hasAverages && { detail: words.heads.perDay }) });
  const ofBar = (row: Figure) => (isRecurring(section) ? (row.perDay ?? 0) : row.scans);
  // All others together would make each of the named look like nothing.
  const most = section.rows.reduce((all, row) => (row.isRest ? all : Math.max(all, ofBar(row))), 0) || 1;
  return {
    kind: 'figures',
    caption,
    head: [
      { text: section.kind === 'column' ? shorten(section.by) : words.columns[section.by] },
      head(words.heads.scans),
      { text: words.heads.share },
      ...(isCompared ? [head(words.heads.previous), { text: words.heads.change }] : []),
    ],
    rows: section.rows.map((row) => ({
      ...markedName(row, section, locale),
      isDim: row.value === null || row.isRest === true,
      ...(hasBars && !row.isRest && { bar: ofBar(row) / most }),
      cells: [
        { ...withAverage(row.scans, row.perDay, columns, locale), isStrong: true },
        { text: row.share === null ? NONE : locale.share(row.share) },
        ...(isCompared ? comparedCells(row, isNew(row, section, columns), columns, locale) : []),
      ],
    })),
  };
}

/** Returns whether the units come again, so that a range has more of some than of others: only their averages are comparable. */
export function isRecurring({ kind, by }: Pick<Section, 'kind' | 'by'>): boolean {
  return kind === 'time' && (by === 'hour' || by === 'weekday');
}

function showsAverages(section: Section, isCompared: boolean): boolean {
  return (section.kind === 'time' && section.by !== 'day') || (isCompared && section.comparesAverages);
}

function markedName(row: Figure, section: Section, locale: Locale): Name {
  const { name, ...others } = rowName(row, section, locale);
  return { name: row.isPart ? `${name}\u00a0*` : name, ...others };
}

/** Returns whether a code, or all codes of a group, did not exist in all of the comparison and have no scans in it. */
export function isNew(
  { isBeforeData, previous, isRest }: Figure,
  { kind }: Section,
  { beforeData }: Pick<TableOptions, 'beforeData'>,
): boolean {
  return (
    kind !== 'time' && kind !== 'value' && isBeforeData === true && !beforeData && previous === 0 && !isRest
  );
}

function comparedCells(row: Figure, isNew: boolean, columns: Columns, locale: Locale): FigureCell[] {
  const { isBeforeData, change } = row;
  const [previous, previousPerDay] = isNew ? [null, null] : [row.previous, row.previousPerDay];
  const before = withAverage(previous, previousPerDay, columns, locale);
  const unknown = isNew ? locale.words.heads.isNew : NONE;
  const text = change === null ? unknown : locale.change(change);
  return [
    { ...before, text: `${before.text}${isBeforeData && previous !== null ? '\u00a0†' : ''}` },
    { text, ...(change !== null && { tone: toneOf(change) }) },
  ];
}

function withAverage(
  scans: number | null,
  perDay: number | null,
  { hasAverages, average }: Columns,
  { number }: Locale,
): CellText {
  return {
    text: scans === null ? NONE : number(scans),
    ...(hasAverages && { detail: perDay === null ? NONE : average(perDay) }),
  };
}
