import { describe, expect, it } from 'vitest';
import { formatColor, luminanceOf, parseColor, WHITE } from '#base/color';
import { grayOf } from '#codes/images/image-style';

const color = (text: string) => parseColor(text) ?? expect.fail(text);

describe('a color', () => {
  it.each([
    ['#abc', '#aabbcc'],
    ['#0A0b0C', '#0a0b0c'],
    ['#123456', '#123456'],
    ['#fff', '#ffffff'],
  ])('%s has the long form %s', (text, long) => {
    expect(formatColor(color(text))).toBe(long);
  });

  it('is parsed into red, green and blue', () => {
    expect(color('#010203')).toEqual({ red: 1, green: 2, blue: 3 });
    expect(color('#fff')).toEqual(WHITE);
  });

  it.each(['x#fff', '#fffx', '#fff\n#fff', ' #fff'])('cannot be written as %j', (text) => {
    expect(parseColor(text)).toBeUndefined();
  });

  it.each([
    ['#f00', 76, 0.2126],
    ['#0f0', 150, 0.7152],
    ['#00f', 29, 0.0722],
    ['#fff', 255, 1],
    ['#000', 0, 0],
    ['#646464', 100, 0.1274377],
    // The darkest grays are linear.
    ['#0a0a0a', 10, 0.0030353],
    ['#0b0b0b', 11, 0.0033465],
  ])('%s has the gray value %d (BT.601) and the luminance %d (WCAG 2.2)', (text, gray, luminance) => {
    expect(grayOf(color(text))).toBe(gray);
    expect(luminanceOf(color(text))).toBeCloseTo(luminance, 6);
  });
});
