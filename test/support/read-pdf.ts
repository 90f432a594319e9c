/** Reads a PDF that write-pdf.ts wrote back into the areas of each page, by its own bytes alone (ISO 32000-1). */
import { inflateSync } from 'node:zlib';
import type { Area, Drawing, Overlay } from '#codes/images/drawing';
import { grayOf, POINTS_A_MM } from '#codes/images/image-style';
import { type Raster, rasterOfRgb } from '#codes/images/raster';
import { unfilter } from '#codes/images/read-png';
import { apply, combine, type Matrix } from './matrix.ts';

/** Reads the pages of a PDF in order. Throws Error if write-pdf.ts did not write it. */
export function readPdf(bytes: Buffer): Drawing[] {
  const objects = findObjects(bytes);
  const pages = [...objects.values()].filter(({ head }) => /\/Type \/Page\b(?!s)/.test(head));
  const rasters = new Map<number, Raster>();
  const rasterOf = (number: number) => {
    const raster = rasters.get(number) ?? readImage(objects.get(number));
    rasters.set(number, raster);
    return raster;
  };
  return pages.map(({ head }) => {
    const box = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(head);
    const content = objects.get(numberAfter(head, '/Contents'));
    if (!box || !content) throw new Error('a page has no size or no content');
    const [width = 0, height = 0] = box.slice(1).map(Number);
    const resources = objects.get(numberAfter(head, '/Resources'))?.head ?? '';
    const imageOf = (name: string) => rasterOf(numberAfter(resources, name));
    return readPage(content.stream.toString('latin1'), width, height, imageOf);
  });
}

interface PdfObject {
  /** All but the stream. */
  head: string;
  stream: Buffer;
}

/** By the table of offsets at the end: fonts may hold any bytes. */
function findObjects(bytes: Buffer): Map<number, PdfObject> {
  const end = bytes.toString('latin1', Math.max(0, bytes.length - 64));
  const table = bytes.toString('latin1', numberAfter(end, 'startxref'));
  const offsets = [...table.matchAll(/^(\d{10}) \d{5} n/gm)].map(([, offset]) => Number(offset));
  if (offsets.length === 0) throw new Error('it has no objects');
  const objects = new Map<number, PdfObject>();
  for (const [index, offset] of offsets.entries()) {
    const beginning = bytes.toString('latin1', offset, Math.min(bytes.length, offset + 4096));
    const streamAt = beginning.search(/\bstream\n/);
    const endAt = beginning.indexOf('endobj');
    const hasStream = streamAt >= 0 && (endAt < 0 || streamAt < endAt);
    const head = hasStream
      ? beginning.slice(0, streamAt)
      : bytes.toString('latin1', offset, bytes.indexOf('endobj', offset));
    const start = offset + streamAt + 'stream\n'.length;
    const stream = hasStream ? bytes.subarray(start, start + numberAfter(head, '/Length')) : Buffer.alloc(0);
    objects.set(index + 1, { head, stream });
  }
  return objects;
}

/** A logo, as PNG has it: three bytes a pixel, each row as its difference from the one above. */
function readImage(object: PdfObject | undefined): Raster {
  const side = numberAfter(object?.head ?? '', '/Width');
  if (!object || numberAfter(object.head, '/Height') !== side)
    throw new Error('a logo is missing, or is not a square');
  return rasterOfRgb(side, unfilter(inflateSync(object.stream), side * 3, side));
}

function numberAfter(text: string, key: string): number {
  return Number(new RegExp(`${key}\\s+(\\d+)`).exec(text)?.[1] ?? Number.NaN);
}

/** The areas that the operators of a page fill; text and lines are passed over. */
function readPage(
  content: string,
  width: number,
  height: number,
  imageOf: (name: string) => Raster,
): Drawing {
  const areas: Area[] = [];
  const overlays: Overlay[] = [];
  const saved: { matrix: Matrix; gray: number }[] = [];
  // PDF counts from below, a Drawing from above.
  let state = {
    matrix: [1 / POINTS_A_MM, 0, 0, -1 / POINTS_A_MM, 0, height / POINTS_A_MM] as Matrix,
    gray: 0,
  };
  let polygons: number[][] = [];
  let numbers: number[] = [];
  let name = '';
  const at = (index: number) => numbers[index] ?? Number.NaN;
  const operators: Readonly<Record<string, () => void>> = {
    q: () => saved.push(state),
    Q() {
      state = saved.pop() ?? state;
    },
    cm() {
      state = { ...state, matrix: combine([at(0), at(1), at(2), at(3), at(4), at(5)], state.matrix) };
    },
    scn() {
      const [red = 0, green = 0, blue = 0, black] = numbers;
      const light = grayOf({ red: red * 255, green: green * 255, blue: blue * 255 });
      state = { ...state, gray: black === undefined ? light : Math.round((1 - black) * 255) };
    },
    m: () => polygons.push(apply(state.matrix, at(0), at(1))),
    l: () => polygons.at(-1)?.push(...apply(state.matrix, at(0), at(1))),
    re() {
      const [x, y, right, down] = [at(0), at(1), at(0) + at(2), at(1) + at(3)];
      const corners = [x, y, right, y, right, down, x, down];
      polygons.push(
        [0, 2, 4, 6].flatMap((index) => apply(state.matrix, corners[index] ?? 0, corners[index + 1] ?? 0)),
      );
    },
    f() {
      areas.push({ polygons, gray: state.gray });
      polygons = [];
    },
    S() {
      polygons = [];
    },
    Do() {
      const [xMm, yMm] = apply(state.matrix, 0, 1);
      const [right, bottom] = apply(state.matrix, 1, 0);
      if (!(right > xMm && bottom > yMm)) throw new Error('a logo is turned around');
      overlays.push({ xMm, yMm, sideMm: right - xMm, raster: imageOf(name) });
    },
  };
  for (const [, token = ''] of content.replace(/\bBT\b[\s\S]*?\bET\b/g, '').matchAll(/(\S+)/g)) {
    const number = Number(token);
    if (!Number.isNaN(number)) numbers.push(number);
    else {
      if (Object.hasOwn(operators, token)) operators[token]?.();
      if (token.startsWith('/')) name = token;
      else numbers = [];
    }
  }
  return { widthMm: width / POINTS_A_MM, heightMm: height / POINTS_A_MM, areas, overlays };
}
