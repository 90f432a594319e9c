/**
 * The report as a document: every word, date, number and order is chosen (compose-report.ts), and a renderer only places them. All
 * renderers show the same document.
 */
import type { Language } from './languages/plurals.ts';

export interface ReportDocument {
  language: Language;
  direction: 'ltr' | 'rtl';
  /** The kind of document, above the title. */
  kicker: string;
  /** Untrusted, like every name in a row. */
  title: string;
  /** Paragraphs of the sender; untrusted. */
  note: readonly string[];
  logo: ReportLogo | undefined;
  /** The period, such as `October 2026`. */
  range: string;
  /** Sentences about the part of the range that the data doesn't cover. */
  coverage: readonly string[];
  comparedWith: string | undefined;
  /** Name of the tiles for a screen reader. */
  summaryLabel: string;
  tiles: readonly Tile[];
  cards: readonly Card[];
  footer: readonly string[];
  /** Formats a number of at most two decimals, for an axis. */
  formatNumber(value: number): string;
  /** Formats the number of a page, counted from 1, such as `Page 1 of 4`. */
  pageOf(page: number, pages: number): string;
}

export interface ReportLogo {
  /** A PNG with transparency. */
  png: Uint8Array;
  width: number;
  height: number;
  alt: string;
}

export type Tone = 'up' | 'down' | 'even';

/** Each of its texts is set in its own direction. */
export interface Tile {
  label: string;
  value: string;
  detail: string;
  change?: { text: string; tone: Tone };
}

export interface Card {
  /** Unique in the document, an XML name. */
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
  /** Title and peak, for a reader who doesn't see the chart. */
  label: string;
  columns: readonly ChartColumn[];
}

interface ChartColumn {
  /** Short, for the axis. */
  label: string;
  /** Scans, or their average per day. */
  value: number;
  /** Of the same unit in the comparison. */
  previous: number | null;
  isPart: boolean;
}

/** A name and the text that identifies it, such as a code and its slug; both may be untrusted. */
export interface Name {
  name: string;
  detail?: string;
}

export interface FigureTable {
  kind: 'figures';
  caption: string;
  /** First that of the names. */
  head: readonly CellText[];
  rows: readonly FigureRow[];
}

/** Text of a cell; `detail` is small, on a line of its own. */
export interface CellText {
  text: string;
  detail?: string;
}

export interface FigureRow extends Name {
  /** The name is not a value of the data, such as `All others`. */
  isDim: boolean;
  /** Length of the bar next to the name, 0 to 1. */
  bar?: number;
  /** One less than the table has heads. */
  cells: readonly FigureCell[];
}

/** Its texts are set in their own direction, from left to right if they have no letter: a sign goes before its number. */
export interface FigureCell extends CellText {
  tone?: Tone;
  isStrong?: boolean;
}

export interface ShadeTable {
  kind: 'shades';
  /** What its rows and columns are, for CSS and the width of columns. */
  id: 'calendar' | 'hours';
  caption: string;
  head: readonly string[];
  rows: readonly { name: string; cells: readonly (ShadeCell | undefined)[] }[];
}

export interface ShadeCell {
  text: string;
  shade: Shade;
}

/** 0: no scans. */
export type Shade = 0 | 1 | 2 | 3 | 4 | 5;
