import { describe, expect, it } from 'vitest';
import {
  createRaster,
  fillPolygons,
  type Polygons,
  type Raster,
  rasterOfRgb,
  shrink,
} from '#codes/images/raster';

/** A raster as text: `.` for each light pixel, `#` for each filled one. */
function drawnOf({ width, gray }: Raster): string[] {
  const cells = [...gray].map((shade) => (shade === 255 ? '.' : '#')).join('');
  return cells.match(new RegExp(`.{${width}}`, 'g')) ?? [];
}

function fill(polygons: Polygons, width = 5, height = 4): string[] {
  const raster = createRaster(width, height, 255);
  fillPolygons(raster, polygons, 7);
  return drawnOf(raster);
}

const rectangle = (left: number, top: number, right: number, bottom: number) => [
  left,
  top,
  right,
  top,
  right,
  bottom,
  left,
  bottom,
];

describe('a filled outline', () => {
  it('covers the pixels whose centers are inside it', () => {
    expect(fill([rectangle(1, 1, 3, 2)])).toEqual(['.....', '.##..', '.....', '.....']);
    expect(fill([rectangle(0.5, 0.6, 2.5, 2.51)])).toEqual(['.....', '##...', '##...', '.....']);
    expect(fill([rectangle(0.51, 0.5, 2.51, 2.5)])).toEqual(['.##..', '.##..', '.....', '.....']);
  });

  it.each([
    ['clockwise', [2, 1, 4, 1, 4, 3, 2, 3]],
    ['counterclockwise', [2, 1, 2, 3, 4, 3, 4, 1]],
    ['from another corner', [4, 3, 2, 3, 2, 1, 4, 1]],
    ['from another side', [2, 3, 2, 1, 4, 1, 4, 3]],
  ])('is the same if it is drawn %s', (_, outline) => {
    expect(fill([outline])).toEqual(['.....', '..##.', '..##.', '.....']);
  });

  it('does not cover the pixels inside a second outline, and ends at the edges of the raster', () => {
    expect(fill([rectangle(0, 0, 5, 4), rectangle(1, 1, 3, 3)])).toEqual([
      '#####',
      '#..##',
      '#..##',
      '#####',
    ]);
    expect(fill([rectangle(-3, -2, 2, 1), rectangle(4, 3, 9, 9)])).toEqual([
      '##...',
      '.....',
      '.....',
      '....#',
    ]);
    expect(fill([rectangle(0, 0, 0, 4), rectangle(0, 3, 0, 0)])).toEqual(Array(4).fill('.....'));
    expect(fill([[]])).toEqual(Array(4).fill('.....'));
  });

  it.each([
    ['left', rectangle(-3, 0, -1, 4)],
    ['right', rectangle(6, 0, 8, 4)],
    ['above', rectangle(0, -3, 5, -1)],
    ['below', rectangle(0, 5, 5, 7)],
  ])('covers no pixels if it is outside the raster (%s)', (_, outline) => {
    expect(fill([outline])).toEqual(Array(4).fill('.....'));
  });

  it('replaces earlier pixels with its own shade', () => {
    const raster = createRaster(3, 1, 200);
    fillPolygons(raster, [rectangle(0, 0, 2, 1)], 7);
    fillPolygons(raster, [rectangle(1, 0, 2, 1)], 9);
    expect(raster).toEqual({ width: 3, height: 1, gray: Uint8Array.from([7, 9, 200]) });
  });
});

describe('a raster', () => {
  it('made from colors has their gray values, and is refused if the number of colors does not match its size', () => {
    const rgb = Uint8Array.from([200, 100, 50, 255, 0, 0, 0, 255, 0, 0, 0, 255]);
    expect(rasterOfRgb(2, rgb)).toEqual({ width: 2, height: 2, gray: Uint8Array.from([124, 76, 150, 29]) });
    for (const length of [9, 11, 13]) {
      expect(() => rasterOfRgb(2, new Uint8Array(length))).toThrow('a logo has too few or too many pixels');
    }
  });

  it('is shrunk by averaging each square of pixels, and incomplete squares are dropped', () => {
    const gray = Uint8Array.from([0, 100, 9, 9, 7, 200, 100, 9, 8, 7, 1, 2, 3, 4, 5]);
    expect(shrink({ width: 5, height: 3, gray }, 2)).toEqual({
      width: 2,
      height: 1,
      gray: Uint8Array.from([100, 9]),
    });
    const large = Uint8Array.from({ length: 36 }, (_, at) => at);
    expect(shrink({ width: 6, height: 6, gray: large }, 3)).toEqual({
      width: 2,
      height: 2,
      gray: Uint8Array.from([7, 10, 25, 28]),
    });
    expect(shrink({ width: 6, height: 6, gray: large }, 2).gray).toEqual(
      Uint8Array.from([4, 6, 8, 16, 18, 20, 28, 30, 32]),
    );
  });

  it('is not shrunk if the factor is 0 or 1', () => {
    const raster = createRaster(3, 2, 9);
    for (const factor of [1, 0]) expect(shrink(raster, factor)).toBe(raster);
  });
});
