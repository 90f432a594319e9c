/** Draws columns over time as inline SVG: positions in percent and text in pixels, so that it fits any width and stays legible. */
import { scaleBand, scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import type { ColumnChart, ReportDocument } from '../document.ts';
import { type Html, html, raw } from './html.ts';

const HEIGHT = 220;
const TOP = 14;
const BOTTOM = 190;
/** More labels would touch one another on a phone. */
const MOST_LABELS = 5;

type Columns = ColumnChart['columns'];

/** Draws one column per row, a line for the previous range, and some labels. The table below it has the same figures. */
export function columnChart({ label, columns: rows }: ColumnChart, { formatNumber }: Pick<ReportDocument, 'formatNumber'>): Html {
  const most = rows.reduce((all, { scans, previous }) => Math.max(all, scans, previous ?? 0), 1);
  const y = scaleLinear([0, most], [BOTTOM, TOP]).nice(4);
  const x = scaleBand(
    rows.map((_, at) => at),
    [0, 100],
  )
    .paddingInner(rows.length > 60 ? 0.1 : 0.28)
    .paddingOuter(0.1);
  const percent = (value: number) => `${Math.round(value * 1000) / 1000}%`;
  const pixel = (value: number) => Math.round(value * 100) / 100;
  const grid = y
    .ticks(4)
    .filter((tick) => Number.isInteger(tick))
    .map((tick) => html`<line class="rule" x1="0" x2="100%" y1="${pixel(y(tick))}" y2="${pixel(y(tick))}"/>`);
  const numbers = y
    .ticks(4)
    .filter((tick) => Number.isInteger(tick))
    .map((tick) => html`<text class="axis" x="100%" y="${pixel(y(tick) + 4)}" text-anchor="end">${formatNumber(tick)}</text>`);
  const columns = rows.map(({ scans, isPart }, at) => {
    const top = pixel(Math.min(y(scans), scans > 0 ? BOTTOM - 1 : BOTTOM));
    return html`<rect class="${isPart ? 'column part' : 'column'}" x="${percent(x(at) ?? 0)}" width="${percent(x.bandwidth())}" y="${top}" height="${pixel(BOTTOM - top)}" rx="2"/>`;
  });
  const labels = labelled(rows).map(({ at, anchor }, i, all) => {
    const place =
      anchor === 'start' ? (x(at) ?? 0) : anchor === 'end' ? (x(at) ?? 0) + x.bandwidth() : (x(at) ?? 0) + x.bandwidth() / 2;
    // Five dates do not fit on a phone.
    const between = all.length > 4 && i % 2 === 1 ? ' between' : '';
    return html`<text class="axis${between}" x="${percent(place)}" y="${BOTTOM + 20}" text-anchor="${anchor}">${rows[at]?.label ?? ''}</text>`;
  });
  return html`<div class="plot"><svg class="scale" aria-hidden="true" width="44" height="${HEIGHT}">${numbers}</svg><svg class="chart" role="img" aria-label="${label}" width="100%" height="${HEIGHT}">
${grid}${columns}${before(
  rows,
  (at) => (x(at) ?? 0) + x.bandwidth() / 2,
  (value) => y(value),
)}
<line class="base" x1="0" x2="100%" y1="${BOTTOM}" y2="${BOTTOM}"/>${labels}
</svg></div>`;
}

/** The range before as a line, stretched to the width while its stroke is not. */
function before(rows: Columns, x: (at: number) => number, y: (value: number) => number): Html | string {
  const points = rows.flatMap(({ previous }, at) => (previous === null ? [] : [[x(at), y(previous)] as [number, number]]));
  const path = line().digits(2)(points);
  if (points.length < 2 || path === null) return '';
  return html`<svg x="0" y="0" width="100%" height="${HEIGHT}" viewBox="0 0 100 ${HEIGHT}" preserveAspectRatio="none"><path class="before" d="${raw(path)}"/></svg>`;
}

function labelled(rows: Columns): { at: number; anchor: 'start' | 'middle' | 'end' }[] {
  const last = rows.length - 1;
  if (rows.length <= 7) return rows.map((_, at) => ({ at, anchor: 'middle' }));
  const step = last / (MOST_LABELS - 1);
  return Array.from({ length: MOST_LABELS }, (_, i) => {
    return { at: Math.round(i * step), anchor: i === 0 ? 'start' : i === MOST_LABELS - 1 ? 'end' : 'middle' };
  });
}
