import { type Color, formatColor } from '#base/color';
import { type Figure, formatOutline } from './drawing.ts';
import { formatNumber, POINTS_A_MM } from './image-style.ts';
import type { Plate } from './logo.ts';

const CORNER = (x: number, y: number) => `${x} ${y} m`;
const SIDE = (right: number, down: number) => (right === 0 ? ` ${down} v` : ` ${right} h`);

export function writeEps({ across, outlines, style, plate }: Figure): string {
  const points = style.sizeMm * POINTS_A_MM;
  const scale = formatNumber(points / across);
  const { background, color, quietZone } = style;
  const lines = [
    '%!PS-Adobe-3.0 EPSF-3.0',
    '%%Creator: qrctl',
    `%%BoundingBox: 0 0 ${Math.ceil(points)} ${Math.ceil(points)}`,
    `%%HiResBoundingBox: 0 0 ${formatNumber(points)} ${formatNumber(points)}`,
    '%%LanguageLevel: 2',
    '%%EndComments',
    // A separate dictionary avoids conflicts with names in the surrounding page.
    '4 dict begin gsave',
    '/m {moveto} bind def /h {0 rlineto} bind def /v {0 exch rlineto} bind def /z {closepath} bind def',
    `0 ${formatNumber(points)} translate ${scale} -${scale} scale`,
    background ? `${formatInk(background)} 0 0 m ${across} h ${across} v -${across} h z fill` : [],
    formatInk(color),
    ...outlines.map((outline) => `${formatOutline(outline, quietZone, CORNER, SIDE)} z`),
    plate ? ['fill', ...formatImage(plate, quietZone), 'grestore end'] : 'fill grestore end',
    '%%EOF',
  ];
  return `${lines.flat().join('\n')}\n`;
}

function formatImage({ across, offset, side, rgb }: Plate, quietZone: number): string[] {
  return [
    `gsave ${offset + quietZone} ${offset + quietZone} translate ${across} ${across} scale`,
    `${side} ${side} 8 [${side} 0 0 ${side} 0 0] {currentfile ${side * 3} string readhexstring pop} false 3 colorimage`,
    rgb.toString('hex').replace(/.{240}(?=.)/g, '$&\n'),
    'grestore',
  ];
}

/** Formats a color. Gray uses one ink, because mixed black prints with colored edges. */
function formatInk(color: Color): string {
  const { red, green, blue } = color;
  const share = (part: number) => formatNumber(part / 255);
  if (red === green && green === blue) return `${share(red)} setgray`;
  return `${share(red)} ${share(green)} ${share(blue)} setrgbcolor % ${formatColor(color)}`;
}
