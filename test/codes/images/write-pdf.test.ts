/** Logos and inks of vector formats. */
import { describe, expect, it } from 'vitest';
import { drawImage } from '#codes/images/draw-image';
import { encodeText } from '#codes/images/encode';
import type { ImageFormat, ImageStyle, Logo } from '#codes/images/image-style';
import { readSvg } from '#codes/images/svg';
import { inkOf } from '#codes/images/write-pdf';
import { readPdf } from '../../support/read-pdf.ts';
import { STYLE as PLAIN } from './style.ts';

const TEXT = 'https://qr.example/aB3xY';

/** A square that is red. */
const LOGO: Logo = {
  render: async (box) => ({
    width: box,
    height: box,
    rgba: Buffer.alloc(4 * box * box, Buffer.from([204, 0, 0, 255])),
  }),
};

const MODULES = encodeText(TEXT, 'H') ?? expect.fail();
const STYLE: ImageStyle = { ...PLAIN, dpi: 30, level: 'H', logo: LOGO };

async function draw(format: ImageFormat): Promise<Buffer> {
  const drawn = await drawImage({ text: TEXT, modules: MODULES }, format, STYLE);
  return 'fault' in drawn ? expect.fail(drawn.fault) : drawn.bytes;
}

describe.each([
  ['pdf', (bytes: Buffer) => readPdf(bytes)[0]],
  ['svg', (bytes: Buffer) => readSvg(bytes.toString())],
] as const)('a logo in an image in %s format', (format, read) => {
  it('is a centered square of whole modules, with at least 240 pixels per side even for a 30 dpi printer', async () => {
    const [overlay = expect.fail(), ...others] = read(await draw(format))?.overlays ?? [];
    expect(others).toEqual([]);
    const moduleMm = 30 / (MODULES.size + 8);
    // The largest odd number of modules up to a fifth of the code.
    expect(MODULES.size).toBe(29);
    expect(overlay.sideMm).toBeCloseTo(5 * moduleMm, 3);
    expect([overlay.xMm, overlay.yMm]).toEqual(
      [16, 16].map((modules) => expect.closeTo(modules * moduleMm, 3)),
    );
    expect(overlay.raster.width).toBeGreaterThanOrEqual(240);
  });
});

describe('the ink in a PDF', () => {
  it.each([0, 51, 204, 255])('is only black for the gray level %d', (level) => {
    expect(inkOf({ red: level, green: level, blue: level })).toEqual(
      [0, 0, 0, 100 - level / 2.55].map((ink) => expect.closeTo(ink)),
    );
  });

  it('is the color itself unless its red, green and blue are equal', () => {
    expect(inkOf({ red: 255, green: 255, blue: 0 })).toBe('#ffff00');
    expect(inkOf({ red: 255, green: 0, blue: 0 })).toBe('#ff0000');
    expect(inkOf({ red: 255, green: 0, blue: 255 })).toBe('#ff00ff');
  });
});
