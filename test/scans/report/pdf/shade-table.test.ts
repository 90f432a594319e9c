import { expect, test } from 'vitest';
import type { ShadeTable } from '#scans/report/document';
import type { Section } from '#scans/report/pdf/blocks';
import { shadeTableBlocks } from '#scans/report/pdf/shade-table';

/** Enough of a section to lay a table out. */
const section = {
  set: { line: (text: string) => ({ width: text.length }), lines: () => [] },
  table: () => undefined,
} as unknown as Section;

const tableOf = (id: ShadeTable['id']): ShadeTable => ({
  kind: 'shades',
  id,
  caption: 'Scans',
  head: ['', '0'],
  rows: Array.from({ length: 8 }, (_, at) => ({ name: `Row ${at}`, cells: [{ text: '1', shade: 1 }] })),
});

const bound = (id: ShadeTable['id']) =>
  shadeTableBlocks(tableOf(id), 400, section).map(({ keepsNext }) => keepsNext ?? false);

test('the table of hours by weekday stays on one page, and is not bound to the block after it', () => {
  expect(bound('hours')).toEqual([...Array<boolean>(8).fill(true), false]);
});

test('a calendar may continue on the next page', () => {
  expect(bound('calendar').slice(1)).toContain(false);
  expect(bound('calendar').at(-1)).toBe(false);
});
