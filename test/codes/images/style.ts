/** What most images of these tests have in common. */
import { expect } from 'vitest';
import { BLACK, WHITE } from '#base/color';
import { encodeText } from '#codes/images/encode';
import type { ImageStyle } from '#codes/images/image-style';

export const STYLE: ImageStyle = {
  sizeMm: 30,
  dpi: 300,
  quietZone: 4,
  level: 'M',
  color: BLACK,
  background: WHITE,
};

const ROWS = ['##.', '#.#', '...'];

/** A code of three modules a side. */
export const SMALL = {
  ...(encodeText('x', 'L') ?? expect.fail()),
  size: ROWS.length,
  isDark: (x: number, y: number) => ROWS[y]?.[x] === '#',
};
