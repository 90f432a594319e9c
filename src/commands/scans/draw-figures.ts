/** Draws figures as tables with bars that fit any width. */
import { displayWidth } from '../../base/text/display-width.ts';
import { countOf } from '../../base/text/quote.ts';
import type { Section, Total } from '../../scans/stats/figures.ts';
import { fitText, GAP } from '../../terminal/grid.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';
import {
  drawTable,
  formatAverage,
  formatChange,
  NARROWEST_BAR,
  SIGNS,
  type Signs,
  type Surface,
  sizesOf,
} from './draw-table.ts';

export interface Drawing {
  sections: readonly Section[];
  total: Total;
  isCompared: boolean;
  /** The range and the previous one in words, or empty. */
  range: string;
  previousRange: string;
  file: string | undefined;
}

export function drawFigures(drawing: Drawing, surface: Surface): string {
  const signs = SIGNS[surface.style];
  const sections = drawing.sections.map((section) => drawSection(section, drawing, surface, signs));
  return [...sections, drawClosing(drawing, surface, signs)].join('\n');
}

function drawSection(section: Section, drawing: Drawing, surface: Surface, signs: Signs): string {
  const { kind, by, rows } = section;
  const { colors, width } = surface;
  const name = fitText(by, width);
  const room = width - displayWidth(name) - GAP;
  const hasSparks = kind === 'time' && signs.sparks !== '' && rows.length > 1 && room >= NARROWEST_BAR;
  const sparks = hasSparks ? `  ${colors.cyan(sparkline(section, room, signs))}` : '';
  const title = `${colors.bold(name)}${sparks}\n`;
  if (rows.length === 0) return `${title}${colors.dim('no scans')}\n`;
  return title + drawTable(section, drawing, surface, signs);
}

function sparkline(section: Section, room: number, { sparks }: Signs): string {
  const sizes = sizesOf(section);
  const each = Math.ceil(sizes.length / room);
  const sums = Array.from({ length: Math.ceil(sizes.length / each) }, (_, place) =>
    sizes.slice(place * each, (place + 1) * each).reduce((sum, size) => sum + size, 0),
  );
  const most = Math.max(0, ...sums);
  return sums.map((sum) => sparks[most === 0 ? 0 : Math.round((sum / most) * (sparks.length - 1))]).join('');
}

function drawClosing(
  { sections, total, range, previousRange }: Drawing,
  { colors, width }: Surface,
  signs: Signs,
): string {
  const { scans, previous, perDay, previousPerDay, change, comparesAverages, isBeforeData } = total;
  const lines = [`${countOf(scans, 'scan')} ${range}`.trim()];
  const changed = change === null ? '' : ` (${formatChange(change, signs)})`;
  if (previous !== null) {
    const period = `${countOf(previous, 'scan')} ${previousRange}`.trim();
    lines.push(`Previous period: ${period}${comparesAverages ? '' : changed}`);
  }
  if (comparesAverages && perDay !== null && previousPerDay !== null)
    lines.push(
      `Average per day: ${formatAverage(perDay)}, previously ${formatAverage(previousPerDay)}${changed}`,
    );
  const rows = sections.flatMap((section) => section.rows);
  if (isBeforeData || rows.some((row) => row.isBeforeData))
    lines.push(
      explained(signs.beforeData, 'the previous period begins before the data, so no change is shown'),
    );
  if (rows.some(({ isPart }) => isPart))
    lines.push(explained(signs.part, 'incomplete: partly outside the range, or not over yet'));
  lines.push('Scans, not people: repeated scans are counted again.');
  const wrapped = lines.flatMap((line) => wrapWords(line, width).split('\n'));
  return wrapped.map((line) => `${colors.dim(line)}\n`).join('');
}

/** Returns the meaning of a mark, after the mark unless it is a word. */
function explained(mark: string, meaning: string): string {
  return /[a-z]/.test(mark) ? meaning : `${mark} ${meaning}`;
}
