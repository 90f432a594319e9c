/** What is asked of a picture, and the measures that follow from it. */
import type { Colour } from './colour.ts';
import type { Level, Modules } from './encode.ts';
import type { Rendering } from './render-apart.ts';

export const PICTURE_FORMATS = ['png', 'svg', 'pdf', 'eps'] as const;
export type PictureFormat = (typeof PICTURE_FORMATS)[number];

/** What load-logo.ts makes of a file. */
export interface Logo {
  /**
   * As large as fits into a square of `box` pixels, on paper of that colour: without transparency. Throws UsageError if it takes too long or
   * too much memory at that size.
   */
  render(box: number, paper: Colour): Promise<Rendering>;
}

export interface PictureStyle {
  /** Side of the whole picture, its quiet zone included. */
  readonly sizeMm: number;
  /** Dots of the printer an inch; PNG has about as many pixels. */
  readonly dpi: number;
  /** Modules of light around the code. */
  readonly quietZone: number;
  /** The least level of error correction. */
  readonly level: Level;
  readonly color: Colour;
  /** Undefined: whatever the picture is laid on. */
  readonly background: Colour | undefined;
  /** In the middle of the code; it wants level H. */
  readonly logo?: Logo | undefined;
}

/** Modules a side with the quiet zone. */
export function modulesAcross({ size }: Pick<Modules, 'size'>, { quietZone }: Pick<PictureStyle, 'quietZone'>): number {
  return size + 2 * quietZone;
}

/** Side of a module. */
export function moduleMm(modules: Pick<Modules, 'size'>, style: Pick<PictureStyle, 'quietZone' | 'sizeMm'>): number {
  return style.sizeMm / modulesAcross(modules, style);
}

export const MM_AN_INCH = 25.4;
/** PostScript's and PDF's unit: 72 an inch. */
export const POINTS_A_MM = 72 / MM_AN_INCH;

/** A number with at most four decimals, the same on every machine. */
export function formatNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}
