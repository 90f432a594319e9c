import type { Card, ReportDocument, ReportTable } from '../document.ts';

/** Returns every text that is shown. */
export function textsOf(report: ReportDocument): string[] {
  const { kicker, title, note, range, coverage, comparedWith = '', tiles, cards, footer } = report;
  const ofTiles = tiles.flatMap(({ label, value, detail, change }) => [
    label,
    value,
    detail,
    change?.text ?? '',
  ]);
  return [
    kicker,
    title,
    ...note,
    range,
    ...coverage,
    comparedWith,
    ...ofTiles,
    ...cards.flatMap(ofCard),
    ...footer,
  ];
}

function ofCard({ title, chart, legend, tables, notes, names = [] }: Card): string[] {
  const labels = chart?.columns.map(({ label }) => label) ?? [];
  const ofNames = names.flatMap(({ name, detail = '' }) => [name, detail]);
  return [
    title,
    ...labels,
    legend?.now ?? '',
    legend?.before ?? '',
    ...tables.flatMap(ofTable),
    ...notes,
    ...ofNames,
  ];
}

function ofTable(table: ReportTable): string[] {
  if (table.kind === 'shades') {
    return [
      ...table.head,
      ...table.rows.flatMap(({ name, cells }) => [name, ...cells.map((cell) => cell?.text ?? '')]),
    ];
  }
  const heads = table.head.flatMap(({ text, detail = '' }) => [text, detail]);
  return [
    ...heads,
    ...table.rows.flatMap(({ name, detail = '', cells }) => [
      name,
      detail,
      ...cells.flatMap((cell) => [cell.text, cell.detail ?? '']),
    ]),
  ];
}
