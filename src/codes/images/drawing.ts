/** Drawings of outlines: the one that PDF and EPS are written from, and the one read back from SVG. Areas are in the order in which they are filled. */
import { grayOf } from './color.ts';
import type { Modules } from './encode.ts';
import { type ImageStyle, modulesAcross } from './image-style.ts';
import type { Plate } from './logo.ts';
import { type Outline, traceOutlines } from './outlines.ts';
import { type Polygons, type Raster, rasterOfRgb } from './raster.ts';

export interface Area {
  /** Corners in mm from the upper left of the page; see Polygons. */
  readonly polygons: Polygons;
  /** 0 (black) to 255. */
  readonly gray: number;
}

export interface Overlay {
  readonly xMm: number;
  readonly yMm: number;
  readonly sideMm: number;
  /** Pixels of the square, at any resolution. */
  readonly raster: Raster;
}

export interface Drawing {
  readonly widthMm: number;
  readonly heightMm: number;
  readonly areas: readonly Area[];
  readonly overlays: readonly Overlay[];
}

/** A code as outlines in modules, traced once: a file is written from it, and it is verified. */
export interface Figure {
  /** Modules a side, those of the quiet zone included. */
  readonly across: number;
  /** Without the quiet zone. */
  readonly outlines: readonly Outline[];
  readonly style: ImageStyle;
  readonly plate: Plate | undefined;
}

export function createFigure(modules: Modules, style: ImageStyle, plate: Plate | undefined): Figure {
  return { across: modulesAcross(modules, style), outlines: traceOutlines(modules), style, plate };
}

export function drawingOf(
  { across, outlines, style, plate }: Figure,
  { xMm, yMm } = { xMm: 0, yMm: 0 },
): Drawing {
  const { background, color, quietZone, sizeMm } = style;
  const moduleMm = sizeMm / across;
  const toMm = (outline: Outline, offset: number) =>
    outline.map((value, at) => (at % 2 === 0 ? xMm : yMm) + (value + offset) * moduleMm);
  const square = [0, 0, across, 0, across, across, 0, across];
  const areas = [{ polygons: outlines.map((outline) => toMm(outline, quietZone)), gray: grayOf(color) }];
  if (background) areas.unshift({ polygons: [toMm(square, 0)], gray: grayOf(background) });
  return { widthMm: sizeMm, heightMm: sizeMm, areas, overlays: plate ? [overlayOf(plate)] : [] };

  function overlayOf({ offset, across: plateAcross, side, rgb }: Plate): Overlay {
    const cornerMm = (offset + quietZone) * moduleMm;
    return {
      xMm: xMm + cornerMm,
      yMm: yMm + cornerMm,
      sideMm: plateAcross * moduleMm,
      raster: rasterOfRgb(side, rgb),
    };
  }
}
