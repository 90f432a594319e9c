/** EPS files of a small pattern, in full. */
import { describe, expect, it } from 'vitest';
import { BLACK, parseColor } from '#base/color';
import { type Figure, traceOutlines } from '#codes/images/drawing';
import type { ImageStyle } from '#codes/images/image-style';
import { writeEps } from '#codes/images/write-eps';
import { STYLE as PLAIN, SMALL } from './style.ts';

const STYLE: ImageStyle = { ...PLAIN, sizeMm: 25.4, quietZone: 1 };
const outlines = traceOutlines(SMALL);

const linesOf = (style: Partial<ImageStyle> = {}, plate?: Figure['plate']) =>
  writeEps({ across: 5, outlines, style: { ...STYLE, ...style }, plate }).split('\n');

const PATHS = ['1 1 m 2 h 1 v -1 h 1 v -1 h z', '3 2 m 1 h 1 v -1 h z'];

describe('an EPS of a code', () => {
  it('has its outlines on a background, in one ink', () => {
    expect(linesOf()).toEqual([
      '%!PS-Adobe-3.0 EPSF-3.0',
      '%%Creator: qrctl',
      '%%BoundingBox: 0 0 72 72',
      '%%HiResBoundingBox: 0 0 72 72',
      '%%LanguageLevel: 2',
      '%%EndComments',
      '4 dict begin gsave',
      '/m {moveto} bind def /h {0 rlineto} bind def /v {0 exch rlineto} bind def /z {closepath} bind def',
      '0 72 translate 14.4 -14.4 scale',
      '1 setgray 0 0 m 5 h 5 v -5 h z fill',
      '0 setgray',
      ...PATHS,
      'fill grestore end',
      '%%EOF',
      '',
    ]);
  });

  it('has a bounding box of whole points around the exact one', () => {
    expect(linesOf({ sizeMm: 30 }).slice(2, 4)).toEqual([
      '%%BoundingBox: 0 0 86 86',
      '%%HiResBoundingBox: 0 0 85.0394 85.0394',
    ]);
    expect(linesOf({ sizeMm: 30 })[8]).toBe('0 85.0394 translate 17.0079 -17.0079 scale');
  });

  it.each([
    ['#003366', '0 0.2 0.4 setrgbcolor % #003366'],
    ['#333', '0.2 setgray'],
    ['#336', '0.2 0.2 0.4 setrgbcolor % #333366'],
    ['#366', '0.2 0.4 0.4 setrgbcolor % #336666'],
  ])('has the color %s, and no background if the style has none', (color, ink) => {
    const lines = linesOf({ color: parseColor(color) ?? BLACK, background: undefined });
    expect(lines.slice(8, 12)).toEqual(['0 72 translate 14.4 -14.4 scale', ink, ...PATHS]);
  });

  it('has the logo pixels in lines of at most 240 hexadecimal digits', () => {
    const rgb = Buffer.from(Array.from({ length: 7 * 7 * 3 }, (_, at) => at));
    const digits = rgb.toString('hex');
    expect(linesOf({}, { across: 1, offset: 1, side: 7, rgb }).slice(11)).toEqual([
      ...PATHS,
      'fill',
      'gsave 2 2 translate 1 1 scale',
      '7 7 8 [7 0 0 7 0 0] {currentfile 21 string readhexstring pop} false 3 colorimage',
      digits.slice(0, 240),
      digits.slice(240),
      'grestore',
      'grestore end',
      '%%EOF',
      '',
    ]);
  });
});
