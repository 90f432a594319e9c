import type { Size } from './label-grids.ts';

/** Positions in mm from the upper left corner of the label. */
export interface LabelLayout {
  readonly code: { readonly xMm: number; readonly yMm: number; readonly sizeMm: number };
  readonly caption: CaptionBox | undefined;
}

export interface CaptionBox extends Size {
  readonly xMm: number;
  readonly yMm: number;
  readonly lines: number;
  readonly align: 'left' | 'center';
}

/** Margin for sheets that a printer draws in at an angle. */
const PADDING_MM = 1.5;
/** Font size of captions: 8 points. */
export const FONT_SIZE_MM = 2.8;
export const LINE_MM = 3.4;
/** From this ratio on, a caption is next to the code, because the code above it would be small. */
const WIDE = 1.4;

/** Places the largest code that leaves space for a caption, or one of `sizeMm`. Returns undefined if it doesn't fit. */
export function layOutLabel(
  { widthMm, heightMm }: Size,
  { caption, sizeMm }: { caption: boolean; sizeMm: number | undefined },
): LabelLayout | undefined {
  const [width, height] = [widthMm - 2 * PADDING_MM, heightMm - 2 * PADDING_MM];
  const beside = caption && widthMm >= WIDE * heightMm;
  const room = beside || !caption ? Math.min(width, height) : Math.min(width, height - LINE_MM);
  const size = sizeMm ?? Math.floor(room * 10) / 10;
  if (size > room + 1e-6 || size <= 0) return undefined;
  if (!caption)
    return {
      code: { xMm: (widthMm - size) / 2, yMm: (heightMm - size) / 2, sizeMm: size },
      caption: undefined,
    };
  if (beside) {
    const lines = Math.max(1, Math.floor(height / LINE_MM));
    const box = {
      xMm: PADDING_MM + size,
      widthMm: width - size,
      yMm: PADDING_MM,
      heightMm: height,
      lines,
      align: 'left' as const,
    };
    return { code: { xMm: PADDING_MM, yMm: (heightMm - size) / 2, sizeMm: size }, caption: box };
  }
  const lines = Math.max(1, Math.floor((height - size) / LINE_MM));
  const top = (heightMm - size - lines * LINE_MM) / 2;
  const box = {
    xMm: PADDING_MM,
    widthMm: width,
    yMm: top + size,
    heightMm: lines * LINE_MM,
    lines,
    align: 'center' as const,
  };
  return { code: { xMm: (widthMm - size) / 2, yMm: top, sizeMm: size }, caption: box };
}
