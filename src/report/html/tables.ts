/** Renders tables: below each chart, or with a bar per row if there is no chart. */
import type { CellText, FigureRow, FigureTable, Name, ShadeTable } from '../document.ts';
import { type Html, html } from './html.ts';

/** Renders one row per value. */
export function figuresTable({ caption, head, rows }: FigureTable): Html {
  const hasBars = rows.some(({ bar }) => bar !== undefined);
  const [first = { text: '' }, ...others] = head;
  return html`<table class="figures${hasBars ? ' bars' : ''}">
<caption>${caption}</caption>
<thead><tr><th scope="col">${cellText(first)}</th>${hasBars ? html`<td class="bar"></td>` : ''}${others.map((text) => html`<th scope="col">${cellText(text)}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => rowOf(row, hasBars))}</tbody>
</table>`;
}

function rowOf(row: FigureRow, hasBars: boolean): Html {
  const cells = row.cells.map(
    ({ tone, isStrong, ...cell }) => html`<td class="${isStrong ? 'scans' : (tone ?? 'number')}">${cellText(cell)}</td>`,
  );
  return html`<tr><th scope="row" class="${row.isDim ? 'dim' : 'name'}">${nameOf(row)}</th>${hasBars ? barOf(row) : ''}${cells}</tr>
`;
}

/** Texts of their own direction: in Arabic, too, a sign goes before its number. */
function cellText({ text, detail }: CellText): Html {
  return html`<bdi>${text}</bdi>${detail === undefined ? '' : html`<span class="average"><bdi>${detail}</bdi></span>`}`;
}

/** Renders a name and, smaller, the text that identifies it; each in its own direction. */
export function nameOf({ name, detail }: Name): Html {
  return html`<bdi>${name}</bdi>${detail === undefined ? '' : html` <bdi class="slug">${detail}</bdi>`}`;
}

function barOf({ bar }: FigureRow): Html {
  if (bar === undefined) return html`<td class="bar"></td>`;
  const width = `${Math.round(bar * 10_000) / 100}%`;
  return html`<td class="bar" aria-hidden="true"><svg width="100%" height="12"><rect class="track" width="100%" height="12" rx="3"/><rect class="fill" width="${width}" height="12" rx="3"/></svg></td>`;
}

/** Renders a long table as several side by side. */
export function columnsOfTables({ rows, caption, ...table }: FigureTable): Html {
  const parts = rows.length <= 8 ? 1 : rows.length <= 16 ? 2 : 3;
  const each = Math.ceil(rows.length / parts);
  const tables = Array.from({ length: parts }, (_, part) => {
    const some = rows.slice(part * each, (part + 1) * each);
    return figuresTable({ ...table, caption: parts === 1 ? caption : `${caption} (${part + 1}/${parts})`, rows: some });
  });
  return html`<div class="columns">${tables}</div>`;
}

/** Renders cells that are darker the more scans they have. */
export function shadeTable({ id, caption, head, rows }: ShadeTable): Html {
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
