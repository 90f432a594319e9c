/** Writes an image as SVG: one outline in modules, and the size in millimeters. */
import { formatColor } from './color.ts';
import type { Modules } from './encode.ts';
import { formatNumber, type ImageStyle, modulesAcross } from './image-style.ts';
import type { Plate } from './logo.ts';
import { type Outline, traceOutlines } from './outlines.ts';
import { formatPlate } from './write-png.ts';

export function writeSvg(modules: Modules, style: ImageStyle, plate: Plate | undefined): string {
  const across = modulesAcross(modules, style);
  const size = `${formatNumber(style.sizeMm)}mm`;
  const { background, color, quietZone } = style;
  // Print programs support only the older name of a link.
  const names = `xmlns="http://www.w3.org/2000/svg"${plate ? ' xmlns:xlink="http://www.w3.org/1999/xlink"' : ''}`;
  const lines = [
    `<svg ${names} width="${size}" height="${size}" viewBox="0 0 ${across} ${across}">`,
    background ? `<path fill="${formatColor(background)}" d="M0 0h${across}v${across}h-${across}z"/>` : [],
    `<path fill="${formatColor(color)}" d="${formatPath(traceOutlines(modules), quietZone)}"/>`,
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

/** Path data (SVG 2, 9.3) of outlines that are moved to the right and down. */
function formatPath(outlines: readonly Outline[], offset: number): string {
  return outlines.map((outline) => formatOutline(outline, offset)).join('');
}

function formatOutline(outline: Outline, offset: number): string {
  let path = `M${(outline[0] ?? 0) + offset} ${(outline[1] ?? 0) + offset}`;
  for (let at = 2; at < outline.length; at += 2) {
    const right = (outline[at] ?? 0) - (outline[at - 2] ?? 0);
    const down = (outline[at + 1] ?? 0) - (outline[at - 1] ?? 0);
    path += right === 0 ? `v${down}` : `h${right}`;
  }
  return `${path}z`;
}
