/**
 * Report as a document: words, numbers and order are chosen (compose-report.ts), and renderers only place
 * them.
 */
import type { Language } from './languages/plurals.ts';

export interface ReportDocument {
  language: Language;
  direction: 'ltr' | 'rtl';
  kicker: string;
  /** Untrusted, like every name in a row. */
  title: string;
  /** Sentence on what happened; empty without scans. */
  story: string;
  note: readonly string[];
  /** Color of the sender, such as `#0057b8`; undefined for the usual one. */
  accent: string | undefined;
  logo: ReportLogo | undefined;
  /** Period, such as `October 2026`. */
  range: string;
  /** Filters, and sentences on parts of the range without data. */
  coverage: readonly string[];
  comparedWith: string | undefined;
  summaryLabel: string;
  tiles: readonly Tile[];
  cards: readonly Card[];
  footer: readonly string[];
  /** Formats a number of an axis, with at most two decimals. */
  formatNumber(value: number): string;
  /** Formats a page number from 1, such as `Page 1 of 4`. */
  pageOf(page: number, pages: number): string;
}

export interface ReportLogo {
  png: Uint8Array;
  width: number;
  height: number;
  alt: string;
}

export type Tone = 'up' | 'down' | 'even';

/** Figure at the top; each text has its own direction. */
export interface Tile {
  label: string;
  value: string;
  detail: string;
  change?: { text: string; tone: Tone };
}

export interface Card {
  /** XML name, unique in the document. */
  id: string;
  title: string;
  isWide: boolean;
  chart?: ColumnChart;
  legend?: { now: string; before: string };
  tables: readonly ReportTable[];
  notes: readonly string[];
  names?: readonly Name[];
}

export type ReportTable = FigureTable | ShadeTable;

export interface ColumnChart {
  label: string;
  columns: readonly ChartColumn[];
}

interface ChartColumn {
  label: string;
  /** Scans, or their average per day. */
  value: number;
  previous: number | null;
  isPart: boolean;
}

/** Name and text that identifies it, such as a code and its slug; both may be untrusted. */
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

/** Text of a cell, and smaller text on a second line. */
export interface CellText {
  text: string;
  detail?: string;
}

export interface FigureRow extends Name {
  /** The name is not a value of the data, such as `All others`. */
  isDim: boolean;
  /** Length of the bar at the name, 0 to 1. */
  bar?: number;
  cells: readonly FigureCell[];
}

/** Cell with texts of their own direction, so that a sign precedes its number. */
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

/** Darkness of a cell; 0 without scans. */
export type Shade = 0 | 1 | 2 | 3 | 4 | 5;
