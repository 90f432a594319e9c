/**
 * `npm run test:images [-- COUNT] [-- PART…]`: codes of every length, alphabet and level as PNG, SVG, PDF and EPS, rendered at 300 dpi by librsvg,
 * Poppler and Ghostscript, and read by two decoders that the product does not use (zbarimg, ZXingReader). Then the share that is still read
 * of what a camera makes of an image, codes with logos, sizes by other programs, the grids of labels by others, a terminal in two themes,
 * and the same bytes on three versions of Node. Parts: sheets formats camera sizes logos terminal nodes. Needs Debian's zbar-tools,
 * zxing-cpp-tools, librsvg2-bin, poppler-utils, ghostscript, imagemagick, libimage-exiftool-perl and tmux.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BLACK, WHITE } from '#base/color';
import { drawImage } from '#codes/images/draw-image';
import { encodeText, LEVELS } from '#codes/images/encode';
import { IMAGE_FORMATS, type ImageFormat } from '#codes/images/image-style';
import { checkCamera } from './camera.ts';
import { type Case, DECODERS } from './decoders.ts';
import { compareLabelSheets } from './label-sheets.ts';
import { checkLogos } from './logos.ts';
import { compareNodes } from './nodes.ts';
import { DPI, render } from './render.ts';
import { checkSizes } from './sizes.ts';
import { checkTerminal } from './terminal.ts';

const asked = process.argv.slice(2);
const count = Number(asked.find((word) => /^\d+$/.test(word)) ?? 2000);
const parts = asked.filter((word) => !/^\d+$/.test(word));
const isAsked = (part: string) => parts.length === 0 || parts.includes(part);

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
const directory = mkdtempSync(join(tmpdir(), 'qrctl-images-'));
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

async function checkFormat(format: ImageFormat, cases: readonly Case[]): Promise<void> {
  const folder = join(directory, format);
  mkdirSync(folder);
  for (const { name, text, level, mm } of cases) {
    const modules = encodeText(text, level);
    const style = { sizeMm: mm, dpi: DPI, quietZone: 4, level, color: BLACK, background: WHITE };
    const drawn = modules && (await drawImage({ text, modules }, format, style));
    if (!drawn || 'fault' in drawn) {
      wrong++;
      console.log(`${format}: ${name} was not drawn: ${drawn?.fault}`);
    } else writeFileSync(join(folder, `${name}.${format}`), drawn.bytes);
  }
  for (const { name } of cases) render(format, join(folder, name));
  for (const [decoder, read] of DECODERS) report(`${format} by ${decoder}`, cases, read(folder, cases));
}

function report(what: string, cases: readonly Case[], found: ReadonlyMap<string, string>): void {
  const unread = cases.filter(({ name }) => !found.has(name));
  const misread = cases.filter(({ name, text }) => found.has(name) && found.get(name) !== text);
  wrong += unread.length + misread.length;
  console.log(`${what}: ${cases.length} codes, ${unread.length} unread, ${misread.length} wrong`);
  for (const { text, name } of [...unread, ...misread].slice(0, 5))
    console.log(`  ${name}: ${text.slice(0, 60)} read as ${found.get(name)?.slice(0, 60)}`);
}

try {
  if (isAsked('sheets')) wrong += compareLabelSheets();
  if (['formats', 'camera', 'sizes'].some(isAsked)) {
    // What is distorted and measured are the first of them.
    const cases = Array.from({ length: isAsked('formats') ? count : 280 }, (_, at) => makeCase(at));
    for (const format of IMAGE_FORMATS) await checkFormat(format, cases);
    if (isAsked('camera')) checkCamera(directory, cases.slice(0, 280));
    if (isAsked('sizes')) wrong += checkSizes(directory);
  }
  if (isAsked('logos')) wrong += await checkLogos(directory);
  if (isAsked('terminal')) wrong += await checkTerminal(directory);
  if (isAsked('nodes')) wrong += await compareNodes(directory);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exit(wrong > 0 ? 1 : 0);
