/** Images as pixels, by three renderers that the product does not use. */
import { execFileSync } from 'node:child_process';
import type { ImageFormat } from '#codes/images/image-style';

export const DPI = 300;

/** NAME.FORMAT to NAME.png, or as it is. */
export function render(format: ImageFormat, path: string, dpi = DPI): void {
  if (format === 'svg')
    execFileSync('rsvg-convert', ['-d', `${dpi}`, '-p', `${dpi}`, `${path}.svg`, '-o', `${path}.png`]);
  if (format === 'pdf')
    execFileSync('pdftoppm', ['-r', `${dpi}`, '-gray', '-png', '-singlefile', `${path}.pdf`, path], {
      stdio: 'ignore',
    });
  if (format === 'eps') {
    execFileSync('gs', [
      ...'-q -dNOPAUSE -dBATCH -dSAFER -dEPSCrop -sDEVICE=pnggray'.split(' '),
      `-r${dpi}`,
      `-sOutputFile=${path}.png`,
      `${path}.eps`,
    ]);
  }
}
