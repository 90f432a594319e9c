/** Files of logos at the limits of what is accepted, and logos that fail after they were loaded. */
import { describe, expect, it } from 'vitest';
import { WHITE } from '#base/color';
import { drawLogo, loadLogo } from '#codes/images/load-logo';
import { formatRendering } from '#codes/images/write-png';

const svg = (inner: string, viewBox = '0 0 10 10') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}">${inner}</svg>`;
const RED = svg('<circle cx="5" cy="5" r="5" fill="#c00"/>');

async function logoOf(source: string | Buffer) {
  const logo = await loadLogo(Buffer.from(source));
  return 'fault' in logo ? expect.fail(logo.fault) : logo;
}

async function faultOf(source: string | Buffer): Promise<string | undefined> {
  const logo = await loadLogo(Buffer.from(source));
  return 'fault' in logo ? logo.fault : undefined;
}

describe('a logo that was loaded', () => {
  it('is refused if it needs more than 512 MiB of memory, and the error has the size and a hint (I7)', async () => {
    await expect((await logoOf(RED)).render(65_536, WHITE)).rejects.toMatchObject({
      name: 'UsageError',
      message: 'the logo is damaged, or needs more than 512 MiB of memory to draw at 65536 pixels',
      hint: expect.stringContaining('PNG'),
    });
  });

  it('is not drawn once its signal is aborted, and drawing and loading reject with the abort reason', async () => {
    const abort = new AbortController();
    const logo = await loadLogo(Buffer.from(RED), abort.signal);
    if ('fault' in logo) return expect.fail(logo.fault);
    const reason = new Error('interrupted');
    abort.abort(reason);
    await expect(logo.render(10, WHITE)).rejects.toBe(reason);
    await expect(drawLogo(Buffer.from(RED), 10, abort.signal)).rejects.toBe(reason);
    await expect(loadLogo(Buffer.from(RED), abort.signal)).rejects.toBe(reason);
  });
});

describe('a logo with transparency', () => {
  it('keeps the colors in its file at each opacity, to within 3 of 255', async () => {
    const opacities = [0.2, 0.5, 0.8, 1];
    const bars = opacities.map(
      (opacity, x) => `<path d="M${x} 0h1v1h-1z" fill="#804020" fill-opacity="${opacity}"/>`,
    );
    const drawn = await drawLogo(Buffer.from(svg(bars.join(''), '0 0 5 1')), 5);
    if ('fault' in drawn) return expect.fail(drawn.fault);
    const pixels = [...opacities.keys()].map((x) => [...drawn.rgba.subarray(4 * x, 4 * x + 4)]);
    // Of a color that was multiplied by 0.2 in whole numbers, 2.5 are lost at most.
    const wanted = opacities.map((opacity) => [128, 64, 32, 255 * opacity]);
    for (const [at, pixel] of pixels.entries()) {
      const differences = pixel.map((value, part) => Math.abs(value - (wanted[at]?.[part] ?? 0)));
      expect(Math.max(...differences)).toBeLessThanOrEqual(3);
    }
    expect([...drawn.rgba.subarray(16)]).toEqual([0, 0, 0, 0]);
  });
});

describe('a logo file', () => {
  it('is accepted with an aspect ratio of up to 8:1, upright or wide', async () => {
    const shape = '<path d="M0 0h9v9z"/>';
    for (const viewBox of ['0 0 80 10', '0 0 10 80'])
      expect(await faultOf(svg(shape, viewBox))).toBeUndefined();
    for (const viewBox of ['0 0 81 10', '0 0 10 81'])
      expect(await faultOf(svg(shape, viewBox))).toBe('has an aspect ratio above 8:1');
  });

  it('may begin with a byte order mark or spaces, but not with text', async () => {
    expect(await faultOf(`\ufeff${RED}`)).toBeUndefined();
    expect(await faultOf(`\n ${RED}`)).toBeUndefined();
    expect(await faultOf(`no SVG ${RED}`)).toBe('is neither a PNG nor an SVG file');
  });

  it("is refused if the renderer can't draw it", async () => {
    const sized = RED.replace('<svg', '<svg width="0" height="9"');
    expect(await faultOf(sized)).toBe('cannot be drawn: SVG has an invalid size');
  });

  it('is refused if it is a PNG above 4096 × 4096 pixels, or a PNG with a damaged header', async () => {
    const png = formatRendering({ width: 1, height: 1, rgba: Buffer.from([255, 0, 0, 255]) });
    expect(await faultOf(png)).toBeUndefined();
    const withSize = (width: number, height: number) => {
      const copy = Buffer.from(png);
      copy.writeUInt32BE(width, 16);
      copy.writeUInt32BE(height, 20);
      return copy;
    };
    expect(await faultOf(withSize(4097, 4096))).toBe('is 4097 × 4096 pixels (limit: 4096 × 4096)');
    expect(await faultOf(withSize(4096, 4096))).toBe('is blank or damaged');
    expect(await faultOf(withSize(0, 1))).toBe('is a damaged PNG');
    expect(await faultOf(withSize(1, 0))).toBe('is a damaged PNG');
    expect(await faultOf(png.subarray(0, 32))).toBe('is a damaged PNG');
    expect(await faultOf(png.subarray(0, 33))).toBe('is blank or damaged');
  });
});
