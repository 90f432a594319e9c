import { grayOf, parseColor } from './color.ts';
import type { Area, Drawing, Overlay } from './drawing.ts';
import { readPng } from './read-png.ts';

/** Reads the drawing of an SVG that write-svg.ts wrote, from its text alone. Throws Error for any other SVG. */
export function readSvg(text: string): Drawing {
  const root = /^<svg [^>]*width="([\d.]+)mm" height="([\d.]+)mm" viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(text);
  if (!root) throw new Error('it has no size in mm');
  const [widthMm = 0, heightMm = 0, across = 1, down = 1] = root.slice(1).map(Number);
  const scale = [widthMm / across, heightMm / down] as const;
  const areas = [...text.matchAll(/<path fill="([^"]*)" d="([^"]*)"\/>/g)].map(
    ([, fill = '', path = '']): Area => {
      const color = parseColor(fill);
      if (!color) throw new Error('it has a color that is none');
      return { polygons: readPath(path, scale), gray: grayOf(color) };
    },
  );
  const images = text.matchAll(
    /<image x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" [^>]*href="data:image\/png;base64,([^"]*)"\/>/g,
  );
  const overlays = [...images].map(([, x, y, side, data = '']): Overlay => {
    const { raster } = readPng(Buffer.from(data, 'base64'));
    return { xMm: Number(x) * scale[0], yMm: Number(y) * scale[1], sideMm: Number(side) * scale[0], raster };
  });
  return { widthMm, heightMm, areas, overlays };
}

function readPath(path: string, [scaleX, scaleY]: readonly [number, number]): number[][] {
  const polygons: number[][] = [];
  let x = 0;
  let y = 0;
  for (const [, command, numbers = ''] of path.matchAll(/([A-Za-z])([^A-Za-z]*)/g)) {
    const [first = 0, second = 0] = numbers.split(' ').map(Number);
    if (command === 'M') {
      [x, y] = [first, second];
      polygons.push([]);
    } else if (command === 'h') x += first;
    else if (command === 'v') y += first;
    else if (command === 'z') continue;
    else throw new Error(`it has the path command ${command}`);
    const polygon = polygons.at(-1);
    if (!polygon) throw new Error('it has a path without a start');
    polygon.push(x * scaleX, y * scaleY);
  }
  return polygons;
}
