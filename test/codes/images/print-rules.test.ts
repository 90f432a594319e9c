import { describe, expect, it } from 'vitest';
import { BLACK, contrastOf, parseColor, WHITE } from '#base/color';
import { checkSize, checkStyle } from '#codes/images/encode-codes';
import type { ImageStyle } from '#codes/images/image-style';
import { STYLE as PLAIN } from './style.ts';

const STYLE: ImageStyle = { ...PLAIN, sizeMm: 33 };
const color = (text: string) => parseColor(text) ?? expect.fail(text);

describe('an image style', () => {
  it('is accepted if it is black on white or on a transparent background', () => {
    expect(checkStyle(STYLE)).toEqual({ refusals: [], warnings: [] });
    expect(checkStyle({ ...STYLE, background: undefined })).toEqual({ refusals: [], warnings: [] });
  });

  it.each([
    [{ color: color('#ff0') }, 'the contrast is 1:1 (minimum: 3:1)'],
    [{ color: WHITE }, 'the contrast is 1:1 (minimum: 3:1)'],
    [{ color: color('#aaa') }, 'the contrast is 2.3:1 (minimum: 3:1)'],
    [{ color: WHITE, background: BLACK }, "the code is light on dark, which many cameras can't read"],
    [{ quietZone: 1 }, 'the quiet zone is 1 module wide (minimum in ISO/IEC 18004: 4)'],
    [{ quietZone: 3 }, 'the quiet zone is 3 modules wide (minimum in ISO/IEC 18004: 4)'],
  ])('is refused with the values %j (I3)', (style, refusal) => {
    expect(checkStyle({ ...STYLE, ...style }).refusals).toEqual([refusal]);
  });

  it('is refused just below the minimum contrast, but not just above it', () => {
    expect(checkStyle({ ...STYLE, color: color('#959595') }).refusals).toEqual([
      'the contrast is 2.9:1 (minimum: 3:1)',
    ]);
    expect(checkStyle({ ...STYLE, color: color('#949494') }).refusals).toEqual([]);
  });

  it('causes a warning if the contrast is between 3:1 and 4.5:1', () => {
    expect(checkStyle({ ...STYLE, color: color('#767676') }).warnings).toEqual([]);
    expect(checkStyle({ ...STYLE, color: color('#888') })).toEqual({
      refusals: [],
      warnings: ['the contrast is 3.5:1; at least 4.5:1 is recommended for poor light'],
    });
  });
});

describe('the module size', () => {
  it('is refused below four printer dots (I3)', () => {
    expect(checkSize({ size: 25 }, { ...STYLE, sizeMm: 10 })).toEqual({
      refusal: 'modules would be 3.5 printer dots wide at 300 dpi (minimum: 4); use --size 12mm or larger',
    });
    expect(checkSize({ size: 25 }, { ...STYLE, sizeMm: (33 * 4 * 25.4) / 300 }).refusal).toBeUndefined();
  });

  it('causes a warning below 0.4 mm', () => {
    expect(checkSize({ size: 25 }, { ...STYLE, sizeMm: 12 })).toEqual({
      warning: 'modules are 0.36 mm wide; at least 0.4 mm is recommended',
    });
    expect(checkSize({ size: 25 }, { ...STYLE, sizeMm: 33 * 0.4 })).toEqual({});
    expect(checkSize({ size: 25 }, { ...STYLE, sizeMm: 33 * 0.4 - 1e-6 })).toEqual({});
    expect(checkSize({ size: 25 }, { ...STYLE, sizeMm: 33 * 0.4 - 1e-3 }).warning).toBeDefined();
  });
});

describe('colors', () => {
  it.each([
    ['#000', '#ffffff', 21],
    ['#767676', '#fff', 4.54],
    ['#ffffff', '#777', 4.48],
  ])('%s and %s have a contrast ratio of %d (WCAG 2.2)', (one, other, contrast) => {
    expect(contrastOf(color(one), color(other))).toBeCloseTo(contrast, 1);
  });

  it.each(['', '#', '#12', '#1234', 'red', '#gggggg', '#0000000', 'none'])('do not include %j', (text) => {
    expect(parseColor(text)).toBeUndefined();
  });
});
