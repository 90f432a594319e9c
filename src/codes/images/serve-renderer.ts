import type { MessagePort } from 'node:worker_threads';
import { Resvg } from '@resvg/resvg-wasm';
import { messageOf } from '#base/errors';
import type { DrawRequest, DrawResponse } from './render-apart.ts';

/** Maximum aspect ratio. A longer logo would be too thin to see in a square. */
const MOST_RATIO = 8;

/** Draws an SVG for each request on a port. Every response is `damaged` if resvg can't be started. */
export function serveRenderer(port: MessagePort, svg: string, ready: Promise<void>): void {
  const responding = ready.then(
    () => (request: DrawRequest) => draw(svg, request),
    () => (): DrawResponse => ({ is: 'damaged' }),
  );
  port.on('message', async (request: DrawRequest) => {
    const response = await responding;
    port.postMessage(response(request));
  });
}

function draw(svg: string, { box, background }: DrawRequest): DrawResponse {
  try {
    const { width, height } = new Resvg(svg);
    if (!(Math.max(width / height, height / width) <= MOST_RATIO))
      return { is: 'failed', message: `has an aspect ratio above ${MOST_RATIO}:1` };
    const fitTo = { mode: width >= height ? 'width' : 'height', value: box } as const;
    const image = new Resvg(svg, { fitTo, ...(background !== undefined && { background }) }).render();
    return { is: 'drawn', width: image.width, height: image.height, rgba: image.pixels };
  } catch (error) {
    // A WebAssembly trap (too much memory, or a defect) ends the renderer.
    if (error instanceof Error && error.name === 'RuntimeError') return { is: 'trapped' };
    return { is: 'failed', message: `cannot be drawn: ${messageOf(error)}` };
  }
}
