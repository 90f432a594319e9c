import { formatNumber } from '../../codes/images/image-style.ts';
import { listGrids, PAPERS } from '../../codes/images/label-grids.ts';
import type { Context } from '../../context.ts';
import { type Column, wholeColumn } from '../../files/formats/columns.ts';
import { printRecords } from '../output-options.ts';

export const SHEET_COLUMNS: readonly Column[] = [
  wholeColumn('number'),
  { name: 'paper' },
  ...['labels', 'columns', 'rows', 'width_mm', 'height_mm'].map(
    (name) => ({ name, align: 'right', keepWhole: true }) as const,
  ),
  { name: 'also' },
];

export async function listSheets(
  context: Context,
  { output }: { output?: string | undefined },
): Promise<void> {
  const records = listGrids().map(({ number, also, grid: { paper, columns, rows, label } }) => ({
    number,
    paper: Object.entries(PAPERS).find(([, one]) => one === paper)?.[0] ?? null,
    labels: columns * rows,
    columns,
    rows,
    width_mm: formatNumber(label.widthMm),
    height_mm: formatNumber(label.heightMm),
    also: also.join(' ') || null,
  }));
  await printRecords(context, records, SHEET_COLUMNS, { output });
}
