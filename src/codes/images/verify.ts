/** Verifies images with a decoder that is independent of the encoder. */
import decodeQR from 'qr/decode.js';
import { messageOf, orUndefined } from '#base/errors';
import type { Drawing } from './drawing.ts';
import { type ImageFormat, MM_AN_INCH, type Position } from './image-style.ts';
import { createRaster, fillPolygons, type Raster, shrink } from './raster.ts';
import { readPng } from './read-png.ts';
import { readSvg } from './svg.ts';

export interface Expected {
  text: string;
  sizeMm: number;
  across: number;
  quietZone: number;
}

export function findFault(bytes: Buffer, format: ImageFormat, expected: Expected): string | undefined {
  try {
    if (format === 'png') {
      const { raster, sizeMm } = readPng(bytes);
      return sizeFault(sizeMm, expected) ?? rasterFault(raster, expected);
    }
    return drawingFault(readSvg(bytes.toString('utf8')), expected);
  } catch (error) {
    return `the image cannot be read back: ${messageOf(error)}`;
  }
}

export function drawingFault(drawing: Drawing, expected: Expected): string | undefined {
  return sizeFault(drawing.widthMm, expected) ?? placeFault(drawing, { xMm: 0, yMm: 0 }, expected);
}

export function placeFault(drawing: Drawing, place: Position, expected: Expected): string | undefined {
  return rasterFault(rasterOf(drawing, place, expected), expected);
}

/** Maximum error of a size in mm. PNG stores whole pixels per meter. */
const SIZE_TOLERANCE_MM = MM_AN_INCH / 1200;

function sizeFault(sizeMm: number, expected: Expected): string | undefined {
  if (Math.abs(sizeMm - expected.sizeMm) <= SIZE_TOLERANCE_MM) return undefined;
  return `the image is ${sizeMm.toFixed(2)} mm wide instead of ${expected.sizeMm} mm`;
}

const PIXELS_A_MODULE = 4;

function rasterOf(
  { areas, overlays }: Drawing,
  { xMm, yMm }: Position,
  { sizeMm, across }: Expected,
): Raster {
  const side = across * PIXELS_A_MODULE;
  const raster = createRaster(side, side, 255);
  const scale = side / sizeMm;
  for (const { polygons, gray } of areas) {
    const near = polygons.filter((polygon) => isNear(polygon, { xMm, yMm }, sizeMm));
    const moved = near.map((polygon) =>
      polygon.map((value, at) => (value - (at % 2 === 0 ? xMm : yMm)) * scale),
    );
    fillPolygons(raster, moved, gray);
  }
  for (const { xMm: left, yMm: top, sideMm, raster: image } of overlays) {
    layOver(raster, image, { left: (left - xMm) * scale, top: (top - yMm) * scale, side: sideMm * scale });
  }
  return raster;
}

/** Returns whether a polygon begins within one image width of the image, and so may reach into it. */
function isNear([x = 0, y = 0]: readonly number[], { xMm, yMm }: Position, sizeMm: number): boolean {
  const [right, down] = [x - xMm - sizeMm / 2, y - yMm - sizeMm / 2];
  return Math.max(Math.abs(right), Math.abs(down)) <= 1.5 * sizeMm;
}

function layOver(
  raster: Raster,
  image: Raster,
  { left, top, side }: { left: number; top: number; side: number },
): void {
  const last = (start: number) => Math.min(raster.width, Math.ceil(start + side - 0.5));
  for (let y = Math.max(0, Math.ceil(top - 0.5)); y < last(top); y++) {
    for (let x = Math.max(0, Math.ceil(left - 0.5)); x < last(left); x++) {
      const column = Math.floor(((x + 0.5 - left) / side) * image.width);
      const row = Math.floor(((y + 0.5 - top) / side) * image.height);
      raster.gray[y * raster.width + x] = image.gray[row * image.width + column] ?? 255;
    }
  }
}

/** I1, I2: returns a fault if the quiet zone or the decoded text is wrong. */
function rasterFault(raster: Raster, expected: Expected): string | undefined {
  const { text, across, quietZone } = expected;
  if (!hasQuietZone(raster, Math.round((quietZone * raster.width) / across)))
    return 'the quiet zone is not empty';
  const small = shrink(raster, Math.floor(raster.width / across / PIXELS_A_MODULE));
  const paper = quietZone > 0 ? (small.gray[0] ?? 255) : 255;
  const read = decode(pad(small, Math.ceil((4 * small.width) / across), paper));
  if (read === text) return undefined;
  return read === undefined ? 'the code cannot be decoded' : 'the code decodes to a different text';
}

function hasQuietZone({ width, height, gray }: Raster, margin: number): boolean {
  const light = gray[0] ?? 0;
  const isLight = (row: number, from: number, to: number) =>
    gray.subarray(row * width + from, row * width + to).every((shade) => shade === light);
  for (let row = 0; row < height; row++) {
    const isEdge = row < margin || row >= height - margin;
    if (!isLight(row, 0, isEdge ? width : margin) || !isLight(row, width - margin, width)) return false;
  }
  return true;
}

/** Adds the margin that the decoder requires. */
function pad(raster: Raster, margin: number, paper: number): Raster {
  const width = raster.width + 2 * margin;
  const padded = createRaster(width, raster.height + 2 * margin, paper);
  for (let y = 0; y < raster.height; y++) {
    const row = raster.gray.subarray(y * raster.width, (y + 1) * raster.width);
    padded.gray.set(row, (y + margin) * width + margin);
  }
  return padded;
}

export function decode({ width, height, gray }: Raster): string | undefined {
  // Passes only the gray values of I420, because the decoder reads no others. Sets no time limit, because
  // results would depend on load.
  return orUndefined(() => decodeQR({ width, height, data: gray }, { format: 'I420', timeLimit: Infinity }));
}
