import { readFileSync } from 'node:fs';
import { MessageChannel } from 'node:worker_threads';
import { initWasm } from '@resvg/resvg-wasm';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DrawRequest } from '#codes/images/render-apart';
import { serveRenderer } from '#codes/images/serve-renderer';

const svg = (width: number, height: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="1" height="9" fill="#f00"/></svg>`;

/** Starts the renderer in this thread, which is possible once: an earlier run of this file may have done it. */
function start(): Promise<void> {
  return initWasm(readFileSync('node_modules/@resvg/resvg-wasm/index_bg.wasm')).catch((error: Error) => {
    if (!error.message.startsWith('Already initialized')) throw error;
  });
}

/** Returns the answers of the thread to the requests. */
async function answersTo(
  source: string,
  requests: readonly DrawRequest[],
  ready = start(),
): Promise<unknown[]> {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  serveRenderer(port2, source, ready);
  const answers: unknown[] = [];
  const all = new Promise<void>((resolve) =>
    port1.on('message', (answer) => {
      if (answers.push(answer) === requests.length) resolve();
    }),
  );
  for (const request of requests) port1.postMessage(request);
  await all;
  return answers;
}

describe('the renderer thread', () => {
  it('draws the logo as large as the box allows, in the order of the requests', async () => {
    expect(await answersTo(svg(10, 5), [{ box: 10 }, { box: 20 }])).toMatchObject([
      { is: 'drawn', width: 10, height: 5 },
      { is: 'drawn', width: 20, height: 10 },
    ]);
    expect(await answersTo(svg(5, 10), [{ box: 20 }])).toMatchObject([{ width: 10, height: 20 }]);
  });

  it.each([
    [160, 20, 'drawn'],
    [20, 160, 'drawn'],
    [161, 20, 'failed'],
    [20, 161, 'failed'],
  ])('accepts an aspect ratio of up to 8:1: a logo of %i × %i results in `%s`', async (width, height, is) => {
    const message = is === 'failed' ? { message: 'has an aspect ratio above 8:1' } : {};
    expect(await answersTo(svg(width, height), [{ box: 20 }])).toMatchObject([{ is, ...message }]);
  });

  it('draws the logo on the requested background color, or on a transparent background', async () => {
    const requests = [{ box: 2 }, { box: 2, background: undefined }, { box: 2, background: '#0000ff' }];
    const answers = (await answersTo(svg(2, 2), requests)) as { rgba: Uint8Array }[];
    expect(answers.map(({ rgba }) => [...rgba.subarray(0, 8)])).toEqual([
      [255, 0, 0, 255, 0, 0, 0, 0],
      [255, 0, 0, 255, 0, 0, 0, 0],
      [255, 0, 0, 255, 0, 0, 255, 255],
    ]);
  });

  it("distinguishes a logo that can't be drawn from a trap, such as an allocation that is too large", async () => {
    expect(await answersTo(svg(2, 2), [{ box: 0 }, { box: 65_536 }])).toEqual([
      { is: 'failed', message: expect.stringContaining('size is zero') },
      { is: 'trapped' },
    ]);
  });

  it("responds that the renderer is damaged if the renderer can't be started", async () => {
    expect(await answersTo(svg(2, 2), [{ box: 9 }], Promise.reject(new Error('no WebAssembly')))).toEqual([
      { is: 'damaged' },
    ]);
  });
});
