import { line } from 'd3-shape';
import { columnScale, labelledUnits, valueScale } from '../chart-scales.ts';
import type { ColumnChart, ReportDocument } from '../document.ts';
import { type Html, html, raw } from './html.ts';

const HEIGHT = 220;
const TOP = 14;
const BOTTOM = 190;
const MOST_LABELS = { short: 7, long: 5 };

type Columns = ColumnChart['columns'];

/** Places in percent, with text in pixels, so that the chart fits any width. */
export function columnChart(
  { label, columns }: ColumnChart,
  { formatNumber, direction }: Pick<ReportDocument, 'formatNumber' | 'direction'>,
): Html {
  const { place: y, ticks } = valueScale(columns, [BOTTOM, TOP]);
  const x = columnScale(columns, direction === 'rtl' ? [100, 0] : [0, 100]);
  const grid = ticks.map(
    (tick) => html`<line class="rule" x1="0" x2="100%" y1="${pixel(y(tick))}" y2="${pixel(y(tick))}"/>`,
  );
  const numbers = ticks.map(
    (tick) =>
      html`<text class="axis" x="${direction === 'rtl' ? '0' : '100%'}" y="${pixel(y(tick) + 4)}" text-anchor="end">${formatNumber(tick)}</text>`,
  );
  const bars = columns.map(({ value, isPart }, at) => {
    const top = pixel(Math.min(y(value), value > 0 ? BOTTOM - 1 : BOTTOM));
    return html`<rect class="${isPart ? 'column part' : 'column'}" x="${percent(x.left(at))}" width="${percent(x.width)}" y="${top}" height="${pixel(BOTTOM - top)}" rx="2"/>`;
  });
  const isShort = columns.length <= MOST_LABELS.short;
  const labelled = labelledUnits(columns.length, isShort ? MOST_LABELS.short : MOST_LABELS.long);
  const labels = labelled.map((at, i, all) => {
    const isWithin = all.length === columns.length || (at > 0 && at < columns.length - 1);
    const outer = at === 0 ? 'start' : 'end';
    const anchor = isWithin ? 'middle' : outer;
    const isAtRight = (anchor === 'end') === (direction === 'ltr');
    const edge = isAtRight ? x.left(at) + x.width : x.left(at);
    const between = all.length > 4 && i % 2 === 1 ? ' between' : '';
    return html`<text class="axis${between}" x="${percent(isWithin ? x.center(at) : edge)}" y="${BOTTOM + 20}" text-anchor="${anchor}">${columns[at]?.label ?? ''}</text>`;
  });
  return html`<div class="plot"><svg class="scale" aria-hidden="true" width="44" height="${HEIGHT}">${numbers}</svg><svg class="chart" role="img" aria-label="${label}" width="100%" height="${HEIGHT}">
${grid}${bars}${before(columns, x.center, y)}
<line class="base" x1="0" x2="100%" y1="${BOTTOM}" y2="${BOTTOM}"/>${labels}
</svg></div>`;
}

function percent(value: number): string {
  return `${Math.round(value * 1000) / 1000}%`;
}

function pixel(value: number): number {
  return Math.round(value * 100) / 100;
}

function before(columns: Columns, x: (at: number) => number, y: (value: number) => number): Html | string {
  const points = columns.flatMap(({ previous }, at) =>
    previous === null ? [] : [[x(at), y(previous)] as [number, number]],
  );
  const path = line().digits(2)(points);
  if (points.length < 2 || path === null) return '';
  return html`<svg x="0" y="0" width="100%" height="${HEIGHT}" viewBox="0 0 100 ${HEIGHT}" preserveAspectRatio="none"><path class="before" d="${raw(path)}"/></svg>`;
}
