import { describe, expect, it } from 'vitest';
import { BLACK, parseColor, WHITE } from '#base/color';
import { createFigure, drawingOf } from '#codes/images/drawing';
import type { ImageStyle } from '#codes/images/image-style';
import { STYLE as PLAIN, SMALL } from './style.ts';

const BLUE = parseColor('#036') ?? BLACK;
const CREAM = parseColor('#ffeecc') ?? WHITE;
const STYLE: ImageStyle = { ...PLAIN, sizeMm: 10, quietZone: 1, color: BLUE, background: CREAM };
const PLATE = { across: 1, offset: 1, side: 1, rgb: Buffer.from([255, 0, 0]) };
const RED = { width: 1, height: 1, gray: Uint8Array.from([76]) };

const draw = (style: Partial<ImageStyle> = {}, plate?: typeof PLATE) =>
  createFigure(SMALL, { ...STYLE, ...style }, plate);

describe('the drawing of a code', () => {
  it('has its background first, then its outlines, in millimeters', () => {
    const figure = draw();
    expect(figure.across).toBe(5);
    expect(drawingOf(figure)).toEqual({
      widthMm: 10,
      heightMm: 10,
      overlays: [],
      areas: [
        { gray: 239, polygons: [[0, 0, 10, 0, 10, 10, 0, 10]] },
        {
          gray: 42,
          polygons: [
            [2, 2, 6, 2, 6, 4, 4, 4, 4, 6, 2, 6],
            [6, 4, 8, 4, 8, 6, 6, 6],
          ],
        },
      ],
    });
    expect(drawingOf(draw({ background: undefined })).areas.map(({ gray }) => gray)).toEqual([42]);
  });

  it('has its logo on top', () => {
    expect(drawingOf(draw({}, PLATE)).overlays).toEqual([{ xMm: 4, yMm: 4, sideMm: 2, raster: RED }]);
  });

  it('is drawn at its position on a page', () => {
    const { areas, overlays } = drawingOf(draw({ quietZone: 0, sizeMm: 6 }, PLATE), { xMm: 100, yMm: 200 });
    expect(areas).toEqual([
      { gray: 239, polygons: [[100, 200, 106, 200, 106, 206, 100, 206]] },
      {
        gray: 42,
        polygons: [
          [100, 200, 104, 200, 104, 202, 102, 202, 102, 204, 100, 204],
          [104, 202, 106, 202, 106, 204, 104, 204],
        ],
      },
    ]);
    expect(overlays).toEqual([{ xMm: 102, yMm: 202, sideMm: 2, raster: RED }]);
  });
});
