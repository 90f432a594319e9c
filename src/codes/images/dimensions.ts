/** Parses lengths, label sizes, papers and grids as flags have them. Each parser returns undefined for an invalid text. */

import { formatNumber, MM_AN_INCH } from './image-style.ts';
import { PAPERS, type Size } from './label-grids.ts';

const UNITS_MM: Readonly<Record<string, number>> = { mm: 1, cm: 10, in: MM_AN_INCH };
const MOST_MM = 5000;

/** Parses a length of 1 mm to 5 m, such as `30mm`, `3cm` or `1.2in`; returns mm. */
export function parseLength(raw: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,6}(?:\.\d{1,4})?)(mm|cm|in)$/.exec(raw) ?? [];
  const value = Number(number) * (UNITS_MM[unit] ?? 1);
  return value >= 1 && value <= MOST_MM ? value : undefined;
}

/** Parses a width and a height such as `63.5x38.1mm`. Either may be zero, as a gap between labels is. */
export function parseSize(raw: string): Size | undefined {
  const found = /^(\d{1,4}(?:\.\d{1,4})?)x(\d{1,4}(?:\.\d{1,4})?)(mm|cm|in)$/.exec(raw);
  if (!found) return undefined;
  const [, width, height, unit = ''] = found;
  const scale = UNITS_MM[unit] ?? 1;
  const size = { widthMm: Number(width) * scale, heightMm: Number(height) * scale };
  return Math.max(size.widthMm, size.heightMm) < MOST_MM ? size : undefined;
}

/** Parses like `parseSize`; one length is both width and height. */
export function parseSides(raw: string): Size | undefined {
  const both = /^(\d[\d.]*)(?=(?:mm|cm|in)$)/.exec(raw)?.[1];
  return parseSize(both === undefined ? raw : `${both}x${raw}`);
}

export interface PagePaper {
  readonly size: Size;
  readonly name: string;
  /** The paper was specified by its size, as for a label printer. */
  readonly isSized: boolean;
}

export function parsePaper(raw: string): PagePaper | undefined {
  const known = Object.entries(PAPERS).find(([name]) => name.toLowerCase() === raw.toLowerCase());
  if (known) return { size: known[1], name: known[0], isSized: false };
  const size = parseSize(raw);
  if (size === undefined || Math.min(size.widthMm, size.heightMm) <= 0) return undefined;
  return { size, name: formatSize(size), isSized: true };
}

/** Parses columns and rows such as `3x7`, at most 99 each. */
export function parseGrid(raw: string): [columns: number, rows: number] | undefined {
  const [columns = 0, rows = 0] = (/^(\d{1,2})x(\d{1,2})$/.exec(raw) ?? []).slice(1).map(Number);
  return columns > 0 && rows > 0 ? [columns, rows] : undefined;
}

export function formatSize({ widthMm, heightMm }: Size): string {
  return `${formatNumber(widthMm)} x ${formatNumber(heightMm)} mm`;
}
