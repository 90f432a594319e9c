import { expect, test } from 'vitest';
import { accentColors, contrast } from '#scans/report/accent';

const INK = { light: '#16181d', dark: '#eceef2' };
const PAGE = { light: '#f6f6f3', dark: '#191c22' };

test.each(['#ffffff', '#000000', '#ffdd00', '#0057b8', '#ff0000', '#00ff00', '#000080', '#808080'])(
  'the accent color from %s and text on its tints have a contrast of at least 4.5 on light and dark pages',
  (color) => {
    for (const theme of ['light', 'dark'] as const) {
      const { accent, shades } = accentColors(color, theme);
      expect(contrast(accent, PAGE[theme])).toBeGreaterThanOrEqual(4.5);
      for (const shade of shades.slice(0, 4)) expect(contrast(INK[theme], shade)).toBeGreaterThanOrEqual(4.5);
    }
  },
);

test('an accent color with enough contrast is unchanged', () => {
  expect(accentColors('#0057b8', 'light')).toEqual({
    accent: '#0057b8',
    soft: '#d9e6f4',
    part: '#80abdc',
    shades: ['#ebf2f9', '#d1e1f2', '#adc9e8', '#85aedd', '#0057b8'],
  });
});
