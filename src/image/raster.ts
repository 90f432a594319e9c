/** Grayscale pixels, and outlines filled into them: the input of the decoder. */
import { greyOf } from './colour.ts';

export interface Raster {
  readonly width: number;
  readonly height: number;
  /** 0 (black) to 255, row by row. */
  readonly grey: Uint8Array;
}

export function createRaster(width: number, height: number, grey: number): Raster {
  return { width, height, grey: new Uint8Array(width * height).fill(grey) };
}

/** Converts a square of RGB pixels, row by row, to gray. Throws if there are fewer or more. */
export function rasterOfRgb(side: number, rgb: Uint8Array): Raster {
  if (rgb.length !== side * side * 3) throw new Error('a logo has too few or too many pixels');
  const raster = createRaster(side, side, 255);
  for (let at = 0; at < raster.grey.length; at++) {
    const [red = 0, green = 0, blue = 0] = rgb.subarray(3 * at, 3 * at + 3);
    raster.grey[at] = greyOf({ red, green, blue });
  }
  return raster;
}

/** Closed lines of horizontal and vertical sides, x and y alternating, in pixels. */
export type Polygons = readonly (readonly number[])[];

/** Fills the pixels whose center is inside an odd number of outlines. */
export function fillPolygons({ width, height, grey }: Raster, polygons: Polygons, shade: number): void {
  const crossings = Array.from({ length: height }, (): number[] => []);
  for (const polygon of polygons) {
    for (let at = 0; at < polygon.length; at += 2) {
      const x = polygon[at] ?? 0;
      const next = (at + 2) % polygon.length;
      // Only an upright side crosses rows; a slant one is nothing that this program draws.
      if (Math.abs((polygon[next] ?? 0) - x) > 1e-6) continue;
      const [top = 0, bottom = 0] = [polygon[at + 1] ?? 0, polygon[next + 1] ?? 0].sort((a, b) => a - b);
      const last = Math.min(height, Math.ceil(bottom - 0.5));
      for (let row = Math.max(0, Math.ceil(top - 0.5)); row < last; row++) crossings[row]?.push(x);
    }
  }
  for (const [row, edges] of crossings.entries()) {
    edges.sort((a, b) => a - b);
    for (let at = 0; at + 1 < edges.length; at += 2) {
      const left = Math.max(0, Math.ceil((edges[at] ?? 0) - 0.5));
      const right = Math.min(width, Math.ceil((edges[at + 1] ?? 0) - 0.5));
      if (right > left) grey.fill(shade, row * width + left, row * width + right);
    }
  }
}

/** Shrinks a raster: each pixel is the mean of `factor` × `factor`. The remainder at the right and bottom is dropped. */
export function shrink(raster: Raster, factor: number): Raster {
  if (factor <= 1) return raster;
  const width = Math.floor(raster.width / factor);
  const height = Math.floor(raster.height / factor);
  const small = createRaster(width, height, 0);
  const sums = new Uint32Array(width);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (let row = y * factor; row < (y + 1) * factor; row++) {
      for (let x = 0, at = row * raster.width; x < width; x++) {
        for (const end = at + factor; at < end; at++) sums[x] = (sums[x] ?? 0) + (raster.grey[at] ?? 0);
      }
    }
    for (let x = 0; x < width; x++) small.grey[y * width + x] = Math.round((sums[x] ?? 0) / factor / factor);
  }
  return small;
}
