/** SVG files of a small pattern, in full, and as they are read back. */
import { describe, expect, it } from 'vitest';
import { BLACK, parseColor } from '#base/color';
import { createFigure } from '#codes/images/drawing';
import type { ImageStyle } from '#codes/images/image-style';
import { readSvg, writeSvg } from '#codes/images/svg';
import { formatPlate } from '#codes/images/write-png';
import { STYLE as PLAIN, SMALL } from './style.ts';

const STYLE: ImageStyle = { ...PLAIN, sizeMm: 12.5, quietZone: 1 };
const PLATE = { across: 1, offset: 1, side: 2, rgb: Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9]) };

const START = '<svg xmlns="http://www.w3.org/2000/svg" width="12.5mm" height="12.5mm" viewBox="0 0 5 5">';
const PATH = 'M1 1h2v1h-1v1h-1zM3 2h1v1h-1z';

describe('an SVG of a code', () => {
  it('has its outlines on a background', () => {
    expect(writeSvg(createFigure(SMALL, STYLE, undefined)).split('\n')).toEqual([
      START,
      '<path fill="#ffffff" d="M0 0h5v5h-5z"/>',
      `<path fill="#000000" d="${PATH}"/>`,
      '</svg>',
      '',
    ]);
  });

  it('contains no background path if the style has a transparent background', () => {
    const style = { ...STYLE, color: parseColor('#036') ?? BLACK, background: undefined };
    expect(writeSvg(createFigure(SMALL, style, undefined)).split('\n')).toEqual([
      START,
      `<path fill="#003366" d="${PATH}"/>`,
      '</svg>',
      '',
    ]);
  });

  it('has its logo as an image over the outlines', () => {
    const data = formatPlate(PLATE).toString('base64');
    expect(
      writeSvg(createFigure(SMALL, STYLE, PLATE))
        .split('\n')
        .slice(2),
    ).toEqual([
      `<path fill="#000000" d="${PATH}"/>`,
      `<image x="2" y="2" width="1" height="1" xlink:href="data:image/png;base64,${data}"/>`,
      '</svg>',
      '',
    ]);
    expect(writeSvg(createFigure(SMALL, STYLE, PLATE))).toContain(
      ' xmlns:xlink="http://www.w3.org/1999/xlink" width=',
    );
  });
});

describe('an SVG that is read', () => {
  it('has the areas and overlays that were written, in millimeters', () => {
    const { areas, ...drawing } = readSvg(writeSvg(createFigure(SMALL, STYLE, PLATE)));
    expect(areas).toEqual([
      { gray: 255, polygons: [[0, 0, 12.5, 0, 12.5, 12.5, 0, 12.5]] },
      {
        gray: 0,
        polygons: [
          [2.5, 2.5, 7.5, 2.5, 7.5, 5, 5, 5, 5, 7.5, 2.5, 7.5],
          [7.5, 5, 10, 5, 10, 7.5, 7.5, 7.5],
        ],
      },
    ]);
    const raster = { width: 2, height: 2, gray: Uint8Array.from([76, 150, 29, 9]) };
    expect(drawing).toEqual({
      widthMm: 12.5,
      heightMm: 12.5,
      overlays: [{ xMm: 5, yMm: 5, sideMm: 2.5, raster }],
    });
    const far = { ...STYLE, quietZone: 11, sizeMm: 50 };
    expect(readSvg(writeSvg(createFigure(SMALL, far, { ...PLATE, across: 10 }))).overlays).toEqual([
      { xMm: 24, yMm: 24, sideMm: 20, raster },
    ]);
  });

  const withPath = (
    path: string,
    fill = '#036',
    start = '<svg width="20mm" height="50mm" viewBox="0 0 10 100">',
  ) => `${start}<path fill="${fill}" d="${path}"/></svg>`;

  it('is scaled separately in each direction', () => {
    expect(readSvg(withPath('M1 10h2v20h-2z'))).toEqual({
      widthMm: 20,
      heightMm: 50,
      areas: [{ gray: 42, polygons: [[2, 5, 6, 5, 6, 15, 2, 15]] }],
      overlays: [],
    });
  });

  it.each([
    ['no size', withPath('M0 0z', '#036', '<svg viewBox="0 0 1 1">'), 'it has no size in mm'],
    ['a space before its root element', ` ${withPath('M0 0z')}`, 'it has no size in mm'],
    ['a color that is not hexadecimal', withPath('M0 0z', 'red'), 'it has an invalid color'],
    ['a diagonal line', withPath('M0 0l1 1z'), 'it has the path command l'],
    ['a line without a starting point', withPath('h1v1z'), 'it has a path without a start'],
    ['an absolute line', withPath('M0 0H1z'), 'it has the path command H'],
  ])('is refused with %s', (_, text, message) => {
    expect(() => readSvg(text)).toThrow(message);
  });
});
