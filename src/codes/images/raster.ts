import { grayAt } from './image-style.ts';

export interface Raster {
  width: number;
  height: number;
  /** Gray values from 0 (black) to 255, row by row. */
  gray: Uint8Array;
}

export function createRaster(width: number, height: number, gray: number): Raster {
  return { width, height, gray: new Uint8Array(width * height).fill(gray) };
}

export function rasterOfRgb(side: number, rgb: Uint8Array): Raster {
  if (rgb.length !== side * side * 3) throw new Error('a logo has too few or too many pixels');
  const gray = Uint8Array.from({ length: side * side }, (_, at) => grayAt(rgb, 3 * at));
  return { width: side, height: side, gray };
}

export type Polygons = readonly (readonly number[])[];

/** Fills the pixels whose centers are inside an odd number of polygons with horizontal and vertical sides. */
export function fillPolygons({ width, height, gray }: Raster, polygons: Polygons, shade: number): void {
  const crossings = Array.from({ length: height }, (): number[] => []);
  for (const polygon of polygons) {
    for (let at = 0; at < polygon.length; at += 2) {
      const [x = 0, y = 0] = [polygon[at], polygon[at + 1]];
      const nextY = polygon[(at + 3) % polygon.length] ?? 0;
      // A horizontal side crosses no row, so crossings are in pairs.
      for (const edges of crossings.slice(firstPixel(Math.min(y, nextY)), firstPixel(Math.max(y, nextY))))
        edges.push(x);
    }
  }
  for (const [row, edges] of crossings.entries()) {
    edges.sort((a, b) => a - b);
    for (let at = 0; at < edges.length; at += 2) {
      const [left, right] = [firstPixel(edges[at] ?? 0), firstPixel(edges[at + 1] ?? 0)];
      gray.fill(shade, row * width + Math.min(width, left), row * width + Math.min(width, right));
    }
  }
}

function firstPixel(position: number): number {
  return Math.max(0, Math.ceil(position - 0.5));
}

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
        for (const end = at + factor; at < end; at++) sums[x] = (sums[x] ?? 0) + (raster.gray[at] ?? 0);
      }
    }
    for (let x = 0; x < width; x++) small.gray[y * width + x] = Math.round((sums[x] ?? 0) / factor / factor);
  }
  return small;
}
