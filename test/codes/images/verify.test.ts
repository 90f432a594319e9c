/** Faults of images that are built here from areas and pixels. The decoder is the real one. */
import { describe, expect, it } from 'vitest';
import { parseColor, WHITE } from '#base/color';
import { createFigure, type Drawing, drawingOf } from '#codes/images/drawing';
import { encodeText } from '#codes/images/encode';
import { grayOf, type ImageStyle } from '#codes/images/image-style';
import { createRaster, type Raster } from '#codes/images/raster';
import { decode, drawingFault, findFault, placeFault } from '#codes/images/verify';
import { writePng } from '#codes/images/write-png';
import { STYLE as PLAIN } from './style.ts';

const TEXT = 'https://qr.example/aB3xY';
const MODULES = encodeText(TEXT, 'M') ?? expect.fail();
const ACROSS = MODULES.size + 8;
/** A module is a millimeter wide, and is drawn with four pixels a side. */
const STYLE: ImageStyle = { ...PLAIN, sizeMm: ACROSS };
const EXPECTED = { text: TEXT, sizeMm: ACROSS, quietZone: 4, across: ACROSS };

const CREAM = parseColor('#ffeecc') ?? WHITE;

const NOT_EMPTY = 'the quiet zone is not empty';
const UNDECODABLE = 'the code cannot be decoded';

const PLACE = { xMm: 2 * ACROSS, yMm: 3 * ACROSS };
const PAGE = drawingOf(createFigure(MODULES, { ...STYLE, background: CREAM }, undefined), PLACE);

/** A square on the page, with its position in relation to the code; its outline begins at the corner with that number. */
function squareAt(left: number, top: number, side: number, first = 0): Drawing['areas'][number] {
  const [x, y] = [PLACE.xMm + left, PLACE.yMm + top];
  const corners = [
    [x, y],
    [x + side, y],
    [x + side, y + side],
    [x, y + side],
  ];
  return { gray: 0, polygons: [[...corners.slice(first), ...corners.slice(0, first)].flat()] };
}

const faultWith = (...areas: Drawing['areas']) =>
  placeFault({ ...PAGE, areas: [...PAGE.areas, ...areas] }, PLACE, EXPECTED);

describe('the size of an image', () => {
  it('may differ from the expected size by 0.021 mm, but not by 0.022 mm (I2)', () => {
    const drawing = drawingOf(createFigure(MODULES, STYLE, undefined));
    for (const widthMm of [ACROSS - 0.021, ACROSS, ACROSS + 0.021]) {
      expect(drawingFault({ ...drawing, widthMm }, EXPECTED)).toBeUndefined();
    }
    for (const widthMm of [ACROSS - 0.022, ACROSS + 0.022]) {
      expect(drawingFault({ ...drawing, widthMm }, EXPECTED)).toBe(
        `the image is ${widthMm.toFixed(2)} mm wide instead of ${ACROSS} mm`,
      );
    }
    const png = writePng(MODULES, { ...STYLE, sizeMm: ACROSS + 1 }, undefined);
    expect(findFault(png, 'png', EXPECTED)).toBe('the image is 34.00 mm wide instead of 33 mm');
  });
});

describe('bytes that are not an image', () => {
  it('result in a fault, not an exception', () => {
    expect(findFault(Buffer.from('x'), 'png', EXPECTED)).toBe(
      'the image cannot be read back: it is not a square',
    );
    expect(findFault(Buffer.from('x'), 'svg', EXPECTED)).toBe(
      'the image cannot be read back: it has no size in mm',
    );
  });
});

describe('the quiet zone', () => {
  const last = ACROSS - 0.25;

  it.each([
    [0, 0],
    [last, 0],
    [0, last],
    [last, last],
    [3.75, 16],
    [ACROSS - 4, 16],
    [16, 3.75],
    [16, ACROSS - 4],
  ])('is reported as not empty if it contains a dark 0.25 mm square at %d, %d mm (I2)', (x, y) => {
    expect(faultWith(squareAt(x, y, 0.25))).toBe(NOT_EMPTY);
  });

  it.each([
    [4, 16],
    [ACROSS - 4.25, 16],
    [16, 4],
    [16, ACROSS - 4.25],
  ])('ends where the code begins, so a dark 0.25 mm square at %d, %d mm is ignored', (x, y) => {
    expect(faultWith(squareAt(x, y, 0.25))).toBeUndefined();
  });

  it('has the requested width, and may be white, transparent or a color that is lighter than the code', () => {
    for (const quietZone of [0, 1, 4, 10]) {
      // Without a quiet zone, the code is read on white paper.
      for (const background of [WHITE, CREAM, undefined, quietZone > 0 ? parseColor('#505050') : WHITE]) {
        const style = { ...STYLE, quietZone, background };
        const across = MODULES.size + 2 * quietZone;
        const png = writePng(MODULES, style, undefined);
        expect(findFault(png, 'png', { ...EXPECTED, quietZone, across })).toBeUndefined();
        const drawing = drawingOf(createFigure(MODULES, style, undefined));
        expect(drawingFault(drawing, { ...EXPECTED, quietZone, across })).toBeUndefined();
      }
    }
  });

  it('can be omitted, even if a module is one pixel wide', () => {
    for (const text of ['https://q.example/1', 'https://q.example/12345', 'https://q.example/1234567890']) {
      const modules = encodeText(text, 'L') ?? expect.fail();
      const style = { ...STYLE, sizeMm: modules.size, dpi: 25.4, quietZone: 0 };
      const expected = { text, sizeMm: modules.size, quietZone: 0, across: modules.size };
      expect(findFault(writePng(modules, style, undefined), 'png', expected)).toBeUndefined();
    }
  });
});

describe('an image on a page', () => {
  it('is decoded only at its position', () => {
    expect(faultWith()).toBeUndefined();
    expect(placeFault(PAGE, { ...PLACE, xMm: PLACE.xMm + 0.5 }, EXPECTED)).toBe(NOT_EMPTY);
    expect(placeFault(PAGE, { ...PLACE, yMm: PLACE.yMm - 0.5 }, EXPECTED)).toBe(NOT_EMPTY);
    expect(placeFault(PAGE, { xMm: 0, yMm: 0 }, EXPECTED)).toBe(UNDECODABLE);
    expect(placeFault(PAGE, PLACE, { ...EXPECTED, text: 'x' })).toBe('the code decodes to a different text');
  });

  // As large as the code, so that the outline begins a code's width away.
  const reach = ACROSS + 0.5;

  it.each([
    ['left', -ACROSS, 0, [0, 3]],
    ['right', ACROSS - 0.5, 0, [0, 1, 2, 3]],
    ['above', 0, -ACROSS, [0, 1]],
    ['below', 0, ACROSS - 0.5, [0, 1, 2, 3]],
  ] as const)('has a fault if a neighbor reaches into its quiet zone (%s) (I2)', (_, x, y, corners) => {
    for (const first of corners) expect(faultWith(squareAt(x, y, reach, first))).toBe(NOT_EMPTY);
  });

  it('needs no further margin if neighbors touch its quiet zone on all sides', () => {
    const around = [-ACROSS, 0, ACROSS].flatMap((x) => [-ACROSS, 0, ACROSS].map((y) => [x, y] as const));
    const neighbors = around.filter(([x, y]) => x !== 0 || y !== 0).map(([x, y]) => squareAt(x, y, ACROSS));
    expect(faultWith(...neighbors)).toBeUndefined();
  });
});

describe('an overlay on an image', () => {
  const PAPER = grayOf(CREAM);

  /** The code with its quiet zone and `more` modules around it, by that many pixels per module. */
  function rasterOf(across: number, down: number, more = 0): Raster {
    const raster = createRaster((ACROSS + 2 * more) * across, (ACROSS + 2 * more) * down, PAPER);
    const start = 4 + more;
    for (let at = 0; at < raster.gray.length; at++) {
      const [x, y] = [at % raster.width, Math.floor(at / raster.width)];
      if (MODULES.isDark(Math.floor(x / across) - start, Math.floor(y / down) - start)) raster.gray[at] = 0;
    }
    return raster;
  }

  const overlayAt = (x: number, y: number, sideMm: number, raster: Raster) => {
    return { xMm: PLACE.xMm + x, yMm: PLACE.yMm + y, sideMm, raster };
  };
  const dark = createRaster(2, 2, 0);
  const light = createRaster(2, 2, PAPER);
  const faultBelow = (...overlays: Drawing['overlays']) => placeFault({ ...PAGE, overlays }, PLACE, EXPECTED);

  it.each([
    [1, 1],
    [4, 4],
    [7, 7],
    [2, 3],
    [3, 2],
  ])('covers everything below it, at %d × %d pixels per module', (across, down) => {
    const overlay = overlayAt(0, 0, ACROSS, rasterOf(across, down));
    expect(faultBelow(overlayAt(0, 0, ACROSS, dark), overlay)).toBeUndefined();
    expect(faultBelow(overlay, overlayAt(0, 0, ACROSS, light))).toBe(UNDECODABLE);
    const larger = overlayAt(-7, -7, ACROSS + 14, rasterOf(across, down, 7));
    expect(faultBelow(overlayAt(0, 0, ACROSS, dark), larger)).toBeUndefined();
  });

  it('covers only the area at its own position', () => {
    const side = 2 * ACROSS;
    for (const [x, y] of [
      [-side, 0],
      [ACROSS, 0],
      [0, -side],
      [0, ACROSS],
    ] as const) {
      expect(faultBelow(overlayAt(x, y, side, dark))).toBeUndefined();
      const [nearX, nearY] = [x - Math.sign(x) * 0.25, y - Math.sign(y) * 0.25];
      expect(faultBelow(overlayAt(nearX, nearY, side, dark))).toBe(NOT_EMPTY);
      // Two of a quarter of a pixel: no center is in it.
      expect(
        faultBelow(overlayAt(x - Math.sign(x) * 0.06, y - Math.sign(y) * 0.06, side, dark)),
      ).toBeUndefined();
    }
    expect(faultBelow(overlayAt(0, 0, 4, light), overlayAt(14, 14, 5, light))).toBeUndefined();
    expect(faultBelow(overlayAt(4, 4, 9, light))).toBe(UNDECODABLE);
  });
});

describe('a decoded raster', () => {
  it('has no text if it contains no code', () => {
    expect(decode(createRaster(100, 100, 255))).toBeUndefined();
  });
});
