import type { CellText, FigureRow, FigureTable, Name, ShadeTable } from '../document.ts';
import { type Html, html } from './html.ts';

const LEAST_LONG_NAME = 7;

/** States roles, because some browsers drop those of a table in a grid layout. */
export function figuresTable({ caption, head, rows }: FigureTable): Html {
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

export function nameOf({ name, detail }: Name): Html {
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

export function columnsOfTables({ rows, caption, ...table }: FigureTable): Html {
  const parts = Math.max(1, Math.min(3, Math.ceil(rows.length / 8)));
  const each = Math.ceil(rows.length / parts);
  const tables = Array.from({ length: parts }, (_, part) => {
    const some = rows.slice(part * each, (part + 1) * each);
    const name = parts === 1 ? caption : `${caption} (${part + 1}/${parts})`;
    return figuresTable({ ...table, caption: name, rows: some });
  });
  return html`<div class="columns">${tables}</div>`;
}

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
