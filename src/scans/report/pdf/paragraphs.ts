import type { Block } from './blocks.ts';
import type { Canvas, Element } from './canvas.ts';
import { baselineOf, type TextStyle } from './palette.ts';
import type { Typesetter } from './typesetter.ts';

interface ParagraphOptions {
  style: TextStyle;
  /** In points. */
  width: number;
  above: number;
  /** Where the paragraph belongs; the document by default. */
  section: { set: Typesetter; element?: (canvas: Canvas) => Element };
  most?: number;
  /** It is untrusted: its direction is that of its first letter. */
  isName?: boolean;
  type?: string;
}

/** Returns one block per line; the first two stay together, and the last two. */
export function paragraphBlocks(text: string, options: ParagraphOptions): Block[] {
  const { style, width, above, section, most, isName = false, type = 'P' } = options;
  const lines = section.set.lines(text, { style, width, isName, ...(most !== undefined && { most }) });
  let element: Element | undefined;
  return lines.map(
    (line, at): Block => ({
      height: style.leading,
      ...(at === 0 && { above }),
      ...((at === 0 || at === lines.length - 2) && at < lines.length - 1 && { keepsNext: true }),
      draw(canvas, { x, y }) {
        element ??= canvas.element(type, section.element?.(canvas));
        canvas.within(element, () => canvas.text(line, { x, y: baselineOf(style, y) }));
        if (at === lines.length - 1) element.end();
      },
    }),
  );
}
