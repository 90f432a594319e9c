import { formatColor, parseColor } from '#base/color';
import {
  type Area,
  type Drawing,
  type Figure,
  formatOutline,
  type Outline,
  type Overlay,
} from './drawing.ts';
import { formatNumber, grayOf } from './image-style.ts';
import type { Plate } from './logo.ts';
import { readPng } from './read-png.ts';
import { formatPlate } from './write-png.ts';

export function writeSvg({ across, outlines, style, plate }: Figure): string {
  const size = `${formatNumber(style.sizeMm)}mm`;
  const { background, color, quietZone } = style;
  // Uses `xlink:href`, because some print programs don't support `href`.
  const names = `xmlns="http://www.w3.org/2000/svg"${plate ? ' xmlns:xlink="http://www.w3.org/1999/xlink"' : ''}`;
  const lines = [
    `<svg ${names} width="${size}" height="${size}" viewBox="0 0 ${across} ${across}">`,
    background ? `<path fill="${formatColor(background)}" d="M0 0h${across}v${across}h-${across}z"/>` : [],
    `<path fill="${formatColor(color)}" d="${formatPath(outlines, quietZone)}"/>`,
    plate ? formatImage(plate, quietZone) : [],
    '</svg>',
  ];
  return `${lines.flat().join('\n')}\n`;
}

function formatImage(plate: Plate, quietZone: number): string {
  const [corner, data] = [plate.offset + quietZone, formatPlate(plate).toString('base64')];
  const place = `x="${corner}" y="${corner}" width="${plate.across}" height="${plate.across}"`;
  return `<image ${place} xlink:href="data:image/png;base64,${data}"/>`;
}

export function formatPath(outlines: readonly Outline[], offset: number): string {
  const corner = (x: number, y: number) => `M${x} ${y}`;
  const side = (right: number, down: number) => (right === 0 ? `v${down}` : `h${right}`);
  return outlines.map((outline) => `${formatOutline(outline, offset, corner, side)}z`).join('');
}

/** Reads the drawing from an SVG that `writeSvg` wrote. Throws Error if that fails. */
export function readSvg(text: string): Drawing {
  const root = /^<svg [^>]*width="([\d.]+)mm" height="([\d.]+)mm" viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(text);
  if (!root) throw new Error('it has no size in mm');
  const [widthMm = 0, heightMm = 0, across = 1, down = 1] = root.slice(1).map(Number);
  const scale = [widthMm / across, heightMm / down] as const;
  const areas = [...text.matchAll(/<path fill="([^"]*)" d="([^"]*)"\/>/g)].map(
    ([, fill = '', path = '']): Area => {
      const color = parseColor(fill);
      if (!color) throw new Error('it has an invalid color');
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
