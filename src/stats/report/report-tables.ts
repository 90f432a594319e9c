/** Renders figures as tables: below each chart, or with a bar per row if there is no chart. */

import { scaleLinear } from 'd3-scale';
import { formatCount } from '../../text/quote.ts';
import { capitalize } from '../../text/sentence.ts';
import { parseInstant } from '../../time/time.ts';
import { DAY_MS } from '../../time/units.ts';
import type { Figure, Section } from '../figures.ts';
import { type Html, html } from './html.ts';

export interface TableOptions {
  caption: string;
  compared: boolean;
  hasBars: boolean;
}

/** Renders one row per value. */
export function figuresTable({ by, rows }: Pick<Section, 'by' | 'rows'>, { caption, compared, hasBars }: TableOptions): Html {
  // All others together would make each of the named look like nothing.
  const most = rows.reduce((all, { scans, isRest }) => (isRest ? all : Math.max(all, scans)), 1);
  const width = scaleLinear([0, most], [0, 100]);
  const heads = [
    ...(hasBars ? [html`<td class="bar"></td>`] : []),
    head('Scans'),
    head('Share'),
    ...(compared ? [head('Previous'), head('Change')] : []),
  ];
  return html`<table class="figures${hasBars ? ' bars' : ''}">
<caption>${caption}</caption>
<thead><tr><th scope="col">${columnName(by)}</th>${heads}</tr></thead>
<tbody>
${rows.map(
  (
    row,
  ) => html`<tr><th scope="row"${row.value === null || row.isRest ? attribute('class', 'dim') : ''}>${nameOf(row, rows)}</th>${hasBars ? (row.isRest ? html`<td class="bar"></td>` : bar(width(row.scans))) : ''}<td class="scans">${formatCount(row.scans)}</td><td>${row.share === null ? '–' : formatShare(row.share)}</td>${compared ? html`<td>${row.previous === null ? '–' : formatCount(row.previous)}</td><td class="${wayOf(row.change)}">${row.change === null ? '–' : formatChange(row.change)}</td>` : ''}</tr>
`,
)}</tbody>
</table>`;
}

/** If it differs from the name of the dimension. */
const COLUMN: Partial<Record<Section['by'], string>> = { os: 'System', referrer: 'Referrer' };

export function columnName(by: Section['by']): string {
  return COLUMN[by] ?? capitalize(by);
}

function head(text: string): Html {
  return html`<th scope="col" class="number">${text}</th>`;
}

function attribute(name: string, value: string): Html {
  return html` ${name}="${value}"`;
}

function bar(percent: number): Html {
  const width = `${Math.round(percent * 100) / 100}%`;
  return html`<td class="bar" aria-hidden="true"><svg width="100%" height="12"><rect class="track" width="100%" height="12" rx="3"/><rect class="fill" width="${width}" height="12" rx="3"/></svg></td>`;
}

function nameOf({ by, value, isRest, isPart }: Figure, rows: readonly Figure[]): string {
  if (isRest) return `all others${rows.length > 1 ? '' : ' (too many to list)'}`;
  if (value === null) return by === 'referrer' ? 'no referrer' : 'not recorded';
  return `${value}${isPart ? ' *' : ''}`;
}

function wayOf(change: number | null): string {
  return change === null || change === 0 ? 'even' : change > 0 ? 'up' : 'down';
}

/** Renders a long list as tables side by side. */
export function columnsOfTables(section: Section, options: TableOptions): Html {
  const { rows } = section;
  const parts = rows.length <= 8 ? 1 : rows.length <= 16 ? 2 : 3;
  const each = Math.ceil(rows.length / parts);
  const tables = Array.from({ length: parts }, (_, part) => {
    const caption = parts === 1 ? options.caption : `${options.caption}, ${part + 1} of ${parts}`;
    return figuresTable({ by: section.by, rows: rows.slice(part * each, (part + 1) * each) }, { ...options, caption });
  });
  return html`<div class="columns">${tables}</div>`;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const SHADES = 5;

/** Renders days as weeks of a calendar; more scans are darker. */
export function calendarTable({ rows }: Section, caption: string): Html {
  const most = rows.reduce((all, { scans }) => Math.max(all, scans), 1);
  const weeks: (Figure | undefined)[][] = [];
  for (const row of rows) {
    const weekday = (Math.floor((parseInstant(`${row.value}T00:00:00Z`) ?? 0) / DAY_MS) + 3) % 7;
    if (weekday === 0 || weeks.length === 0) weeks.push(new Array(7).fill(undefined));
    const week = weeks.at(-1);
    if (week) week[weekday] = row;
  }
  return html`<table class="calendar">
<caption>${caption}, by week</caption>
<thead><tr><th scope="col">Week of</th>${WEEKDAYS.map((day) => html`<th scope="col">${day}</th>`)}</tr></thead>
<tbody>
${weeks.map(
  (
    week,
  ) => html`<tr><th scope="row">${week.find((day) => day !== undefined)?.value ?? ''}</th>${week.map((day) => dayCell(day, most))}</tr>
`,
)}</tbody>
</table>`;
}

function dayCell(day: Figure | undefined, most: number): Html {
  if (day === undefined) return html`<td class="out"></td>`;
  const shade = day.scans === 0 ? 0 : Math.max(1, Math.ceil((day.scans / most) * SHADES));
  return html`<td class="shade${shade}">${formatCount(day.scans)}${day.isPart ? '*' : ''}</td>`;
}

export function formatShare(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

export function formatChange(change: number): string {
  return `${change > 0 ? '+' : change < 0 ? '−' : '±'}${Math.abs(change * 100).toFixed(Math.abs(change) >= 10 ? 0 : 1)}%`;
}
