import { formatColor } from '#base/color';
import { UsageError } from '#base/errors';
import { findSvgFault } from './check-svg.ts';
import type { Fault } from './draw-image.ts';
import type { Logo } from './image-style.ts';
import { type Draw, openRenderer, RenderError, type Rendering } from './render-apart.ts';
import { PNG_SIGNATURE } from './write-png.ts';

/** Maximum number of pixels per side. A PNG of a kilobyte may declare two billion pixels. */
const MOST_PIXELS = 4096;
const TRIAL_PIXELS = 64;

/** Loads a logo. Its renderer uses no files or network, and draws the same pixels on all systems. */
export async function loadLogo(bytes: Buffer, signal?: AbortSignal): Promise<Logo | Fault> {
  const draw = await openLogo(bytes, signal);
  if ('fault' in draw) return draw;
  return {
    render: (box, paper) =>
      draw(box, formatColor(paper)).catch((error) => {
        if (!(error instanceof RenderError)) throw error;
        throw new UsageError(`the logo ${error.message} at ${box} pixels`, {
          hint: 'Save the logo as a PNG, or draw smaller images with --size.',
        });
      }),
  };
}

/**
 * Draws a logo on a transparent background, to fit `box` by `box` pixels. Returns a fault if it can't be
 * drawn.
 */
export async function drawLogo(bytes: Buffer, box: number, signal?: AbortSignal): Promise<Rendering | Fault> {
  const draw = await openLogo(bytes, signal);
  return 'fault' in draw ? draw : orFault(draw(box).then(unmultiply));
}

/** Converts premultiplied colors (resvg) to straight ones (PNG). Transparent pixels (0 / 0) become 0. */
function unmultiply({ width, height, rgba }: Rendering): Rendering {
  const opacityOf = (at: number) => rgba[at | 3] ?? 0;
  const straight = rgba.map((value, at) =>
    at % 4 === 3 ? value : Math.min(255, Math.round((value * 255) / opacityOf(at))),
  );
  return { width, height, rgba: straight };
}

/** I7: opens a logo. Checks of the file and limits of the renderer bound the drawing cost. */
async function openLogo(bytes: Buffer, signal?: AbortSignal): Promise<Draw | Fault> {
  const svg = bytes.subarray(0, 8).equals(PNG_SIGNATURE) ? wrapPng(bytes) : readSvg(bytes);
  if (typeof svg === 'object') return svg;
  const draw = await openRenderer(svg, signal);
  const trial = await orFault(draw(TRIAL_PIXELS));
  if ('fault' in trial) return trial;
  // A blank trial is a fault: resvg draws nothing for images that it can't read.
  const isBlank = trial.rgba.every((value) => value === 0);
  return isBlank ? { fault: 'is blank or damaged' } : draw;
}

async function orFault<T>(drawing: Promise<T>): Promise<T | Fault> {
  try {
    return await drawing;
  } catch (error) {
    if (error instanceof RenderError) return { fault: error.message };
    throw error;
  }
}

function wrapPng(bytes: Buffer): string | Fault {
  const [width, height] = bytes.length < 33 ? [0, 0] : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (Math.min(width, height) < 1) return { fault: 'is a damaged PNG' };
  if (Math.max(width, height) > MOST_PIXELS) {
    return { fault: `is ${width} × ${height} pixels (limit: ${MOST_PIXELS} × ${MOST_PIXELS})` };
  }
  const data = `data:image/png;base64,${bytes.toString('base64')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" href="${data}"/></svg>`;
}

function readSvg(bytes: Buffer): string | Fault {
  const text = new TextDecoder().decode(bytes);
  if (!text.trimStart().startsWith('<')) return { fault: 'is neither a PNG nor an SVG file' };
  const fault = findSvgFault(text);
  return fault === undefined ? text : { fault };
}
