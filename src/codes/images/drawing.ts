import type { Modules } from './encode.ts';
import { grayOf, type ImageStyle, modulesAcross, type Position } from './image-style.ts';
import type { Plate } from './logo.ts';
import { type Polygons, type Raster, rasterOfRgb } from './raster.ts';

export interface Area {
  polygons: Polygons;
  gray: number;
}

export interface Overlay extends Position {
  sideMm: number;
  raster: Raster;
}

export interface Drawing {
  widthMm: number;
  heightMm: number;
  areas: readonly Area[];
  overlays: readonly Overlay[];
}

export interface Figure {
  across: number;
  outlines: readonly Outline[];
  style: ImageStyle;
  plate?: Plate;
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
    const sideMm = plateAcross * moduleMm;
    return { xMm: xMm + cornerMm, yMm: yMm + cornerMm, sideMm, raster: rasterOfRgb(side, rgb) };
  }
}

/** Corners of a closed line (x, y, x, y …). Horizontal and vertical sides alternate. */
export type Outline = readonly number[];

export function formatOutline(
  outline: Outline,
  offset: number,
  corner: (x: number, y: number) => string,
  side: (right: number, down: number) => string,
): string {
  let path = corner((outline[0] ?? 0) + offset, (outline[1] ?? 0) + offset);
  for (let at = 2; at < outline.length; at += 2)
    path += side(
      (outline[at] ?? 0) - (outline[at - 2] ?? 0),
      (outline[at + 1] ?? 0) - (outline[at - 1] ?? 0),
    );
  return path;
}

/** Turns in order of preference: right, straight, left, back. This separates areas that touch at a corner. */
const TURNS = [1, 0, 3, 2];

/**
 * Traces dark areas. Each edge occurs once, so renderers leave no gaps. Lines run clockwise around dark areas
 * and counterclockwise around light holes, so both fill rules work.
 */
export function traceOutlines({ size, isDark }: Pick<Modules, 'size' | 'isDark'>): Outline[] {
  const width = size + 1;
  const leaving = new Uint8Array(width * width);
  const add = (x: number, y: number, direction: number) => {
    const at = y * width + x;
    leaving[at] = (leaving[at] ?? 0) | (1 << direction);
  };
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (!isDark(x, y)) continue;
      if (!isDark(x, y - 1)) add(x, y, 0);
      if (!isDark(x + 1, y)) add(x + 1, y, 1);
      if (!isDark(x, y + 1)) add(x + 1, y + 1, 2);
      if (!isDark(x - 1, y)) add(x, y + 1, 3);
    }
  }
  const outlines: Outline[] = [];
  for (const start of leaving.keys()) {
    while (leaving[start]) outlines.push(follow(leaving, start, width));
  }
  return outlines;
}

function follow(leaving: Uint8Array, start: number, width: number): Outline {
  const corners: number[] = [];
  const steps = [1, width, -1, -width];
  let at = start;
  let direction = 3;
  do {
    const [before, left] = [direction, leaving[at] ?? 0];
    direction = TURNS.map((turn) => (before + turn) % 4).find((turned) => left & (1 << turned)) ?? 0;
    if (direction !== before) corners.push(at % width, Math.floor(at / width));
    leaving[at] = left & ~(1 << direction);
    at += steps[direction] ?? 0;
  } while (at !== start);
  return corners;
}
