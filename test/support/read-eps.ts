/** Reads an EPS that write-eps.ts wrote back into areas, by its own text alone. */

import type { Area, Drawing, Overlay } from '#codes/images/drawing';
import { grayOf, POINTS_A_MM } from '#codes/images/image-style';
import { rasterOfRgb } from '#codes/images/raster';
import { apply, combine, type Matrix } from './matrix.ts';

/** Reads the drawing of an EPS. Throws Error if write-eps.ts did not write it. */
export function readEps(text: string): Drawing {
  const box = /^%%HiResBoundingBox: 0 0 ([\d.]+) ([\d.]+)$/m.exec(text);
  if (!box) throw new Error('it has no bounding box');
  const [width = 0, height = 0] = box.slice(1).map(Number);
  const areas: Area[] = [];
  const overlays: Overlay[] = [];
  const stack: number[] = [];
  const pop = () => stack.pop() ?? Number.NaN;
  // PostScript counts from below, a Drawing from above.
  let matrix: Matrix = [1 / POINTS_A_MM, 0, 0, -1 / POINTS_A_MM, 0, height / POINTS_A_MM];
  let [x, y, gray] = [0, 0, 0];
  let polygons: number[][] = [];
  const corner = () => polygons.at(-1)?.push(...apply(matrix, x, y));
  const operators: Readonly<Record<string, () => void>> = {
    translate() {
      const down = pop();
      matrix = combine([1, 0, 0, 1, pop(), down], matrix);
    },
    scale() {
      const vertical = pop();
      matrix = combine([pop(), 0, 0, vertical, 0, 0], matrix);
    },
    setgray() {
      gray = Math.round(pop() * 255);
    },
    setrgbcolor() {
      const [blue, green, red] = [pop(), pop(), pop()].map((share) => share * 255);
      gray = grayOf({ red: red ?? 0, green: green ?? 0, blue: blue ?? 0 });
    },
    m() {
      [y, x] = [pop(), pop()];
      polygons.push([]);
      corner();
    },
    h() {
      x += pop();
      corner();
    },
    v() {
      y += pop();
      corner();
    },
    z: () => undefined,
    fill() {
      areas.push({ polygons, gray });
      polygons = [];
    },
  };
  const { tokens, image } = tokensOf(text);
  for (const token of tokens) {
    const number = Number(token);
    if (!Number.isNaN(number)) stack.push(number);
    else if (Object.hasOwn(operators, token)) operators[token]?.();
    else throw new Error(`it has the operator ${token}`);
  }
  if (image) {
    const [corner, opposite] = [
      apply(matrix, image.corner, image.corner),
      apply(matrix, image.corner + image.across, 0),
    ];
    overlays.push({
      xMm: corner[0],
      yMm: corner[1],
      sideMm: opposite[0] - corner[0],
      raster: rasterOfRgb(image.side, image.rgb),
    });
  }
  return { widthMm: width / POINTS_A_MM, heightMm: height / POINTS_A_MM, areas, overlays };
}

interface Image {
  readonly corner: number;
  readonly across: number;
  /** Pixels a side. */
  readonly side: number;
  readonly rgb: Buffer;
}

const IMAGE =
  /gsave (\d+) \1 translate (\d+) \2 scale\n(\d+) \3 8 \[\3 0 0 \3 0 0\] \{currentfile \d+ string readhexstring pop\} false 3 colorimage\n([0-9a-f\n]*)grestore\n/;

/** What stands between the definitions and the end, without comments, and the square of a logo in it. */
function tokensOf(text: string): { tokens: string[]; image: Image | undefined } {
  const begin = text.indexOf('/z {closepath} bind def\n');
  const end = text.search(/\sgrestore end\n/);
  if (begin < 0 || end < begin) throw new Error('it does not begin or end as it should');
  const body = text.slice(text.indexOf('\n', begin), end + 1);
  const found = IMAGE.exec(body);
  const tokens = (found ? body.replace(found[0], '') : body)
    .replace(/%[^\n]*/g, '')
    .split(/\s+/)
    .filter((token) => token !== '');
  if (!found) return { tokens, image: undefined };
  const [corner = 0, across = 0, side = 0] = found.slice(1, 4).map(Number);
  return {
    tokens,
    image: { corner, across, side, rgb: Buffer.from((found[4] ?? '').replaceAll('\n', ''), 'hex') },
  };
}
