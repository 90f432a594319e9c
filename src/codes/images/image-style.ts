import type { Color } from './color.ts';
import type { Level, Modules } from './encode.ts';
import type { Rendering } from './render-apart.ts';

export const IMAGE_FORMATS = ['png', 'svg', 'pdf', 'eps'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export interface Logo {
  /**
   * As large as fits into a square of `box` pixels, on paper of that color: without transparency. Throws UsageError if it takes too long or
   * too much memory at that size.
   */
  render(box: number, paper: Color): Promise<Rendering>;
}

export interface ImageStyle {
  /** Side of the whole image, including its quiet zone. */
  readonly sizeMm: number;
  /** Resolution of the printer; PNG has about as many pixels per inch. */
  readonly dpi: number;
  readonly quietZone: number;
  readonly level: Level;
  readonly color: Color;
  /** Undefined: transparent. */
  readonly background: Color | undefined;
  /** Logo in the center of the code; requires level H. */
  readonly logo?: Logo | undefined;
}

export function modulesAcross(
  { size }: Pick<Modules, 'size'>,
  { quietZone }: Pick<ImageStyle, 'quietZone'>,
): number {
  return size + 2 * quietZone;
}

export function moduleMm(
  modules: Pick<Modules, 'size'>,
  style: Pick<ImageStyle, 'quietZone' | 'sizeMm'>,
): number {
  return style.sizeMm / modulesAcross(modules, style);
}

export const MM_AN_INCH = 25.4;
/** Points (the unit of PostScript and PDF, 72 per inch) per mm. */
export const POINTS_A_MM = 72 / MM_AN_INCH;

/** Formats a number with at most four decimals, the same on every machine. */
export function formatNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}
