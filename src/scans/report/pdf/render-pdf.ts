import { inChunks } from '#base/collections';
import { clean } from '#base/text/clean';
import { closePdf } from '#files/paper/pdfkit';
import { accentColors } from '#scans/report/accent';
import { type Card, inRows, type Name, type ReportDocument } from '#scans/report/document';
import { type Band, type Block, createSection, paragraphBlocks, type Section } from './blocks.ts';
import { createCanvas } from './canvas.ts';
import { chartBlock, legendBlock } from './column-chart.ts';
import { figureTableBlocks, parallelTables } from './figure-table.ts';
import { openTaggedPdf } from './open-pdf.ts';
import { closingBlocks, openingBlocks } from './opening.ts';
import { paginate } from './paginate.ts';
import { COLORS, PAPER_SIZES, type Paper, SHADES, TEXT } from './palette.ts';
import { shadeTableBlocks } from './shade-table.ts';
import { createTypesetter, followed, type Typesetter } from './typesetter.ts';

const MARGIN = { side: 42, top: 42, bottom: 54 };
const GUTTER = 24;
const CARD_GAP = 16;
const FOOT = 28;

/** Renders a PDF. Also returns texts with characters that no font has. */
export async function renderPdf(report: ReportDocument, paper: Paper) {
  const [width, height] = PAPER_SIZES[paper];
  const { language, direction, logo } = report;
  const title = clean(report.title);
  const seed = JSON.stringify([paper, { ...report, logo: logo && Buffer.from(logo.png).toString('base64') }]);
  const document = openTaggedPdf({ width, height, title, language, direction, seed });
  const pageNumbers = report.pageOf(1234567890, 1234567890);
  const set = await createTypesetter(
    document,
    [...textsOf(report), pageNumbers, report.formatNumber(1234567890)],
    direction,
  );
  const pages = paginate(...bandsOf(report, width - 2 * MARGIN.side, set), {
    top: MARGIN.top,
    bottom: height - MARGIN.bottom,
  });
  const canvas = createCanvas(document, { width, direction, colorOf: recoloring(report.accent) });
  for (const [index, blocks] of pages.entries()) {
    canvas.addPage();
    for (const { block, x, y, width: across } of blocks) {
      block.draw(canvas, { x: MARGIN.side + x, y, width: across, height: block.height });
    }
    drawFoot(index + 1);
  }
  canvas.end();
  // Omits the tiles and the story, because they repeat texts from the cards.
  const lossy = [...new Set(textsOf({ ...report, tiles: [], story: '' }))].filter(set.isLossy);
  return { bytes: await closePdf(document), lossy };

  function drawFoot(page: number): void {
    const number = set.line(report.pageOf(page, pages.length), TEXT.page);
    const room = width - 2 * MARGIN.side - number.width - 20;
    const [name] = set.lines(report.title, { style: TEXT.page, width: room, most: 1, isName: true });
    canvas.artifact(() => {
      if (name) canvas.text(name, { x: MARGIN.side, y: height - FOOT });
      canvas.text(number, { x: width - MARGIN.side, y: height - FOOT, align: 'end' });
    }, 'Pagination');
  }
}

function recoloring(accent: string | undefined): (color: string) => string {
  if (accent === undefined) return (color) => color;
  const own = accentColors(accent, 'light');
  const from = [COLORS.accent, COLORS.accentSoft, COLORS.part, ...SHADES.slice(1)];
  const to = [own.accent, own.soft, own.part, ...own.shades];
  const colors = new Map(from.map((color, at) => [color as string, to[at]]));
  return (color) => colors.get(color) ?? color;
}

function bandsOf(report: ReportDocument, width: number, set: Typesetter): [Band[], Band] {
  const bandOf = (blocks: Block[], above: number): Band => ({ stacks: [{ x: 0, width, blocks }], above });
  const half = (width - GUTTER) / 2;
  const cards = inRows(report.cards).map((row): Band => {
    const across = row.length > 1 ? half : width;
    const stacks = row.map((card, at) => ({
      x: at * (half + GUTTER),
      width: across,
      blocks: cardBlocks(card, across, set, report),
    }));
    return { stacks, above: CARD_GAP };
  });
  const opening = bandOf(openingBlocks(report, width, set), 0);
  return [[opening, ...cards], bandOf(closingBlocks(report, width, set), CARD_GAP)];
}

function textsOf(report: ReportDocument): string[] {
  const { kicker, title, story, note, range, coverage, comparedWith, tiles, cards, footer } = report;
  const ofCards = cards.map(({ title, chart, legend, tables, notes, names }) => [
    title,
    chart?.columns.map(({ label }) => label),
    legend,
    tables.map(({ head, rows }) => [head, rows]),
    notes,
    names,
  ]);
  return stringsOf([kicker, title, story, note, range, coverage, comparedWith, tiles, ofCards, footer]);
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

const RULE = 10;

function cardBlocks(card: Card, width: number, set: Typesetter, report: ReportDocument): Block[] {
  const section = createSection(set);
  const { chart, legend, tables, names, notes } = card;
  return [
    headingBlock(card, width, section),
    ...(chart
      ? [chartBlock(chart, section, { formatNumber: report.formatNumber, hasLegend: legend !== undefined })]
      : []),
    ...(legend ? [legendBlock(legend, section)] : []),
    ...tables.flatMap((table) => {
      if (table.kind === 'shades') return shadeTableBlocks(table, width, section);
      return chart ? parallelTables(table, width, section) : figureTableBlocks(table, width, section);
    }),
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

const NAMES_GUTTER = 22;

function listBlocks(names: readonly Name[], width: number, section: Section): Block[] {
  const list = section.list();
  const room = (width - 2 * NAMES_GUTTER) / 3;
  const style = TEXT.cell;
  const items = names.map(({ name, detail }) => {
    const fit = { most: 1, isName: true };
    const [wanted] = section.set.lines(detail ?? '', { style: TEXT.head, width: room / 2, ...fit });
    const left = room - (wanted ? wanted.width + 5 : 0);
    const lines = section.set.lines(name, { style, width: left, ...fit });
    const [line] = wanted ? followed(lines, section.set) : lines;
    return { line, detail: wanted };
  });
  return [...inChunks(items, 3)].map(
    (shown, row): Block => ({
      height: style.leading + 4,
      ...(row === 0 && { keepsNext: items.length > 3 }),
      draw(canvas, { x, y }) {
        for (const [at, { line, detail }] of shown.entries()) {
          const item = canvas.element('LI', list(canvas));
          const start = x + at * (room + NAMES_GUTTER);
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
