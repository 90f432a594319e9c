import type { Card, Name, ReportDocument, ReportTable } from '../document.ts';
import { type Block, createSection, paragraphBlocks, type Section } from './blocks.ts';
import { chartBlock, legendBlock } from './column-chart.ts';
import { figureTableBlocks, parallelTables } from './figure-table.ts';
import { COLORS, TEXT } from './palette.ts';
import { shadeTableBlocks } from './shade-table.ts';
import { followed, type Typesetter } from './typesetter.ts';

const RULE = 10;

export function cardBlocks(card: Card, width: number, set: Typesetter, report: ReportDocument): Block[] {
  const section = createSection(set);
  const { chart, legend, tables, names, notes } = card;
  return [
    headingBlock(card, width, section),
    ...(chart
      ? [chartBlock(chart, section, { formatNumber: report.formatNumber, hasLegend: legend !== undefined })]
      : []),
    ...(legend ? [legendBlock(legend, section)] : []),
    ...tables.flatMap((table) => tableBlocks(table, width, section, chart !== undefined)),
    ...(names ? listBlocks(names, width, section) : []),
    ...notes.flatMap((note) => paragraphBlocks(note, { style: TEXT.small, width, above: 5, section })),
  ];
}

function headingBlock({ title }: Card, width: number, section: Section): Block {
  const style = TEXT.heading;
  const lines = section.set.lines(title, { style, width, most: 2, isName: true });
  return {
    height: RULE + lines.length * style.leading + 5,
    keepsNext: true,
    draw(canvas, { x, y }) {
      canvas.artifact(() => canvas.fill({ x, y, width, height: 0.75 }, COLORS.ink));
      canvas.bookmark(title, y);
      canvas.draw('H2', section.element(canvas), () => {
        for (const [at, line] of lines.entries())
          canvas.text(line, { x, y: y + RULE + at * style.leading + style.size });
      });
    },
  };
}

function tableBlocks(table: ReportTable, width: number, section: Section, isBelowChart: boolean): Block[] {
  if (table.kind === 'shades') return shadeTableBlocks(table, width, section);
  return isBelowChart ? parallelTables(table, width, section) : figureTableBlocks(table, width, section);
}

const GUTTER = 22;

function listBlocks(names: readonly Name[], width: number, section: Section): Block[] {
  const list = section.list();
  const room = (width - 2 * GUTTER) / 3;
  const style = TEXT.cell;
  const items = names.map(({ name, detail }) => {
    const [wanted] =
      detail === undefined
        ? []
        : section.set.lines(detail, { style: TEXT.head, width: room / 2, most: 1, isName: true });
    const left = room - (wanted ? wanted.width + 5 : 0);
    const [line] = section.set.lines(name, { style, width: left, most: 1, isName: true });
    const [named] = line && wanted ? followed([line], section.set) : [line];
    return { line: named, detail: wanted };
  });
  return Array.from(
    { length: Math.ceil(items.length / 3) },
    (_, row): Block => ({
      height: style.leading + 4,
      ...(row === 0 && { keepsNext: items.length > 3 }),
      draw(canvas, { x, y }) {
        for (const [at, { line, detail }] of items.slice(row * 3, row * 3 + 3).entries()) {
          const item = canvas.element('LI', list(canvas));
          const start = x + at * (room + GUTTER);
          canvas.within(canvas.element('LBody', item), () => {
            if (line) canvas.text(line, { x: start, y: y + style.size + 1 });
            if (detail) canvas.text(detail, { x: start + (line?.width ?? 0) + 5, y: y + style.size + 1 });
          });
          item.end();
        }
      },
    }),
  );
}
