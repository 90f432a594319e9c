import type { Color } from '#base/color';
import type { Level, Modules } from './encode.ts';
import type { Rendering } from './render-apart.ts';

/** Converts a color to gray (0 to 255) as a decoder does (ITU-R BT.601). */
export function grayOf({ red, green, blue }: Color): number {
  return Math.round(0.299 * red + 0.587 * green + 0.114 * blue);
}

export function grayAt(rgb: Uint8Array, at: number): number {
  return grayOf({ red: rgb[at] ?? 0, green: rgb[at + 1] ?? 0, blue: rgb[at + 2] ?? 0 });
}

export interface Position {
  xMm: number;
  yMm: number;
}

export const IMAGE_FORMATS = ['png', 'svg', 'pdf', 'eps'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export interface Logo {
  /** Draws the logo to fit a square of `box` pixels. Throws UsageError if it can't be drawn at this size. */
  render(box: number, paper: Color): Promise<Rendering>;
}

export interface ImageStyle {
  /** Side of the image in mm, including the quiet zone. */
  sizeMm: number;
  dpi: number;
  quietZone: number;
  level: Level;
  color: Color;
  background: Color | undefined;
  /** Logo, which requires error correction level H. */
  logo?: Logo;
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
export const POINTS_A_MM = 72 / MM_AN_INCH;

export function formatNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}
