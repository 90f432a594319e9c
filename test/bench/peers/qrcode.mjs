// Writes a PNG for each line `FILE TEXT` of a list, one after the other, by the npm package qrcode installed in a directory; reads none back.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [directory, list] = process.argv.slice(2);
const { toFile } = createRequire(join(directory, 'x.js'))('qrcode');
for (const line of readFileSync(list, 'utf8').split('\n')) {
  const [file, text] = line.split(' ');
  if (text) await toFile(file, text, { errorCorrectionLevel: 'M', margin: 4, scale: 11 });
}
