/**
 * `npm run test:pictures [-- COUNT]`: codes of every length, alphabet and level as PNG, SVG, PDF and EPS, rendered at 300 dpi by librsvg,
 * Poppler and Ghostscript, and read by two decoders that the product does not use (zbarimg, ZXingReader). Then what a camera makes of a
 * picture: blurred, turned by 7°, at 60 %, as JPEG; the share that is still read, by level. Needs Debian's zbar-tools, zxing-cpp-tools,
 * librsvg2-bin, poppler-utils, ghostscript and imagemagick.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BLACK, WHITE } from '../../src/image/colour.ts';
import { drawPicture } from '../../src/image/draw-picture.ts';
import { encodeText, LEVELS, type Level } from '../../src/image/encode.ts';
import { PICTURE_FORMATS, type PictureFormat } from '../../src/image/picture.ts';
import { compareLabelSheets } from './label-sheets.ts';

const [count = 2000] = process.argv.slice(2).map(Number);
const DPI = 300;
const BATCH = 100;

/** What addresses are made of, and what else somebody may put into a template. */
const ALPHABETS: readonly [string, number][] = [
  ['0123456789', 700],
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$%*+-./:', 500],
  ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~.', 400],
  ['äöüßéèñçøåÄÖÜ abcdefgh', 150],
  ['абвгдежзийклмн', 120],
  ['東京都大阪府名古屋市横浜駅前店', 90],
  ['🎉🎪🍜🚲', 40],
];

interface Case {
  readonly name: string;
  readonly text: string;
  readonly level: Level;
  readonly mm: number;
}

/** The same on every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = createRandom(15);
const directory = mkdtempSync(join(tmpdir(), 'qrctl-pictures-'));
let wrong = 0;
function makeCase(at: number): Case {
  const [alphabet, most] = ALPHABETS[at % ALPHABETS.length] ?? ['a', 1];
  const letters = [...alphabet];
  // Short ones are what people print; every length up to the longest comes by.
  const length = 1 + Math.floor(random() ** 2 * most);
  const body = Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join('');
  const text = at % 2 === 0 ? `https://qr.example/${body}` : body.trim() || 'x';
  const level = LEVELS[Math.floor(at / ALPHABETS.length) % 4] ?? 'M';
  const modules = encodeText(text, level);
  if (!modules) throw new Error(`${length} of ${alphabet} do not fit`);
  return { name: `c${at}`, text, level, mm: Math.ceil((modules.size + 8) * 0.45) };
}

async function checkFormat(format: PictureFormat, cases: readonly Case[]): Promise<void> {
  const folder = join(directory, format);
  mkdirSync(folder);
  for (const { name, text, level, mm } of cases) {
    const modules = encodeText(text, level);
    const style = { sizeMm: mm, dpi: DPI, quietZone: 4, level, color: BLACK, background: WHITE };
    const drawn = modules && (await drawPicture({ text, modules }, format, style));
    if (!drawn || 'fault' in drawn) {
      wrong++;
      console.log(`${format}: ${name} was not drawn: ${drawn?.fault}`);
    } else writeFileSync(join(folder, `${name}.${format}`), drawn.bytes);
  }
  for (const { name } of cases) render(format, join(folder, name));
  for (const [decoder, read] of DECODERS) report(`${format} by ${decoder}`, cases, read(folder, cases));
}

/** NAME.FORMAT to NAME.png, or as it is. */
function render(format: PictureFormat, path: string): void {
  if (format === 'svg') execFileSync('rsvg-convert', ['-d', `${DPI}`, '-p', `${DPI}`, `${path}.svg`, '-o', `${path}.png`]);
  if (format === 'pdf')
    execFileSync('pdftoppm', ['-r', `${DPI}`, '-gray', '-png', '-singlefile', `${path}.pdf`, path], { stdio: 'ignore' });
  if (format === 'eps') {
    execFileSync('gs', [
      ...'-q -dNOPAUSE -dBATCH -dSAFER -dEPSCrop -sDEVICE=pnggray'.split(' '),
      `-r${DPI}`,
      `-sOutputFile=${path}.png`,
      `${path}.eps`,
    ]);
  }
}

type Read = (folder: string, cases: readonly Case[]) => Map<string, string>;

const DECODERS: readonly [string, Read][] = [
  ['zbarimg', readByZbar],
  ['ZXingReader', readByZxing],
];

const RUN = { encoding: 'utf8', maxBuffer: 2 ** 28, env: { ...process.env, LC_ALL: 'C.UTF-8' } } as const;

function readByZbar(folder: string, cases: readonly Case[]): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < cases.length; at += BATCH) {
    const files = cases.slice(at, at + BATCH).map(({ name }) => `${name}.png`);
    const { stdout } = spawnSync('zbarimg', ['-q', '--nodbus', '--xml', '-Sdisable', '-Sqrcode.enable', ...files], {
      cwd: folder,
      ...RUN,
    });
    for (const [, file = '', inner = ''] of stdout.matchAll(/<source href='([^']*)\.png'>([\s\S]*?)<\/source>/g)) {
      const data = /<data><!\[CDATA\[([\s\S]*?)\]\]><\/data>/.exec(inner)?.[1];
      if (data !== undefined) found.set(file, data);
    }
  }
  // Text that is not ASCII comes as Base64 in XML, and broken; alone it comes as it is.
  for (const { name } of cases.filter(({ text }) => /[^ -~]/.test(text))) {
    const { stdout } = spawnSync('zbarimg', ['-q', '--nodbus', '--raw', '-Sdisable', '-Sqrcode.enable', `${name}.png`], {
      cwd: folder,
      ...RUN,
    });
    if (stdout !== '') found.set(name, stdout.replace(/\n$/, ''));
  }
  return found;
}

function readByZxing(folder: string, cases: readonly Case[]): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < cases.length; at += BATCH) {
    const files = cases.slice(at, at + BATCH).map(({ name }) => `${name}.png`);
    const { stdout } = spawnSync('ZXingReader', ['-1', '-format', 'QRCode', ...files], {
      cwd: folder,
      ...RUN,
    });
    for (const [, file = '', data = ''] of stdout.matchAll(/^(c\d+)\.png QRCode "(.*)"$/gm)) {
      // It writes what is not ASCII as `<U+6771>`.
      found.set(
        file,
        data.replace(/<U\+([0-9A-F]+)>/g, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16))),
      );
    }
  }
  return found;
}

function report(what: string, cases: readonly Case[], found: ReadonlyMap<string, string>): void {
  const unread = cases.filter(({ name }) => !found.has(name));
  const misread = cases.filter(({ name, text }) => found.has(name) && found.get(name) !== text);
  wrong += unread.length + misread.length;
  console.log(`${what}: ${cases.length} codes, ${unread.length} unread, ${misread.length} wrong`);
  for (const { text, name } of [...unread, ...misread].slice(0, 5))
    console.log(`  ${name}: ${text.slice(0, 60)} read as ${found.get(name)?.slice(0, 60)}`);
}

/** A camera is no file: how many are still read, by level. Told, not judged. */
function checkCamera(cases: readonly Case[]): void {
  const folder = join(directory, 'camera');
  mkdirSync(folder);
  const lens = ['-background', '#ddd', '-rotate', '7', '-resize', '60%', '-blur', '0x1.2', '-quality', '60'];
  for (const { name } of cases) {
    const photo = join(folder, `${name}.jpg`);
    execFileSync('convert', [join(directory, 'png', `${name}.png`), '-colorspace', 'Gray', ...lens, photo]);
    execFileSync('convert', [photo, join(folder, `${name}.png`)]);
  }
  for (const [decoder, read] of DECODERS) {
    const found = read(folder, cases);
    const shares = LEVELS.map((level) => {
      const all = cases.filter((one) => one.level === level);
      const good = all.filter(({ name, text }) => found.get(name) === text).length;
      return `${level} ${good}/${all.length}`;
    });
    console.log(`turned by 7°, at 60 %, blurred, as JPEG, by ${decoder}: ${shares.join(', ')}`);
  }
}

try {
  wrong += compareLabelSheets();
  const cases = Array.from({ length: count }, (_, at) => makeCase(at));
  for (const format of PICTURE_FORMATS) await checkFormat(format, cases);
  checkCamera(cases.slice(0, 280));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exit(wrong > 0 ? 1 : 0);
