/** A camera is no file: how many codes are still read when an image is blurred, turned, small or compressed. Told, not judged. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LEVELS } from '#codes/images/encode';
import { type Case, DECODERS } from './decoders.ts';

/** By ImageMagick's flags; codes have 5 pixels a module. */
const DISTORTIONS: readonly [string, string[]][] = [
  ['blurred', ['-blur', '0x1.2']],
  ['turned by 7°', ['-background', '#ddd', '-rotate', '7']],
  ['at 60 %', ['-resize', '60%']],
  ['as JPEG of quality 30', ['-quality', '30']],
  ['all four', ['-background', '#ddd', '-rotate', '7', '-resize', '60%', '-blur', '0x1.2', '-quality', '60']],
];

/** Of the images in the folder `png` of a directory. */
export function checkCamera(directory: string, cases: readonly Case[]): void {
  for (const [index, [what, flags]] of DISTORTIONS.entries()) {
    const folder = join(directory, `camera${index}`);
    mkdirSync(folder);
    for (const { name } of cases) {
      const photo = join(folder, `${name}.jpg`);
      const quality = flags.includes('-quality') ? [] : ['-quality', '90'];
      execFileSync('convert', [
        join(directory, 'png', `${name}.png`),
        '-colorspace',
        'Gray',
        ...flags,
        ...quality,
        photo,
      ]);
      execFileSync('convert', [photo, join(folder, `${name}.png`)]);
    }
    for (const [decoder, read] of DECODERS) {
      const found = read(folder, cases);
      const shares = LEVELS.map((level) => {
        const all = cases.filter((one) => one.level === level);
        const good = all.filter(({ name, text }) => found.get(name) === text).length;
        return `${level} ${Math.round((100 * good) / all.length)} %`;
      });
      console.log(`${what}, by ${decoder}: ${shares.join(', ')}`);
    }
  }
}
