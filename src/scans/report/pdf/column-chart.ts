import { columnScale, placeLabels, valueScale } from '#scans/report/chart-scales';
import type { ColumnChart } from '#scans/report/document';
import type { Block, Section } from './blocks.ts';
import type { Box, Canvas } from './canvas.ts';
import { COLORS, TEXT } from './palette.ts';
import { type Line, type Typesetter, widestOf } from './typesetter.ts';

const HEIGHT = 150;
const LABELS = 14;
const TOP = 4;
const SCALE_GAP = 8;
const LABEL_GAP = 14;
const MOST_RADIUS = 1.5;

type Columns = ColumnChart['columns'];

export function chartBlock(
  { label: alt, columns }: ColumnChart,
  section: Section,
  { formatNumber, hasLegend }: { formatNumber(value: number): string; hasLegend: boolean },
): Block {
  const { place: height, ticks } = valueScale(columns, [0, HEIGHT - LABELS - TOP]);
  const scale = ticks.map((tick) => ({
    height: height(tick),
    line: section.set.line(formatNumber(tick), TEXT.axis),
  }));
  return {
    height: HEIGHT,
    above: 4,
    keepsNext: hasLegend,
    draw(canvas, { x, y, width }) {
      const box = { x, y, width, height: HEIGHT };
      const draw = () => drawChart(canvas, columns, box, { scale, height, set: section.set });
      canvas.draw('Figure', section.element(canvas), draw, { alt, box });
    },
  };
}

interface Plot {
  scale: readonly { height: number; line: Line }[];
  height(value: number): number;
  set: Typesetter;
}

function drawChart(canvas: Canvas, columns: Columns, box: Box, { scale, height, set }: Plot): void {
  const gutter = widestOf(scale.map(({ line }) => line)) + SCALE_GAP;
  const left = box.x + gutter;
  const width = box.width - gutter;
  const bottom = box.y + box.height - LABELS;
  const x = columnScale(columns, [left, left + width]);
  for (const { height, line } of scale) {
    const y = bottom - height;
    canvas.text(line, { x: left - SCALE_GAP, y: y + 2.6, align: 'end' });
    canvas.fill({ x: left, y: y - 0.25, width, height: 0.5 }, COLORS.line);
  }
  const boxesOf = (ofParts: boolean) =>
    columns.flatMap(({ value, isPart }, at) => {
      if (isPart !== ofParts || value <= 0) return [];
      const tall = Math.max(1, height(value));
      return [{ x: x.left(at), y: bottom - tall, width: x.width, height: tall }];
    });
  const radius = Math.min(MOST_RADIUS, x.width / 4);
  canvas.fill(boxesOf(false), COLORS.accent, radius);
  canvas.fill(boxesOf(true), COLORS.part, radius);
  canvas.fill({ x: left, y: bottom - 0.25, width, height: 0.5 }, COLORS.soft);
  const before = columns.flatMap(({ previous }, at) =>
    previous === null ? [] : [[x.center(at), bottom - height(previous)] as const],
  );
  if (before.length > 1) canvas.stroke(before, COLORS.before, 1.4);
  for (const { at, line, align } of labeled(columns, width, set)) {
    const edge = { start: x.left(at), center: x.center(at), end: x.left(at) + x.width }[align];
    canvas.text(line, { x: edge, y: bottom + 10.5, align });
  }
}

function labeled(columns: Columns, width: number, set: Typesetter) {
  const lines = columns.map(({ label }) => set.line(label, TEXT.axis));
  const widest = widestOf(lines) + LABEL_GAP;
  const fitting = Math.max(2, Math.min(9, Math.floor(width / widest)));
  const most = widest * columns.length <= width ? columns.length : fitting;
  return placeLabels(columns.length, most).flatMap(({ at, align }) => {
    const line = lines[at];
    return line ? [{ at, line, align }] : [];
  });
}

const KEY = 7;

export function legendBlock({ now, before }: { now: string; before: string }, section: Section): Block {
  const style = TEXT.small;
  const [first, second] = [section.set.line(now, style), section.set.line(before, style)];
  return {
    height: style.leading,
    above: 3,
    draw(canvas, { x, y }) {
      const middle = y + style.leading / 2;
      const next = x + KEY + 5 + first.width + 16;
      canvas.artifact(() => {
        canvas.fill({ x, y: middle - KEY / 2, width: KEY, height: KEY }, COLORS.accent, 1.5);
        canvas.fill({ x: next, y: middle - 0.9, width: KEY + 5, height: 1.8 }, COLORS.before, 0.9);
      });
      const drawText = (line: Line, start: number) =>
        canvas.draw('P', section.element(canvas), () => canvas.text(line, { x: start, y: middle + 2.8 }));
      drawText(first, x + KEY + 5);
      drawText(second, next + KEY + 10);
    },
  };
}
