/** Reads an EPS that write-eps.ts wrote back into areas, by its own text alone. */
import { greyOf } from './colour.ts';
import { type Area, apply, combine, type Drawing, type Matrix } from './drawing.ts';
import { POINTS_A_MM } from './picture.ts';

/** Throws an Error where the text is none of ours. */
export function readEps(text: string): Drawing {
  const box = /^%%HiResBoundingBox: 0 0 ([\d.]+) ([\d.]+)$/m.exec(text);
  if (!box) throw new Error('it has no bounding box');
  const [width = 0, height = 0] = box.slice(1).map(Number);
  const areas: Area[] = [];
  const stack: number[] = [];
  const pop = () => stack.pop() ?? Number.NaN;
  // PostScript counts from below, a Drawing from above.
  let matrix: Matrix = [1 / POINTS_A_MM, 0, 0, -1 / POINTS_A_MM, 0, height / POINTS_A_MM];
  let [x, y, grey] = [0, 0, 0];
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
      grey = Math.round(pop() * 255);
    },
    setrgbcolor() {
      const [blue, green, red] = [pop(), pop(), pop()].map((share) => share * 255);
      grey = greyOf({ red: red ?? 0, green: green ?? 0, blue: blue ?? 0 });
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
      areas.push({ polygons, grey });
      polygons = [];
    },
  };
  for (const token of tokensOf(text)) {
    const number = Number(token);
    if (!Number.isNaN(number)) stack.push(number);
    else if (Object.hasOwn(operators, token)) operators[token]?.();
    else throw new Error(`it has the operator ${token}`);
  }
  return { widthMm: width / POINTS_A_MM, heightMm: height / POINTS_A_MM, areas, overlays: [] };
}

/** What stands between the definitions and the end, without comments. */
function tokensOf(text: string): string[] {
  const begin = text.indexOf('/z {closepath} bind def\n');
  const end = text.lastIndexOf(' grestore end\n');
  if (begin < 0 || end < begin) throw new Error('it does not begin or end as it should');
  const body = text.slice(text.indexOf('\n', begin), end);
  return body
    .replace(/%[^\n]*/g, '')
    .split(/\s+/)
    .filter((token) => token !== '');
}
