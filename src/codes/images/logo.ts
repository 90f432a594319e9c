import { getOrAdd } from '#base/collections';
import { type Color, formatColor, WHITE } from '#base/color';
import type { Modules } from './encode.ts';
import { type ImageStyle, type Logo, MM_AN_INCH, moduleMm } from './image-style.ts';

export interface Plate {
  across: number;
  offset: number;
  side: number;
  rgb: Buffer;
}

/** Maximum share of the code's width for the plate behind a logo: 4 % of the area. Level H restores 30 %. */
const MOST_SHARE = 0.2;
const MARGIN = 0.5;

/**
 * I6: returns the plate width in modules: at most a fifth of the code's width, and odd to cover whole
 * modules.
 */
function plateAcross({ size }: Pick<Modules, 'size'>): number {
  const most = Math.floor(size * MOST_SHARE);
  return most % 2 === 1 ? most : most - 1;
}

export function clearPlate(modules: Modules, { logo }: Pick<ImageStyle, 'logo'>): Modules {
  if (!logo) return modules;
  const across = plateAcross(modules);
  const first = (modules.size - across) / 2;
  const isBelow = (at: number) => at >= first && at < first + across;
  return { ...modules, isDark: (x, y) => !(isBelow(x) && isBelow(y)) && modules.isDark(x, y) };
}

const LEAST_PIXELS = 240;
const MOST_PIXELS = 1200;

const drawn = new WeakMap<Logo, Map<string, Promise<Plate>>>();

/** Draws the plate behind a logo, if any. `pixelsAModule`: pixels per module in a PNG. */
export async function plateOf(
  modules: Pick<Modules, 'size'>,
  style: ImageStyle,
  pixelsAModule = pixelsOf(modules, style),
): Promise<Plate | undefined> {
  const { logo, background: paper = WHITE } = style;
  if (!logo) return undefined;
  const across = plateAcross(modules);
  const plates = getOrAdd(drawn, logo, () => new Map<string, Promise<Plate>>());
  const key = [modules.size, pixelsAModule, formatColor(paper)].join();
  return getOrAdd(plates, key, async () => {
    const side = across * pixelsAModule;
    const rgb = await drawPlate(logo, side, pixelsAModule, paper);
    return { across, offset: (modules.size - across) / 2, side, rgb };
  });
}

function pixelsOf(modules: Pick<Modules, 'size'>, style: ImageStyle): number {
  const across = plateAcross(modules);
  const dots = Math.round((moduleMm(modules, style) / MM_AN_INCH) * style.dpi);
  return Math.max(Math.ceil(LEAST_PIXELS / across), Math.min(Math.floor(MOST_PIXELS / across), dots));
}

async function drawPlate(logo: Logo, side: number, pixelsAModule: number, paper: Color): Promise<Buffer> {
  const { width, height, rgba } = await logo.render(
    Math.max(1, side - 2 * Math.round(MARGIN * pixelsAModule)),
    paper,
  );
  const rgb = Buffer.alloc(side * side * 3, Buffer.from([paper.red, paper.green, paper.blue]));
  const [left, top] = [Math.floor((side - width) / 2), Math.floor((side - height) / 2)];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4;
      rgb.set(rgba.subarray(from, from + 3), ((top + y) * side + left + x) * 3);
    }
  }
  return rgb;
}
