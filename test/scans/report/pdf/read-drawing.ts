/** Lists what the pages of a PDF show, one line per text, shape and image, in points from the top left corner. */
import { round } from '#files/paper/pdf-text';
import type { PdfDictionary, PdfFile } from './parse-pdf.ts';
import { fontsOf, type TaggedPdf } from './read-structure.ts';

export function readDrawing({ file, pages }: TaggedPdf): string[] {
  return pages.flatMap((page, at) => [`page ${at + 1}`, ...drawingOf(file, page)]);
}

const LINE = /^(?:(.*) )?([a-zA-Z]+)$/;

function drawingOf(file: PdfFile, page: PdfDictionary): string[] {
  const fonts = fontsOf(file, page);
  const [, , , height] = page.MediaBox as number[];
  const lines: string[] = [];
  let [color, lineColor, lineWidth, font, size, place] = ['', '', '', '', '', ''];
  let figures: number[][] = [];
  for (const line of file.stream(page.Contents).split('\n')) {
    const [, operands = '', operator = ''] = LINE.exec(line) ?? [];
    const values = operands.split(' ');
    const numbers = values.map(Number);
    const [x = 0, y = 0, width = 0, down = 0] = numbers;
    if (operator === 'scn') color = hexOf(numbers);
    if (operator === 'SCN') lineColor = hexOf(numbers);
    if (operator === 'w') lineWidth = operands;
    if (operator === 'Tf') [font = '', size = ''] = values;
    if (operator === 'Tm') place = `${values[4]} ${round((height ?? 0) - Number(values[5]))}`;
    if (operator === 'TJ') {
      const text = textOf(operands, fonts.get(font.slice(1)));
      lines.push(`text ${place} ${font} ${size} ${color} ${JSON.stringify(text)}`);
    }
    if (operator === 'cm' && x !== 1) lines.push(`image ${operands}`);
    if (operator === 'm') figures.push(numbers);
    if (operator === 'l' || operator === 'c') figures.at(-1)?.push(...numbers.slice(-2));
    if (operator === 're') figures.push([x, y, x + width, y + down]);
    if (operator === 'f') lines.push(...figures.map((points) => `fill ${boxOf(points)} ${color}`));
    if (operator === 'S')
      lines.push(...figures.map((points) => `line ${points.join(' ')} ${lineWidth} ${lineColor}`));
    if (operator === 'f' || operator === 'S') figures = [];
  }
  return lines;
}

function hexOf(parts: readonly number[]): string {
  return `#${Buffer.from(parts.map((part) => Math.round(part * 255))).toString('hex')}`;
}

/** Returns the left, top, width and height of a figure. */
function boxOf(points: readonly number[]): string {
  const [xs, ys] = [0, 1].map((axis) => points.filter((_, at) => at % 2 === axis)) as [number[], number[]];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [left, top, Math.max(...xs) - left, Math.max(...ys) - top].map(round).join(' ');
}

function textOf(glyphs: string, letters: ReadonlyMap<number, string> | undefined): string {
  const digits = [...glyphs.matchAll(/(?<=<)[0-9a-f]+(?=>)/g)].join('');
  return (digits.match(/.{4}/g) ?? [])
    .map((glyph) => letters?.get(Number.parseInt(glyph, 16)) ?? '?')
    .join('');
}
