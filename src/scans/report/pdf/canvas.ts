/**
 * Draws on the pages of a report. Positions are points from the start edge and the top: in a document from right to left, everything is
 * mirrored here and nowhere else. Content is either part of the structure or an artifact (ISO 32000-1, 14.8).
 */
import { drawPieces } from '../../../files/paper/pdf-text.ts';
import type { Pdf } from './open-pdf.ts';
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

export interface Canvas {
  /** Begins a page; drawing goes to the last one. */
  addPage(): void;
  /** Adds an element to the structure, by default to the document. */
  element(type: string, parent?: Element, options?: ElementOptions): Element;
  within(element: Element, draw: () => void): void;
  /** Draws decoration, which a screen reader skips. `type`: repeated on each page. */
  artifact(draw: () => void, type?: 'Layout' | 'Pagination'): void;
  fill(box: Box, color: string, radius?: number): void;
  fillAll(boxes: readonly Box[], color: string, radius?: number): void;
  stroke(points: readonly (readonly [x: number, y: number])[], color: string, width: number): void;
  image(png: Uint8Array, box: Box): void;
  /** Draws a line of text: `y` is its baseline; `x` its start, its end or its center. */
  text(line: Line, place: { x: number; y: number; align?: 'start' | 'end' | 'center'; color?: string }): void;
  /** Adds a bookmark to a height on the current page. */
  bookmark(title: string, y: number): void;
  end(): void;
}

interface CanvasOptions {
  width: number;
  direction: 'ltr' | 'rtl';
}

export function createCanvas(document: Pdf, { width, direction }: CanvasOptions): Canvas {
  const isMirrored = direction === 'rtl';
  const root = document.struct('Document');
  document.addStructure(root);

  const leftOf = ({ x, width: across }: Pick<Box, 'x' | 'width'>) =>
    round(isMirrored ? width - x - across : x);
  const toX = (x: number) => round(isMirrored ? width - x : x);
  const addBox = (box: Box, radius = 0) => {
    const [x, y, across, down] = [leftOf(box), round(box.y), round(box.width), round(box.height)];
    if (radius > 0) document.roundedRect(x, y, across, down, Math.min(radius, across / 2, down / 2));
    else document.rect(x, y, across, down);
  };

  return {
    addPage: () => void document.addPage(),
    element(type, parent = root, { alt, title, scope, box } = {}) {
      const element = document.struct(type, {
        ...(alt !== undefined && { alt }),
        ...(title !== undefined && { title }),
        ...(scope !== undefined && { scope }),
        ...(box && {
          bbox: [leftOf(box), round(box.y), leftOf(box) + round(box.width), round(box.y + box.height)],
        }),
      });
      parent.add(element);
      return element;
    },
    within(element, draw) {
      const { S: type } = (element as Element & { dictionary: { data: { S: string } } }).dictionary.data;
      const content = document.markStructureContent(type);
      draw();
      document.endMarkedContent();
      element.add(content);
    },
    artifact(draw, type = 'Layout') {
      document.markContent('Artifact', { type });
      draw();
      document.endMarkedContent();
    },
    fill(box, color, radius) {
      addBox(box, radius);
      document.fill(color);
    },
    fillAll(boxes, color, radius) {
      if (boxes.length === 0) return;
      for (const box of boxes) addBox(box, radius);
      document.fill(color);
    },
    stroke(points, color, lineWidth) {
      for (const [at, [x, y]] of points.entries()) {
        if (at === 0) document.moveTo(toX(x), round(y));
        else document.lineTo(toX(x), round(y));
      }
      document.lineWidth(lineWidth).lineJoin('round').stroke(color);
    },
    image: (png, box) =>
      void document.image(Buffer.from(png), leftOf(box), round(box.y), {
        width: box.width,
        height: box.height,
      }),
    text(line, { x, y, align = 'start', color = line.style.color }) {
      const { width: across, style, space } = line;
      if (line.text === '') return;
      const start = align === 'start' ? x : align === 'end' ? x - across : x - across / 2;
      document.fillColor(color).strokeColor(color);
      const draw = (line: Line, from: number) => {
        const left = leftOf({ x: from, width: line.width });
        drawPieces(document, line.pieces, { x: left, y: round(y), size: style.size });
      };
      draw(line, start);
      // A screen reader joins lines as they are.
      if (space) draw(space, start + across);
    },
    bookmark(title, y) {
      // Without a zoom of its own.
      document.outline.addItem(title, { fit: false, top: y, left: width } as { expanded?: boolean });
    },
    end: () => root.end(),
  };
}

/** Finer than any printer. */
function round(points: number): number {
  return Math.round(points * 100) / 100;
}
