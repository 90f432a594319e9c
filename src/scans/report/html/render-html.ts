/** Renders without scripts or requests, for phones, paper and screen readers. */

import { createHash } from 'node:crypto';
import { type AccentColors, accentColors } from '../accent.ts';
import type { Card, Name, ReportDocument, ReportLogo, ReportTable, Tile } from '../document.ts';
import { columnChart } from './column-chart.ts';
import { type Html, html, raw } from './html.ts';
import { STYLE } from './style.ts';
import { columnsOfTables, figuresTable, nameOf, shadeTable } from './tables.ts';

export function renderHtml(report: ReportDocument): string {
  const style = STYLE.trim() + (report.accent === undefined ? '' : accentStyle(report.accent));
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return String(html`<!doctype html>
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
`);
}

function accentStyle(color: string): string {
  const light = variablesOf(accentColors(color, 'light'));
  const dark = variablesOf(accentColors(color, 'dark'));
  return `\n${light}\n@media screen and (prefers-color-scheme:dark){${dark}}\n@media print{${light}}`;
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
