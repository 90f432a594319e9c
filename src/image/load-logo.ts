/** A PNG or SVG as a logo, by resvg: WebAssembly, which can open no file and no connection, and draws the same on every machine. */
import { findSvgFault } from './check-svg.ts';
import { type Colour, formatColour } from './colour.ts';
import { damagedInstallation, readInstalled } from './installed-file.ts';
import type { Logo } from './logo.ts';

/** A file that is no logo, and why, as what follows its name. */
export interface LogoFault {
  readonly fault: string;
}

/** Bytes of a file that is looked at. */
export const MOST_LOGO_BYTES = 2 ** 20;
/** Pixels a side: a kilobyte of PNG may claim two thousand million. */
const MOST_PIXELS = 4096;
/** How often a logo may be as long as it is wide: longer, nothing of it would be seen in a square. */
const MOST_RATIO = 8;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** I7: what it costs to draw is known, and bounded, before it is drawn. Throws LocalError where the renderer is not installed whole. */
export async function loadLogo(bytes: Buffer): Promise<Logo | LogoFault> {
  const svg = bytes.subarray(0, 8).equals(PNG) ? wrapPng(bytes) : readSvg(bytes);
  if (typeof svg === 'object') return svg;
  const { initWasm, Resvg } = await import('./resvg.ts');
  started ??= startRenderer(initWasm);
  await started;
  try {
    const { width, height } = new Resvg(svg);
    if (!(Math.max(width / height, height / width) <= MOST_RATIO)) {
      return { fault: `is more than ${MOST_RATIO} times as long as it is wide` };
    }
    const draw = (box: number, paper?: Colour) => {
      const fitTo = { mode: width >= height ? 'width' : 'height', value: box } as const;
      const image = new Resvg(svg, { fitTo, ...(paper && { background: formatColour(paper) }) }).render();
      return { width: image.width, height: image.height, rgba: image.pixels };
    };
    // A picture that resvg cannot read is one of nothing.
    if (draw(64).rgba.every((value) => value === 0)) return { fault: 'shows nothing, or is damaged' };
    return { render: draw };
  } catch (error) {
    return { fault: `cannot be drawn: ${error instanceof Error ? error.message : error}` };
  }
}

let started: Promise<void> | undefined;

async function startRenderer(start: (wasm: Buffer) => Promise<void>): Promise<void> {
  const bytes = await readInstalled(WASM, '@resvg/resvg-wasm/index_bg.wasm');
  await start(bytes).catch((cause: unknown) => {
    throw damagedInstallation(WASM, 'is damaged', cause);
  });
}

const WASM = 'dist/resvg.wasm';

function wrapPng(bytes: Buffer): string | LogoFault {
  const [width, height] = bytes.length < 33 ? [0, 0] : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (Math.min(width, height) < 1) return { fault: 'is a damaged PNG' };
  if (Math.max(width, height) > MOST_PIXELS) {
    return { fault: `is ${width} × ${height} pixels large, and ${MOST_PIXELS} a side are the most` };
  }
  const data = `data:image/png;base64,${bytes.toString('base64')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" href="${data}"/></svg>`;
}

function readSvg(bytes: Buffer): string | LogoFault {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  if (!text.trimStart().startsWith('<')) return { fault: 'is neither PNG nor SVG' };
  const fault = findSvgFault(text);
  return fault === undefined ? text : { fault };
}
