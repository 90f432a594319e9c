import { clean } from '../../../base/text/clean.ts';
import { closePdf } from '../../../files/paper/pdfkit.ts';
import { accentColors } from '../accent.ts';
import type { Card, ReportDocument } from '../document.ts';
import type { Band } from './blocks.ts';
import { createCanvas } from './canvas.ts';
import { cardBlocks } from './card-blocks.ts';
import { openTaggedPdf } from './open-pdf.ts';
import { closingBlocks, openingBlocks } from './opening.ts';
import { paginate } from './paginate.ts';
import { COLORS, PAPER_SIZES, type Paper, SHADES, TEXT } from './palette.ts';
import { createTypesetter, type Typesetter } from './typesetter.ts';

const MARGIN = { side: 42, top: 42, bottom: 54 };
const GUTTER = 24;
const CARD_GAP = 16;
const FOOT = 28;

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
  // The tiles and the first sentence repeat texts of the cards.
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
  const opening = { stacks: [{ x: 0, width, blocks: openingBlocks(report, width, set) }], above: 0 };
  const closing = { stacks: [{ x: 0, width, blocks: closingBlocks(report, width, set) }], above: CARD_GAP };
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
  return [[opening, ...cards], closing];
}

function inRows(cards: readonly Card[]): Card[][] {
  const rows: Card[][] = [];
  for (const card of cards) {
    const last = rows.at(-1);
    if (!card.isWide && last?.length === 1 && !last[0]?.isWide) last.push(card);
    else rows.push([card]);
  }
  return rows;
}

function textsOf(report: ReportDocument): string[] {
  const { kicker, title, story, note, range, coverage, comparedWith, tiles, cards, footer } = report;
  const texts = tiles.map(({ label, value, detail, change }) => [label, value, detail, change?.text]);
  const ofCards = cards.map(({ title, chart, legend, tables, notes, names }) => [
    title,
    chart?.columns.map(({ label }) => label),
    legend,
    tables.map(({ head, rows }) => [head, rows]),
    notes,
    names,
  ]);
  return stringsOf([kicker, title, story, note, range, coverage, comparedWith, texts, ofCards, footer]);
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
