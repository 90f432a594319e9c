import type { Level, Modules } from './encode.ts';
import type { Rendering } from './render-apart.ts';

export interface Color {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

export const BLACK: Color = { red: 0, green: 0, blue: 0 };
export const WHITE: Color = { red: 255, green: 255, blue: 255 };

/** Parses `#rgb` or `#rrggbb`; undefined if invalid. */
export function parseColor(text: string): Color | undefined {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const full = digits.length === 6 ? digits : digits.replace(/./g, '$&$&');
  const part = (at: number) => Number.parseInt(full.slice(at, at + 2), 16);
  return { red: part(0), green: part(2), blue: part(4) };
}

export function formatColor({ red, green, blue }: Color): string {
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Gray value that a decoder sees, 0 to 255 (ITU-R BT.601). */
export function grayOf({ red, green, blue }: Color): number {
  return Math.round(0.299 * red + 0.587 * green + 0.114 * blue);
}

/** Relative luminance, 0 to 1 (WCAG 2.2). */
export function luminanceOf({ red, green, blue }: Color): number {
  const linear = (part: number) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Contrast ratio, 1 to 21 (WCAG 2.2). */
export function contrastOf(one: Color, other: Color): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

export const IMAGE_FORMATS = ['png', 'svg', 'pdf', 'eps'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export interface Logo {
  /** Throws UsageError if this takes too much time or memory. */
  render(box: number, paper: Color): Promise<Rendering>;
}

export interface ImageStyle {
  /** Side in mm, including the quiet zone. */
  readonly sizeMm: number;
  readonly dpi: number;
  readonly quietZone: number;
  readonly level: Level;
  readonly color: Color;
  readonly background: Color | undefined;
  /** Requires level H. */
  readonly logo?: Logo;
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

/** Formats a number with at most four decimals, independent of the machine. */
export function formatNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}
