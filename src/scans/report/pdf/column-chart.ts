import { scaleBand, scaleLinear } from 'd3-scale';
import { labelledUnits } from '../axis-labels.ts';
import type { ColumnChart } from '../document.ts';
import type { Block } from './blocks.ts';
import type { Box, Canvas } from './canvas.ts';
import { COLORS, TEXT } from './palette.ts';
import type { Section } from './section.ts';
import type { Line, Typesetter } from './typesetter.ts';

const HEIGHT = 150;
const LABELS = 14;
const TOP = 4;
const GUTTER = 8;
const LABEL_GAP = 14;
const MOST_RADIUS = 1.5;

type Columns = ColumnChart['columns'];

/** Returns a block with the chart as one figure, whose alternate text is its label. */
export function chartBlock(
  chart: ColumnChart,
  { formatNumber, hasLegend, set, section }: ChartOptions,
): Block {
  const { columns } = chart;
  const most = columns.reduce((all, { value, previous }) => Math.max(all, value, previous ?? 0), 0) || 1;
  const height = scaleLinear([0, most], [0, HEIGHT - LABELS - TOP]).nice(4);
  const isWhole = columns.every(({ value }) => Number.isInteger(value));
  const ticks = height.ticks(4).filter((tick) => !isWhole || Number.isInteger(tick));
  const scale = ticks.map((tick) => ({ tick, line: set.line(formatNumber(tick), TEXT.axis) }));
  return {
    height: HEIGHT,
    above: 4,
    keepsNext: hasLegend,
    draw(canvas, box) {
      const element = canvas.element('Figure', section.element(canvas), {
        alt: chart.label,
        box: { ...box, height: HEIGHT },
      });
      canvas.within(element, () =>
        drawChart(canvas, columns, { ...box, height: HEIGHT }, { scale, height, set }),
      );
      element.end();
    },
  };
}

export interface ChartOptions {
  formatNumber(value: number): string;
  hasLegend: boolean;
  set: Typesetter;
  section: Section;
}

interface Plot {
  scale: readonly { tick: number; line: Line }[];
  height(value: number): number;
  set: Typesetter;
}

function drawChart(canvas: Canvas, columns: Columns, box: Box, { scale, height, set }: Plot): void {
  const gutter = scale.reduce((all, { line }) => Math.max(all, line.width), 0) + GUTTER;
  const left = box.x + gutter;
  const width = box.width - gutter;
  const bottom = box.y + box.height - LABELS;
  const x = scaleBand(
    columns.map((_, at) => at),
    [left, left + width],
  )
    .paddingInner(columns.length > 60 ? 0.1 : 0.28)
    .paddingOuter(0.1);
  const leftOf = (at: number) => x(at) ?? left;
  const center = (at: number) => leftOf(at) + x.bandwidth() / 2;
  for (const { tick, line } of scale) {
    const y = bottom - height(tick);
    canvas.text(line, { x: left - GUTTER, y: y + 2.6, align: 'end' });
    canvas.fill({ x: left, y: y - 0.25, width, height: 0.5 }, COLORS.line);
  }
  const radius = Math.min(MOST_RADIUS, x.bandwidth() / 4);
  const boxOf = (value: number, at: number): Box => {
    // One scan of many is seen, too.
    const tall = value > 0 ? Math.max(1, height(value)) : 0;
    return { x: leftOf(at), y: bottom - tall, width: x.bandwidth(), height: tall };
  };
  const boxes = (isPart: boolean) =>
    columns.flatMap((column, at) =>
      column.isPart === isPart && column.value > 0 ? [boxOf(column.value, at)] : [],
    );
  canvas.fillAll(boxes(false), COLORS.accent, radius);
  canvas.fillAll(boxes(true), COLORS.part, radius);
  canvas.fill({ x: left, y: bottom - 0.25, width, height: 0.5 }, COLORS.soft);
  const before = columns.flatMap(({ previous }, at) =>
    previous === null ? [] : [[center(at), bottom - height(previous)] as const],
  );
  if (before.length > 1) canvas.stroke(before, COLORS.before, 1.4);
  for (const { at, line, align } of labelled(columns, width, set)) {
    const edge = align === 'start' ? leftOf(at) : align === 'end' ? leftOf(at) + x.bandwidth() : center(at);
    canvas.text(line, { x: edge, y: bottom + 10.5, align });
  }
}

interface Label {
  at: number;
  line: Line;
  align: 'start' | 'center' | 'end';
}

/** Returns as many labels as fit side by side. */
function labelled(columns: Columns, width: number, set: Typesetter): Label[] {
  const lines = columns.map(({ label }) => set.line(label, TEXT.axis));
  const widest = lines.reduce((all, line) => Math.max(all, line.width), 0) + LABEL_GAP;
  const label = (at: number, align: Label['align']): Label[] => {
    const line = lines[at];
    return line ? [{ at, line, align }] : [];
  };
  if (widest * columns.length <= width) return columns.flatMap((_, at) => label(at, 'center'));
  const most = Math.max(2, Math.min(9, Math.floor(width / widest)));
  return labelledUnits(columns.length, most).flatMap((at) =>
    label(at, at === 0 ? 'start' : at === columns.length - 1 ? 'end' : 'center'),
  );
}

const KEY = 7;

export function legendBlock({ now, before }: { now: string; before: string }, section: Section): Block {
  const style = TEXT.small;
  const lines = [now, before].map((text) => section.set.line(text, style));
  return {
    height: style.leading,
    above: 3,
    draw(canvas, { x, y }) {
      const [first, second] = lines;
      if (!first || !second) return;
      const middle = y + style.leading / 2;
      const next = x + KEY + 5 + first.width + 16;
      canvas.artifact(() => {
        canvas.fill({ x, y: middle - KEY / 2, width: KEY, height: KEY }, COLORS.accent, 1.5);
        canvas.fill({ x: next, y: middle - 0.9, width: KEY + 5, height: 1.8 }, COLORS.before, 0.9);
      });
      const draw = (line: Line, start: number) => {
        const element = canvas.element('P', section.element(canvas));
        canvas.within(element, () => canvas.text(line, { x: start, y: middle + 2.8 }));
        element.end();
      };
      draw(first, x + KEY + 5);
      draw(second, next + KEY + 10);
    },
  };
}
