/** Renders the report as one HTML page without scripts or requests, for phones, paper and screen readers. Pure: the same figures give the same bytes. */
import { createHash } from 'node:crypto';
import { countOf, formatCount } from '../../text/quote.ts';
import { isTimeDimension } from '../dimensions.ts';
import { changeOf, type Section } from '../figures.ts';
import { columnChart } from './column-chart.ts';
import { type Html, html, raw } from './html.ts';
import { calendarTable, columnName, columnsOfTables, figuresTable, formatChange, formatShare } from './report-tables.ts';
import { STYLE } from './style.ts';

export interface ReportPage {
  title: string;
  /** The range and zone in words. */
  range: string;
  /** Sentences about the part of the range that the data doesn't cover; none if it covers all. */
  coverage: readonly string[];
  /** Range of the comparison, in words; undefined without a comparison. */
  comparedWith: string | undefined;
  total: number;
  previous: number | undefined;
  sections: readonly Section[];
  /** Names of the codes without scans. */
  silent: readonly string[];
  /** Number of codes; undefined if the files don't contain it. */
  codes: number | undefined;
  /** Command line that created the report. */
  madeBy: string;
}

/** Titles of cards; a card without one has the name of its column. */
const TITLES: Partial<Record<Section['by'], string>> = {
  day: 'Scans by day',
  week: 'Scans by week',
  month: 'Scans by month',
  hour: 'Time of day',
  weekday: 'Day of the week',
  country: 'Countries',
  city: 'Cities',
  device: 'Devices',
  os: 'Operating systems',
  browser: 'Browsers',
  referrer: 'Where visitors came from',
  code: 'Codes',
};

/** Renders the page, with a final line end. */
export function renderReport(page: ReportPage): string {
  const style = STYLE.trim();
  const hash = createHash('sha256').update(style).digest('base64');
  // The one style is known by its hash: no other, and nothing else at all, is loaded or run.
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${page.title}</title>
<style>${raw(style)}</style>
</head>
<body>
<header class="top">
<p class="kicker">Scan report</p>
<h1>${page.title}</h1>
<p class="range">${page.range}</p>
${page.coverage.map(
  (sentence) => html`<p class="range">${sentence}</p>
`,
)}</header>
<main>
${tiles(page)}
<div class="grid">
${page.total === 0 ? noScans(page) : page.sections.map((section) => card(section, page))}
${silent(page.silent)}
</div>
</main>
<footer>
${notes(page)}
</footer>
</body>
</html>
`);
}

function tiles({ total, previous, sections, codes, comparedWith }: ReportPage): Html {
  const of = (by: Section['by']) => sections.find((section) => section.by === by);
  const change = previous === undefined ? null : changeOf(total, previous);
  const days = of('day');
  const busiest = days && [...days.rows].sort((a, b) => b.scans - a.scans)[0];
  const topOf = (by: Section['by']) => of(by)?.rows.find(({ value, isRest }) => value !== null && !isRest);
  const country = topOf('country');
  const mobile = of('device')?.rows.find(({ value }) => value === 'mobile');
  const list = [
    tile(
      'Scans',
      formatCount(total),
      previous === undefined ? `${codes === undefined ? '' : countOf(codes, 'code')}` : `${formatCount(previous)} previously`,
      change,
    ),
    ...(busiest && busiest.scans > 0 ? [tile('Busiest day', formatCount(busiest.scans), busiest.value ?? '')] : []),
    ...(country && country.share !== null
      ? [tile('Top country', country.value ?? '', `${formatShare(country.share)} of scans`)]
      : []),
    ...(mobile && mobile.share !== null ? [tile('On phones', formatShare(mobile.share), countOf(mobile.scans, 'scan'))] : []),
  ];
  return html`<section class="tiles" aria-label="Summary">
${list}
</section>${comparedWith === undefined ? '' : html`<p class="compared">Compared with ${comparedWith}</p>`}`;
}

function tile(label: string, value: string, detail: string, change: number | null = null): Html {
  return html`<div class="tile"><p class="label">${label}</p><p class="value">${value}</p><p class="detail">${changeBadge(change)}${detail}</p></div>
`;
}

function changeBadge(change: number | null): Html | string {
  if (change === null) return '';
  const way = change > 0 ? 'up' : change < 0 ? 'down' : 'even';
  return html`<span class="badge ${way}">${formatChange(change)}</span> `;
}

function titleOf(by: Section['by']): string {
  return TITLES[by] ?? columnName(by);
}

/** Cards that take the whole width. */
const WIDE: ReadonlySet<Section['by']> = new Set(['day', 'week', 'month', 'hour', 'code', 'referrer']);

function card(section: Section, page: ReportPage): Html {
  const { by, rows } = section;
  const title = titleOf(by);
  const wide = WIDE.has(by) ? ' wide' : '';
  const compared = page.previous !== undefined;
  const body = rows.length === 0 ? html`<p class="none">No scans.</p>` : bodyOf(section, compared);
  return html`<section class="card${wide}" aria-labelledby="by-${by}">
<h2 id="by-${by}">${title}</h2>
${body}
${section.isApproximate ? html`<p class="note">Too many distinct values for exact counts. Each count is a minimum; the remainder is in the last row.</p>` : ''}
${section.isSparse ? html`<p class="note">The range is too long for one row per ${section.by}. Rows without scans are omitted.</p>` : ''}
${rows.some(({ isPart }) => isPart) ? html`<p class="note">* Partial ${by}: the report begins or ends within it.</p>` : ''}
</section>
`;
}

function bodyOf(section: Section, compared: boolean): Html {
  const { by } = section;
  const caption = titleOf(by);
  if (!isTimeDimension(by) || by === 'weekday') return figuresTable(section, { caption, compared, hasBars: true });
  const chart = columnChart(section, caption);
  if (by === 'day') return html`${chart}${legend(compared)}${calendarTable(section, caption)}`;
  return html`${chart}${legend(compared)}${columnsOfTables(section, { caption, compared, hasBars: false })}`;
}

/** Returns the card shown in place of charts and tables of zeros. */
function noScans({ codes }: ReportPage): Html {
  const source = codes === undefined ? 'in the input files' : `for ${countOf(codes, 'code')}`;
  return html`<section class="card wide"><p class="none">No scans in this period ${source}.</p></section>`;
}

function legend(compared: boolean): Html | string {
  return compared
    ? html`<p class="legend"><span class="key now"></span>this period <span class="key then"></span>previous period</p>`
    : '';
}

function silent(names: readonly string[]): Html | string {
  if (names.length === 0) return '';
  return html`<section class="card wide" aria-labelledby="silent"><h2 id="silent">Codes without scans</h2>
<ul class="silent">${names.map((name) => html`<li>${name}</li>`)}</ul></section>`;
}

function notes({ range, madeBy, codes }: ReportPage): Html {
  return html`<p><strong>Scans, not people.</strong> A visitor who scans a code twice counts twice. Percentages of fewer than 30 scans are omitted.</p>
<p>Source: ${codes === undefined ? 'the files below' : countOf(codes, 'code')}, ${range}. Every scan ${codes === undefined ? 'of these files in this range' : 'in this range'} is counted exactly once.</p>
<p>Made with <code>${madeBy}</code></p>`;
}
