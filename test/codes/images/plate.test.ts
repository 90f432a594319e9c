/** The square of a logo, whose pixels are drawn here instead of by the renderer. */
import { describe, expect, it } from 'vitest';
import { type Color, parseColor, WHITE } from '#base/color';
import type { ImageStyle, Logo } from '#codes/images/image-style';
import { clearPlate, plateOf } from '#codes/images/logo';
import { STYLE } from './style.ts';

const CREAM = parseColor('#ffeecc') ?? WHITE;

/** A logo that is `width` × `height` of the square's side, each pixel with its position; records what it was drawn for. */
function logoOf(width: number, height: number): Logo & { drawn: [number, Color][] } {
  const drawn: [number, Color][] = [];
  return {
    drawn,
    render: async (box, paper) => {
      drawn.push([box, paper]);
      const [across, down] = [Math.round(box * width), Math.round(box * height)];
      const pixels = Array.from({ length: across * down }, (_, at) => [
        at % across,
        Math.floor(at / across),
        1,
        255,
      ]);
      return { width: across, height: down, rgba: Uint8Array.from(pixels.flat()) };
    },
  };
}

const styleOf = (logo: Logo | undefined, more: Partial<ImageStyle> = {}): ImageStyle => {
  return { ...STYLE, level: 'H', logo, ...more };
};

const draw = async (size: number, style: ImageStyle, pixels?: number) =>
  (await plateOf({ size }, style, pixels)) ?? expect.fail('no plate');

describe('the plate for a logo', () => {
  it.each([
    [21, 3, 9],
    [25, 5, 10],
    [29, 5, 12],
    [33, 5, 14],
    [37, 7, 15],
    [177, 35, 71],
  ])(
    'in a code of %d modules is %d modules wide, and begins at module %d (I6)',
    async (size, across, offset) => {
      expect(await draw(size, styleOf(logoOf(1, 1)), 2)).toMatchObject({ across, offset, side: 2 * across });
      const all = { size, version: 1, level: 'H', isDark: () => true } as const;
      const { isDark } = clearPlate(all, styleOf(logoOf(1, 1)));
      const [start, end] = [offset - 1, offset + across];
      const inner = [offset, end - 1].flatMap((x) => [offset, end - 1].map((y) => isDark(x, y)));
      const outer = [start, end].flatMap((x) =>
        [offset, end - 1].flatMap((y) => [isDark(x, y), isDark(y, x)]),
      );
      expect([inner, outer]).toEqual([Array(4).fill(false), Array(8).fill(true)]);
    },
  );

  it('does not exist if the style has no logo', async () => {
    const all = { size: 21, version: 1, level: 'H', isDark: () => true } as const;
    expect(await plateOf({ size: 21 }, styleOf(undefined))).toBeUndefined();
    expect(clearPlate(all, styleOf(undefined))).toBe(all);
  });

  it.each([
    [1, 1],
    [1, 0.5],
    [0.5, 1],
  ])(
    'has its logo (%d × %d of the available square) in the middle, on the background color',
    async (width, height) => {
      const logo = logoOf(width, height);
      const { side, rgb } = await draw(25, styleOf(logo, { background: CREAM }), 4);
      // Half a module is left free on each side.
      expect(logo.drawn).toEqual([[16, CREAM]]);
      const [left, top] = [(20 - 16 * width) / 2, (20 - 16 * height) / 2];
      const expected = Array.from({ length: side * side }, (_, at) => {
        const [x, y] = [(at % 20) - left, Math.floor(at / 20) - top];
        return x >= 0 && x < 16 * width && y >= 0 && y < 16 * height ? [x, y, 1] : [0xff, 0xee, 0xcc];
      });
      expect([...rgb]).toEqual(expected.flat());
    },
  );

  it('is white if the background is transparent, and shows the logo as one pixel if a module has one pixel', async () => {
    const logo = logoOf(1, 1);
    const { rgb } = await draw(21, styleOf(logo, { background: undefined }), 1);
    expect(logo.drawn).toEqual([[1, WHITE]]);
    expect(rgb.toString('hex')).toBe(['ffffff'.repeat(4), '000001', 'ffffff'.repeat(4)].join(''));
  });

  it("has the printer's resolution in vector formats, but at least 240 and at most 1200 pixels per side", async () => {
    const sideAt = async (more: Partial<ImageStyle>, size = 25) =>
      (await draw(size, styleOf(logoOf(0, 0), more))).side;
    // A module of 254 mm / 33 at 300 dpi has 91 dots.
    expect(await sideAt({ sizeMm: 254 })).toBe(5 * 91);
    expect(await sideAt({ sizeMm: 254, quietZone: 0 })).toBe(5 * 120);
    expect(await sideAt({ sizeMm: 25.4 })).toBe(240);
    expect(await sideAt({ sizeMm: 254, dpi: 3000 })).toBe(1200);
    expect([await sideAt({ sizeMm: 10 }, 37), await sideAt({ sizeMm: 2000 }, 37)]).toEqual([7 * 35, 7 * 171]);
  });

  it('is drawn once, and again only if its pixels change', async () => {
    const logo = logoOf(1, 1);
    const first = await draw(21, styleOf(logo), 2);
    expect(await draw(21, styleOf(logo, { sizeMm: 50, quietZone: 5 }), 2)).toBe(first);
    expect(logo.drawn).toHaveLength(1);
    const others = [
      await draw(21, styleOf(logo, { background: CREAM }), 2),
      await draw(21, styleOf(logo), 3),
      await draw(25, styleOf(logo), 2),
      await draw(21, styleOf(logoOf(1, 1)), 2),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
    expect(logo.drawn).toHaveLength(4);
  });
});
