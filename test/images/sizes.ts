/** The size of an image by other programs: exiftool reads PNG, pdfinfo PDF, Ghostscript EPS. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TOLERANCE_MM = 0.05;
const MM_A_POINT = 25.4 / 72;

/** Of the first images in each format's folder: how many have another size than their SVG says. */
export function checkSizes(directory: string): number {
  const names = readdirSync(join(directory, 'svg'))
    .filter((file) => file.endsWith('.svg'))
    .slice(0, 20)
    .map((file) => file.replace('.svg', ''));
  let wrong = 0;
  for (const name of names) {
    const text = readFileSync(join(directory, 'svg', `${name}.svg`), 'utf8');
    const wanted = Number(/ width="([\d.]+)mm" height="\1mm"/.exec(text)?.[1]);
    const across = Number(/ viewBox="0 0 (\d+) \1"/.exec(text)?.[1]);
    const sizes = {
      'PNG by exiftool': pngSize(join(directory, 'png', `${name}.png`)),
      'PDF by pdfinfo': pdfSize(join(directory, 'pdf', `${name}.pdf`)),
      'EPS by Ghostscript': epsSize(join(directory, 'eps', `${name}.eps`), across),
    };
    for (const [what, size] of Object.entries(sizes)) {
      if (Math.abs(size - wanted) <= TOLERANCE_MM) continue;
      wrong++;
      console.log(`${name}: ${what} is ${size.toFixed(3)} mm wide, and the SVG ${wanted}`);
    }
  }
  console.log(`sizes: ${names.length} images, ${wrong} off by more than ${TOLERANCE_MM} mm`);
  return wrong;
}

function pngSize(path: string): number {
  const out = execFileSync('exiftool', ['-j', '-n', path], { encoding: 'utf8' });
  const { ImageWidth, PixelsPerUnitX, PixelUnits } = JSON.parse(out)[0];
  return PixelUnits === 1 ? (ImageWidth / PixelsPerUnitX) * 1000 : Number.NaN;
}

function pdfSize(path: string): number {
  const out = execFileSync('pdfinfo', [path], { encoding: 'utf8' });
  return Number(/Page size:\s+([\d.]+) x \1/.exec(out)?.[1]) * MM_A_POINT;
}

/** Of the ink that Ghostscript draws, which is all modules `across` but the four of the quiet zone on each side. It takes white for none. */
function epsSize(path: string, across: number): number {
  const { stderr } = spawnSync('gs', [...'-q -dNOPAUSE -dBATCH -dSAFER -sDEVICE=bbox'.split(' '), path], {
    encoding: 'utf8',
  });
  const [left = Number.NaN, , right = Number.NaN] = (/HiResBoundingBox: (.*)/.exec(stderr)?.[1] ?? '')
    .split(' ')
    .map(Number);
  return ((right - left) * across * MM_A_POINT) / (across - 8);
}
