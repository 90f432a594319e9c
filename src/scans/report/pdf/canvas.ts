/** Draws in points from the top and the start edge (the right edge in right-to-left reports). */
import { drawPieces, round } from '#files/paper/pdf-text';
import type { Pdf } from './open-pdf.ts';
import { baselineOf } from './palette.ts';
import type { Line } from './typesetter.ts';

export type Element = PDFKit.PDFStructureElement;

interface ElementOptions {
  alt?: string;
  title?: string;
  scope?: 'Row' | 'Column';
  box?: Box;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface TextPlace {
  x: number;
  y: number;
  align?: 'start' | 'end' | 'center';
  color?: string;
}

export type Canvas = ReturnType<typeof createCanvas>;

interface Look {
  width: number;
  direction: 'ltr' | 'rtl';
  colorOf(color: string): string;
}

export function createCanvas(document: Pdf, { width, direction, colorOf }: Look) {
  const isMirrored = direction === 'rtl';
  const root = document.struct('Document');
  document.addStructure(root);

  const leftOf = ({ x, width: across }: Pick<Box, 'x' | 'width'>) =>
    round(isMirrored ? width - x - across : x);
  const toX = (x: number) => leftOf({ x, width: 0 });
  const canvas = {
    addPage: () => void document.addPage(),
    element(type: string, parent: Element = root, { box, ...options }: ElementOptions = {}): Element {
      const bbox = (b: Box): [number, number, number, number] => {
        return [leftOf(b), round(b.y), leftOf(b) + round(b.width), round(b.y + b.height)];
      };
      const element = document.struct(type, { ...options, ...(box && { bbox: bbox(box) }) });
      parent.add(element);
      return element;
    },
    within(element: Element, draw: () => void): void {
      const { S: type } = (element as Element & { dictionary: { data: { S: string } } }).dictionary.data;
      const content = document.markStructureContent(type);
      draw();
      document.endMarkedContent();
      element.add(content);
    },
    draw(type: string, parent: Element | undefined, draw: () => void, options?: ElementOptions): void {
      const element = canvas.element(type, parent, options);
      canvas.within(element, draw);
      element.end();
    },
    /** Draws decoration that screen readers skip. */
    artifact(draw: () => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
      document.markContent('Artifact', { type });
      draw();
      document.endMarkedContent();
    },
    fill(boxes: Box | readonly Box[], color: string, radius = 0): void {
      const all = [boxes].flat();
      for (const box of all) {
        const [x, y, across, down] = [leftOf(box), round(box.y), round(box.width), round(box.height)];
        if (radius > 0) document.roundedRect(x, y, across, down, Math.min(radius, across / 2, down / 2));
        else document.rect(x, y, across, down);
      }
      if (all.length > 0) document.fill(colorOf(color));
    },
    stroke(points: readonly (readonly [x: number, y: number])[], color: string, lineWidth: number): void {
      for (const [at, [x, y]] of points.entries()) {
        if (at === 0) document.moveTo(toX(x), round(y));
        else document.lineTo(toX(x), round(y));
      }
      document.lineWidth(lineWidth).lineJoin('round').stroke(color);
    },
    image(png: Uint8Array, { width, height, ...corner }: Box): void {
      const x = leftOf({ x: corner.x, width });
      document.image(Buffer.from(png), x, round(corner.y), { width, height });
    },
    text(line: Line, { x, y, align = 'start', color = line.style.color }: TextPlace): void {
      const { width: across, style, space } = line;
      if (line.text === '') return;
      const start = x - { start: 0, center: across / 2, end: across }[align];
      document.fillColor(colorOf(color)).strokeColor(colorOf(color));
      const draw = ({ pieces, width }: Line, from: number) =>
        drawPieces(document, pieces, { x: leftOf({ x: from, width }), y: round(y), size: style.size });
      draw(line, start);
      if (space) draw(space, start + across);
    },
    lines(lines: readonly Line[], { y, ...place }: TextPlace): number {
      let top = y;
      for (const line of lines) {
        canvas.text(line, { ...place, y: baselineOf(line.style, top) });
        top += line.style.leading;
      }
      return top;
    },
    bookmark(title: string, y: number): void {
      // `fit: false` keeps the viewer's zoom.
      document.outline.addItem(title, { fit: false, top: y, left: width } as { expanded?: boolean });
    },
    end: () => root.end(),
  };
  return canvas;
}
