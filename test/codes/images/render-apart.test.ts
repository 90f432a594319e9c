import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openRenderer, type RendererParts } from '#codes/images/render-apart';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="5"><rect width="9" height="3"/></svg>';

/** A thread that handles its messages in this way. */
const threadOf = (handler: string) => () => {
  return `const { parentPort, resourceLimits } = require('node:worker_threads'); parentPort.on('message', ${handler});`;
};

/** Lets all promises settle that can. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A clock that the test moves, and the outcome of a drawing by a thread that never answers. */
async function drawSilently(signal?: AbortSignal) {
  const clock = { nowMs: 1000, tick: () => {}, stops: 0 };
  const parts: Partial<RendererParts> = {
    thread: threadOf('() => {}'),
    processorMs: () => clock.nowMs,
    every(ms, tick) {
      expect(ms).toBe(100);
      clock.tick = tick;
      return () => clock.stops++;
    },
  };
  const draw = await openRenderer(SVG, signal, parts);
  const outcome: { error?: unknown } = {};
  draw(10).catch((error: unknown) => Object.assign(outcome, { error }));
  await settle();
  return { clock, outcome, draw };
}

describe('a logo in a separate thread', () => {
  it('is drawn once per request, in the requested sizes, and leaves no abort listeners', async () => {
    const signal = new AbortController().signal;
    const draw = await openRenderer(SVG, signal);
    const [small, large] = await Promise.all([draw(10), draw(20, '#ff0000')]);
    expect(small).toMatchObject({ width: 10, height: 5 });
    expect(large).toMatchObject({ width: 20, height: 10 });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('can be drawn at another size after a failure', async () => {
    const draw = await openRenderer(SVG);
    await expect(draw(0)).rejects.toThrow('cannot be drawn: Target size is zero');
    expect(await draw(10)).toMatchObject({ width: 10 });
  });

  it('is no longer drawn once it has needed more than 512 MiB of memory (I7)', async () => {
    const draw = await openRenderer(SVG);
    const message = 'is damaged, or needs more than 512 MiB of memory to draw';
    await expect(draw(20_000)).rejects.toThrow(message);
    await expect(draw(10)).rejects.toThrow(message);
  });

  it('is drawn with a JavaScript heap of at most 256 MB (I7)', async () => {
    const thread = threadOf(
      `() => parentPort.postMessage({ is: 'drawn', width: resourceLimits.maxOldGenerationSizeMb })`,
    );
    expect(await (await openRenderer(SVG, undefined, { thread }))(10)).toMatchObject({ width: 256 });
  });

  it('is not drawn by a damaged renderer', async () => {
    const drawWith = async (wasm: Buffer) =>
      (await openRenderer(SVG, undefined, { wasm: () => Promise.resolve(wasm) }))(10);
    const message = 'the qrctl installation is corrupt: dist/resvg.wasm.br is damaged';
    const cause = { message: 'the module has no memory of its own' };
    await expect(drawWith(Buffer.from('damaged'))).rejects.toMatchObject({ message, cause });
    const wasm = readFileSync('node_modules/@resvg/resvg-wasm/index_bg.wasm');
    await expect(drawWith(wasm.subarray(0, 100_000))).rejects.toThrow(message);
  });

  it.each([
    ['fails', 'throw new Error("no way")', 'cannot be drawn: no way'],
    ['ends', 'process.exit()', 'cannot be drawn: the rendering thread ended'],
  ])('is not drawn by a thread that %s, not even in a later request', async (_, what, message) => {
    const draw = await openRenderer(SVG, undefined, { thread: threadOf(`() => { ${what} }`) });
    await expect(draw(10)).rejects.toThrow(message);
    await expect(draw(10)).rejects.toThrow(message);
  });

  it('is refused after more than 5 s of processor time (I7)', async () => {
    const { clock, outcome, draw } = await drawSilently();
    clock.nowMs += 5000;
    clock.tick();
    await settle();
    expect(outcome).toEqual({});
    clock.nowMs += 1;
    clock.tick();
    await settle();
    expect(outcome.error).toMatchObject({ message: 'takes more than 5 s to draw' });
    expect(clock.stops).toBe(1);
    await expect(draw(10)).rejects.toThrow('takes more than 5 s to draw');
  });

  it('is refused after more than a minute, even if it gets no processor time (I7)', async () => {
    const { clock, outcome } = await drawSilently();
    for (let tick = 0; tick < 600; tick++) clock.tick();
    await settle();
    expect(outcome).toEqual({});
    clock.tick();
    await settle();
    expect(outcome.error).toMatchObject({ message: 'takes more than 5 s to draw' });
  });

  it('is not drawn once its signal is aborted, and drawing rejects with the abort reason', async () => {
    const abort = new AbortController();
    const { clock, outcome, draw } = await drawSilently(abort.signal);
    const reason = new Error('interrupted');
    abort.abort(reason);
    await settle();
    expect(outcome).toEqual({ error: reason });
    expect(clock.stops).toBe(1);
    await expect(draw(10)).rejects.toBe(reason);
    const late = await openRenderer(SVG, abort.signal);
    await expect(late(10)).rejects.toBe(reason);
  });
});
