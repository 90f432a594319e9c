import { inChunks } from '#base/collections';
import type { ReportDocument, ReportLogo, Tile } from '#scans/report/document';
import { type Block, paragraphBlocks } from './blocks.ts';
import { COLORS, TEXT, toneColor } from './palette.ts';
import { heightOf, type Line, type Typesetter } from './typesetter.ts';

const LOGO = { width: 150, height: 44 };

export function openingBlocks(report: ReportDocument, width: number, set: Typesetter): Block[] {
  const section = { set };
  const { note, range, coverage, comparedWith } = report;
  const logo = report.logo && fitLogo(report.logo);
  const room = logo ? width - logo.width - 20 : width;
  const title = { style: TEXT.title, width: room, above: 3, most: 4, isName: true, type: 'H1' };
  return [
    ...(logo ? [logoBlock(logo, width)] : []),
    ...paragraphBlocks(report.kicker, { style: TEXT.kicker, width: room, section }),
    ...paragraphBlocks(report.title, { ...title, section }),
    ...[range, ...coverage].flatMap((text, at) =>
      paragraphBlocks(text, { style: TEXT.range, width: room, above: at === 0 ? 4 : 0, section }),
    ),
    ...[report.story, ...note]
      .filter((text) => text !== '')
      .flatMap((text, at) =>
        paragraphBlocks(text, { style: TEXT.note, width, above: at === 0 ? 12 : 6, section, isName: true }),
      ),
    ...tileBlocks(report.tiles, width, set),
    ...paragraphBlocks(comparedWith ?? '', { style: TEXT.small, width, above: 6, section }),
  ];
}

function fitLogo(logo: ReportLogo): ReportLogo {
  const scale = Math.min(LOGO.width / logo.width, LOGO.height / logo.height);
  return { ...logo, width: logo.width * scale, height: logo.height * scale };
}

function logoBlock({ png, alt, width, height }: ReportLogo, across: number): Block {
  return {
    height: 0,
    keepsNext: true,
    draw(canvas, { x, y }) {
      const box = { x: x + across - width, y, width, height };
      canvas.draw('Figure', undefined, () => canvas.image(png, box), { alt, box });
    },
  };
}

const TILE_GAP = 8;
const TILE_PADDING = 10;
const MOST_ACROSS = 4;

function tileBlocks(tiles: readonly Tile[], width: number, set: Typesetter): Block[] {
  const rows = Math.ceil(tiles.length / MOST_ACROSS);
  return [...inChunks(tiles, Math.ceil(tiles.length / rows))].map((some, row): Block => {
    const own = (width - (some.length - 1) * TILE_GAP) / some.length;
    const shown = some.map((tile) => tileLines(tile, own - 2 * TILE_PADDING, set));
    const height =
      shown.reduce((all, lines) => Math.max(all, heightOf(lines.flat())), 0) + 2 * TILE_PADDING - 2;
    return {
      height,
      above: row === 0 ? 16 : TILE_GAP,
      draw(canvas, { x, y }) {
        for (const [at, paragraphs] of shown.entries()) {
          const left = x + at * (own + TILE_GAP);
          canvas.artifact(() => canvas.fill({ x: left, y, width: own, height }, COLORS.tile, 6));
          const group = canvas.element('Div');
          let top = y + TILE_PADDING - 1;
          for (const lines of paragraphs)
            canvas.draw('P', group, () => {
              top = canvas.lines(lines, { x: left + TILE_PADDING, y: top });
            });
          group.end();
        }
      },
    };
  });
}

function tileLines({ label, value, detail, change }: Tile, width: number, set: Typesetter): Line[][] {
  const color = toneColor(change?.tone) ?? COLORS.soft;
  return [
    set.lines(label, { style: TEXT.tileLabel, width, isName: true }),
    valueLines(value, width, set),
    ...(change
      ? [set.lines(change.text, { style: { ...TEXT.tileDetail, weight: 600, color }, width, isName: true })]
      : []),
    ...(detail === '' ? [] : [set.lines(detail, { style: TEXT.tileDetail, width, isName: true })]),
  ];
}

const LEAST_VALUE = 12;

function valueLines(value: string, width: number, set: Typesetter): Line[] {
  const style = TEXT.tileValue;
  const natural = set.line(value, style).width;
  if (natural <= width) return set.lines(value, { style, width, isName: true });
  const size = Math.max(LEAST_VALUE, (style.size * width) / natural - 0.01);
  const leading = size === LEAST_VALUE ? LEAST_VALUE * 1.2 : style.leading;
  return set.lines(value, { style: { ...style, size, leading }, width, most: 2, isName: true });
}

export function closingBlocks({ footer }: ReportDocument, width: number, set: Typesetter): Block[] {
  const rule: Block = {
    height: 8,
    keepsNext: true,
    draw: (canvas, { x, y }) => canvas.artifact(() => canvas.fill({ x, y, width, height: 0.5 }, COLORS.line)),
  };
  const sentences = footer.flatMap((text) =>
    paragraphBlocks(text, { style: TEXT.small, width, above: 3, section: { set } }),
  );
  return [rule, ...sentences];
}
