/** Draws columns over time as inline SVG: positions in percent and text in pixels, so that it fits any width and stays legible. */
import { scaleBand, scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { labelledUnits } from '../axis-labels.ts';
import type { ColumnChart, ReportDocument } from '../document.ts';
import { type Html, html, raw } from './html.ts';

const HEIGHT = 220;
const TOP = 14;
const BOTTOM = 190;
/** Labels of a short range, and of a longer one: more would touch one another on a phone. */
const MOST_LABELS = { short: 7, long: 5 };

type Columns = ColumnChart['columns'];
type Page = Pick<ReportDocument, 'formatNumber' | 'direction'>;

/** Draws one column per unit, a line for the previous range, and some labels; from right to left if the page is. The table below it has the same figures. */
export function columnChart({ label, columns }: ColumnChart, { formatNumber, direction }: Page): Html {
  const most = columns.reduce((all, { value, previous }) => Math.max(all, value, previous ?? 0), 0) || 1;
  const y = scaleLinear([0, most], [BOTTOM, TOP]).nice(4);
  const x = scaleBand(
    columns.map((_, at) => at),
    direction === 'rtl' ? [100, 0] : [0, 100],
  )
    .paddingInner(columns.length > 60 ? 0.1 : 0.28)
    .paddingOuter(0.1);
  const left = (at: number) => x(at) ?? 0;
  const center = (at: number) => left(at) + x.bandwidth() / 2;
  const ticks = ticksOf(columns, y.ticks(4));
  const grid = ticks.map(
    (tick) => html`<line class="rule" x1="0" x2="100%" y1="${pixel(y(tick))}" y2="${pixel(y(tick))}"/>`,
  );
  const numbers = ticks.map(
    (tick) =>
      html`<text class="axis" x="${direction === 'rtl' ? '0' : '100%'}" y="${pixel(y(tick) + 4)}" text-anchor="end">${formatNumber(tick)}</text>`,
  );
  const bars = columns.map(({ value, isPart }, at) => {
    const top = pixel(Math.min(y(value), value > 0 ? BOTTOM - 1 : BOTTOM));
    return html`<rect class="${isPart ? 'column part' : 'column'}" x="${percent(left(at))}" width="${percent(x.bandwidth())}" y="${top}" height="${pixel(BOTTOM - top)}" rx="2"/>`;
  });
  const labelled = labelledUnits(
    columns.length,
    columns.length <= MOST_LABELS.short ? MOST_LABELS.short : MOST_LABELS.long,
  );
  const labels = labelled.map((at, i, all) => {
    const isWithin = all.length === columns.length || (at > 0 && at < columns.length - 1);
    const anchor = isWithin ? 'middle' : at === 0 ? 'start' : 'end';
    // The start of a text from right to left is its right end, as the start of the axis is.
    const isAtRight = (anchor === 'end') === (direction === 'ltr');
    const place = anchor === 'middle' ? center(at) : isAtRight ? left(at) + x.bandwidth() : left(at);
    const between = all.length > 4 && i % 2 === 1 ? ' between' : '';
    return html`<text class="axis${between}" x="${percent(place)}" y="${BOTTOM + 20}" text-anchor="${anchor}">${columns[at]?.label ?? ''}</text>`;
  });
  return html`<div class="plot"><svg class="scale" aria-hidden="true" width="44" height="${HEIGHT}">${numbers}</svg><svg class="chart" role="img" aria-label="${label}" width="100%" height="${HEIGHT}">
${grid}${bars}${before(columns, center, (value) => y(value))}
<line class="base" x1="0" x2="100%" y1="${BOTTOM}" y2="${BOTTOM}"/>${labels}
</svg></div>`;
}

function percent(value: number): string {
  return `${Math.round(value * 1000) / 1000}%`;
}

function pixel(value: number): number {
  return Math.round(value * 100) / 100;
}

/** There are no halves of scans, but of averages. */
function ticksOf(columns: Columns, ticks: readonly number[]): readonly number[] {
  return columns.every(({ value }) => Number.isInteger(value))
    ? ticks.filter((tick) => Number.isInteger(tick))
    : ticks;
}

/** The range before as a line, stretched to the width while its stroke is not. */
function before(columns: Columns, x: (at: number) => number, y: (value: number) => number): Html | string {
  const points = columns.flatMap(({ previous }, at) =>
    previous === null ? [] : [[x(at), y(previous)] as [number, number]],
  );
  const path = line().digits(2)(points);
  if (points.length < 2 || path === null) return '';
  return html`<svg x="0" y="0" width="100%" height="${HEIGHT}" viewBox="0 0 100 ${HEIGHT}" preserveAspectRatio="none"><path class="before" d="${raw(path)}"/></svg>`;
}
