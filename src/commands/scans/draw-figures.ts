import { sum } from '#base/collections';
import { displayWidth } from '#base/text/display-width';
import { countOf, formatCount } from '#base/text/quote';
import type { Cross } from '#scans/stats/cross';
import type { Section, Total } from '#scans/stats/figures';
import { type Cell, createGrid, fitText, GAP, type GridColumn } from '#terminal/grid';
import { wrapWords } from '#terminal/wrap-words';
import {
  drawTable,
  formatAverage,
  formatChange,
  formatValue,
  NARROWEST_BAR,
  type Signs,
  type Surface,
  sizesOf,
} from './draw-table.ts';

export interface Drawing {
  sections: readonly Section[];
  crosses?: readonly ((most: number) => Cross)[];
  total: Total;
  isCompared: boolean;
  range: string;
  previousRange: string;
  file?: string;
  only: string;
}

export function drawFigures(drawing: Drawing, surface: Surface): string {
  const sections = drawing.sections.map((section) => drawSection(section, drawing, surface));
  const crosses = drawing.crosses?.map((cross) => drawCross(cross, drawing, surface)) ?? [];
  return [...sections, ...crosses, drawClosing(drawing, surface)].join('\n');
}

function drawSection(section: Section, drawing: Drawing, surface: Surface): string {
  const { kind, by, rows } = section;
  const { colors, width, signs } = surface;
  const name = titleOf(by, drawing, width);
  const room = width - displayWidth(name) - GAP;
  const hasSparks = kind === 'time' && signs.sparks !== '' && rows.length > 1 && room >= NARROWEST_BAR;
  const sparks = hasSparks ? `  ${colors.cyan(sparkline(section, room, signs))}` : '';
  const title = `${colors.bold(name)}${sparks}\n`;
  if (rows.length === 0) return `${title}${colors.dim('no scans')}\n`;
  return title + drawTable(section, drawing, surface);
}

const MOST_COLUMNS = 8;
const WIDEST = { name: 30, head: 14 };

function drawCross(
  crossOf: (most: number) => Cross,
  drawing: Drawing,
  { width, colors, signs }: Surface,
): string {
  let grid: { columns: GridColumn[]; lines: Cell[][] };
  let title: string;
  let most = MOST_COLUMNS;
  do {
    const { rows, columns, cells } = crossOf(most);
    title = `${colors.bold(titleOf(`${rows.by} by ${columns.by}`, drawing, width))}\n`;
    if (drawing.total.scans === 0) return `${title}${colors.dim('no scans')}\n`;
    const labels = (section: Section) =>
      section.rows.map((row) => formatValue(row, section, signs, drawing.file));
    const numbers = [
      ...cells.map((row) => [...row, sum(row)]),
      [...columns.rows.map((_, at) => sum(cells.map((row) => row[at] ?? 0))), drawing.total.scans],
    ];
    const heads = ['', ...labels(columns), 'total'].map((text) => fitText(text, WIDEST.head));
    const names = [...labels(rows), 'total'].map((text) => fitText(text, WIDEST.name));
    const table = numbers.map((row, at) => [names[at] ?? '', ...row.map(formatCount)]);
    grid = {
      columns: heads.map((head, at) => ({
        width: Math.max(displayWidth(head), ...table.map((row) => displayWidth(row[at] ?? ''))),
        align: at === 0 ? 'left' : 'right',
      })),
      lines: [
        heads.map((text) => ({ text, color: 'dim' })),
        ...table.map((row) => row.map((text): Cell => ({ text }))),
      ],
    };
    most -= 1;
  } while (most > 0 && sum(grid.columns.map((column) => column.width + GAP)) > width + GAP);
  return `${title}${createGrid(grid.columns, colors)(grid.lines)}`;
}

function titleOf(by: string, { only }: Drawing, width: number): string {
  return fitText(only === '' ? by : `${by} (only ${only})`, width);
}

function sparkline(section: Section, room: number, { sparks }: Signs): string {
  const sizes = sizesOf(section);
  const each = Math.ceil(sizes.length / room);
  const sums = Array.from({ length: Math.ceil(sizes.length / each) }, (_, place) =>
    sum(sizes.slice(place * each, (place + 1) * each)),
  );
  const most = Math.max(0, ...sums);
  return sums.map((sum) => sparks[most === 0 ? 0 : Math.round((sum / most) * (sparks.length - 1))]).join('');
}

function drawClosing(
  { sections, total, range, previousRange }: Drawing,
  { colors, width, signs }: Surface,
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
      'The periods differ in length, so changes compare averages per day.',
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

function explained(mark: string, meaning: string): string {
  return /[a-z]/.test(mark) ? meaning : `${mark} ${meaning}`;
}
