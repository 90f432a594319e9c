import { hash } from 'node:crypto';
import { line } from 'd3-shape';
import { type AccentColors, accentColors } from '#scans/report/accent';
import { columnScale, placeLabels, valueScale } from '#scans/report/chart-scales';
import type {
  Card,
  CellText,
  ColumnChart,
  FigureRow,
  FigureTable,
  Name,
  ReportDocument,
  ReportLogo,
  ReportTable,
  ShadeTable,
  Tile,
} from '#scans/report/document';
import { type Html, html, raw } from './html.ts';
import { STYLE } from './style.ts';

/** Renders one HTML page without scripts or requests. */
export function renderHtml(report: ReportDocument): string {
  const style = STYLE + (report.accent === undefined ? '' : accentStyle(report.accent));
  const digest = hash('sha256', style, 'base64');
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="${report.language}" dir="${report.direction}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${report.title}</title>
<style>${raw(style)}</style>
</head>
<body>
<header class="top">
${report.logo ? logoOf(report.logo) : ''}<p class="kicker">${report.kicker}</p>
<h1><bdi>${report.title}</bdi></h1>
${[report.range, ...report.coverage].map(
  (sentence) => html`<p class="range">${sentence}</p>
`,
)}${[report.story, ...report.note]
  .filter((text) => text !== '')
  .map(
    (paragraph) => html`<p class="sender"><bdi>${paragraph}</bdi></p>
`,
  )}</header>
<main>
<section class="tiles" aria-label="${report.summaryLabel}">
${report.tiles.map(tile)}
</section>${report.comparedWith === undefined ? '' : html`<p class="compared">${report.comparedWith}</p>`}
<div class="grid">
${report.cards.map((each) => card(each, report))}
</div>
</main>
<footer>
${report.footer.map(
  (sentence) => html`<p>${sentence}</p>
`,
)}</footer>
</body>
</html>
`.markup;
}

function accentStyle(color: string): string {
  const light = variablesOf(accentColors(color, 'light'));
  const dark = variablesOf(accentColors(color, 'dark'));
  return `\n${light}\n@media screen and (prefers-color-scheme:dark){${dark}}`;
}

function variablesOf({ accent, soft, part, shades }: AccentColors): string {
  const cells = shades.map((shade, at) => `--s${at + 1}:${shade}`).join(';');
  return `:root{--accent:${accent};--accent-soft:${soft};--part:${part};${cells}}`;
}

function logoOf({ png, width, height, alt }: ReportLogo): Html {
  const data = Buffer.from(png).toString('base64');
  return html`<img class="logo" src="data:image/png;base64,${data}" width="${width}" height="${height}" alt="${alt}">
`;
}

function tile({ label, value, detail, change }: Tile): Html {
  const badge = change ? html`<bdi class="badge ${change.tone}">${change.text}</bdi> ` : '';
  return html`<div class="tile"><p class="label">${label}</p><p class="value${/\p{L}/u.test(value) ? ' words' : ''}"><bdi>${value}</bdi></p><p class="detail">${badge}<bdi>${detail}</bdi></p></div>
`;
}

function card(
  { id, title, isWide, chart, legend, tables, notes, names }: Card,
  report: ReportDocument,
): Html {
  return html`<section class="card${isWide ? ' wide' : ''}" aria-labelledby="${id}">
<h2 id="${id}"><bdi>${title}</bdi></h2>
${chart ? columnChart(chart, report) : ''}${legend ? legendOf(legend) : ''}${tables.map((table) => tableOf(table, chart !== undefined))}${names ? listOf(names) : ''}
${notes.map((note) => html`<p class="note">${note}</p>`)}
</section>
`;
}

function tableOf(table: ReportTable, isBelowChart: boolean): Html {
  if (table.kind === 'shades') return shadeTable(table);
  return isBelowChart ? columnsOfTables(table) : figuresTable(table);
}

function legendOf({ now, before }: { now: string; before: string }): Html {
  return html`<p class="legend"><span class="key now"></span>${now} <span class="key then"></span>${before}</p>`;
}

function listOf(names: readonly Name[]): Html {
  return html`<ul class="silent">${names.map((name) => html`<li>${nameOf(name)}</li>`)}</ul>`;
}

const HEIGHT = 220;
const TOP = 14;
const BOTTOM = 190;
const MOST_LABELS = { short: 7, long: 5 };

type Columns = ColumnChart['columns'];

/** Draws a chart with widths in percent and heights in pixels, so that it fits any width. */
function columnChart({ label, columns }: ColumnChart, { formatNumber, direction }: ReportDocument): Html {
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
  const placed = placeLabels(columns.length, isShort ? MOST_LABELS.short : MOST_LABELS.long);
  const labels = placed.map(({ at, align }, i, all) => {
    const isAtRight = (align === 'end') === (direction === 'ltr');
    const edge = isAtRight ? x.left(at) + x.width : x.left(at);
    const [anchor, left] = align === 'center' ? ['middle', x.center(at)] : [align, edge];
    const between = all.length > 4 && i % 2 === 1 ? ' between' : '';
    return html`<text class="axis${between}" x="${percent(left)}" y="${BOTTOM + 20}" text-anchor="${anchor}">${columns[at]?.label ?? ''}</text>`;
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
  if (points.length < 2) return '';
  return html`<svg x="0" y="0" width="100%" height="${HEIGHT}" viewBox="0 0 100 ${HEIGHT}" preserveAspectRatio="none"><path class="before" d="${raw(line().digits(2)(points) ?? '')}"/></svg>`;
}

const LEAST_LONG_NAME = 7;

/** Formats a table. Sets roles, because some browsers drop them with `display:grid`. */
function figuresTable({ caption, head, rows }: FigureTable): Html {
  const [first = { text: '' }, ...others] = head;
  const isStacked = others.length > 2 && rows.some(({ name }) => name.length >= LEAST_LONG_NAME);
  return html`<div class="fit"><table role="table" class="figures${isStacked ? ' stacked' : ''}">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">${nameOf({ name: first.text })}</th>${others.map((text) => html`<th role="columnheader" scope="col">${cellText(text)}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map(rowOf)}</tbody>
</table></div>`;
}

function rowOf(row: FigureRow): Html {
  const cells = row.cells.map(
    ({ tone, isStrong, ...cell }) =>
      html`<td role="cell" class="${isStrong ? 'scans' : (tone ?? 'number')}">${cellText(cell)}</td>`,
  );
  return html`<tr role="row"><th role="rowheader" scope="row" class="${row.isDim ? 'dim' : 'name'}${row.bar === undefined ? '' : ' bar'}">${barOf(row)}${nameOf(row)}</th>${cells}</tr>
`;
}

function cellText({ text, detail }: CellText): Html {
  return html`<bdi>${text}</bdi>${detail === undefined ? '' : html`<span class="average"><bdi>${detail}</bdi></span>`}`;
}

function nameOf({ name, detail }: Name): Html {
  return html`<bdi>${wordsOf(name)}</bdi>${detail === undefined ? '' : html` <bdi class="slug">${wordsOf(detail)}</bdi>`}`;
}

function wordsOf(text: string): (string | Html)[] {
  return text
    .split(/(\S{18,})/)
    .map((part, at) => (at % 2 === 0 ? part : html`<span class="long">${part}</span>`));
}

function barOf({ bar }: FigureRow): Html | string {
  if (bar === undefined) return '';
  const width = `${Math.round(bar * 10_000) / 100}%`;
  return html`<svg aria-hidden="true"><rect width="${width}" height="100%" rx="4"/></svg>`;
}

function columnsOfTables({ rows, caption, ...table }: FigureTable): Html {
  const parts = Math.max(1, Math.min(3, Math.ceil(rows.length / 8)));
  const each = Math.ceil(rows.length / parts);
  const tables = Array.from({ length: parts }, (_, part) => {
    const some = rows.slice(part * each, (part + 1) * each);
    const name = parts === 1 ? caption : `${caption} (${part + 1}/${parts})`;
    return figuresTable({ ...table, caption: name, rows: some });
  });
  return html`<div class="columns">${tables}</div>`;
}

function shadeTable({ id, caption, head, rows }: ShadeTable): Html {
  return html`<table class="shades ${id}">
<caption>${caption}</caption>
<thead><tr>${head.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ({ name, cells }) =>
    html`<tr><th scope="row">${name}</th>${cells.map((cell) => (cell ? html`<td class="shade${cell.shade}"><bdi>${cell.text}</bdi></td>` : html`<td class="out"></td>`))}</tr>
`,
)}</tbody>
</table>`;
}
