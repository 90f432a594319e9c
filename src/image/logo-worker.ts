/** Thread that draws a logo with resvg; ending the thread ends its cost (src/image/render-apart.ts). The build makes it a separate file. */
import { parentPort, workerData } from 'node:worker_threads';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { messageOf } from '../errors.ts';
import type { DrawAnswer, DrawRequest, LogoJob } from './render-apart.ts';

const { wasm, svg } = workerData as LogoJob;
const started = initWasm(wasm).then(
  () => true,
  () => false,
);

parentPort?.on('message', async (request: DrawRequest) => {
  const answer: DrawAnswer = (await started) ? draw(request) : { is: 'damaged' };
  parentPort?.postMessage(answer);
});

function draw({ box, background }: DrawRequest): DrawAnswer {
  try {
    const { width, height } = new Resvg(svg);
    if (box === undefined) return { is: 'ratio', ratio: width / height };
    const fitTo = { mode: width >= height ? 'width' : 'height', value: box } as const;
    const image = new Resvg(svg, { fitTo, ...(background !== undefined && { background }) }).render();
    return { is: 'drawn', width: image.width, height: image.height, rgba: image.pixels };
  } catch (error) {
    // An allocation beyond the bound, or a defect of the renderer: a trap of WebAssembly, which leaves nothing to go on with.
    if (error instanceof Error && error.name === 'RuntimeError') return { is: 'trapped' };
    return { is: 'failed', message: messageOf(error) };
  }
}
