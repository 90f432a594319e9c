/** Report with its final texts, numbers and order. Renderers only lay it out. */
import type { Language } from './languages/plurals.ts';

export interface ReportDocument {
  language: Language;
  direction: 'ltr' | 'rtl';
  kicker: string;
  /** Untrusted, like names in rows. */
  title: string;
  story: string;
  note: readonly string[];
  accent?: string;
  logo?: ReportLogo;
  range: string;
  coverage: readonly string[];
  comparedWith?: string;
  summaryLabel: string;
  tiles: readonly Tile[];
  cards: readonly Card[];
  footer: readonly string[];
  formatNumber(value: number): string;
  pageOf(page: number, pages: number): string;
}

export interface ReportLogo {
  png: Uint8Array;
  width: number;
  height: number;
  alt: string;
}

export type Tone = 'up' | 'down' | 'even';

export interface Tile {
  label: string;
  value: string;
  detail: string;
  change?: { text: string; tone: Tone };
}

export interface Card {
  id: string;
  title: string;
  isWide: boolean;
  chart?: ColumnChart;
  legend?: { now: string; before: string };
  tables: readonly ReportTable[];
  notes: readonly string[];
  names?: readonly Name[];
}

export function inRows(cards: readonly Card[]): Card[][] {
  const rows: Card[][] = [];
  for (const card of cards) {
    const last = rows.at(-1);
    if (!card.isWide && last?.length === 1 && !last[0]?.isWide) last.push(card);
    else rows.push([card]);
  }
  return rows;
}

export type ReportTable = FigureTable | ShadeTable;

export interface ColumnChart {
  label: string;
  columns: readonly ChartColumn[];
}

interface ChartColumn {
  label: string;
  value: number;
  previous: number | null;
  isPart: boolean;
}

/** Name and a distinguishing detail. Both may be untrusted. */
export interface Name {
  name: string;
  detail?: string;
}

export interface FigureTable {
  kind: 'figures';
  caption: string;
  head: readonly CellText[];
  rows: readonly FigureRow[];
}

export interface CellText {
  text: string;
  detail?: string;
}

export interface FigureRow extends Name {
  isDim: boolean;
  bar?: number;
  cells: readonly FigureCell[];
}

export interface FigureCell extends CellText {
  tone?: Tone;
  isStrong?: boolean;
}

export interface ShadeTable {
  kind: 'shades';
  id: 'calendar' | 'hours';
  caption: string;
  head: readonly string[];
  rows: readonly { name: string; cells: readonly (ShadeCell | undefined)[] }[];
}

export interface ShadeCell {
  text: string;
  shade: Shade;
}

export type Shade = 0 | 1 | 2 | 3 | 4 | 5;
