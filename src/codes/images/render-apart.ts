/** Draws SVGs in a thread that can be ended, because drawing costs are unknown in advance. */
import { Worker } from 'node:worker_threads';
import { brotliDecompressSync } from 'node:zlib';
import { every, processorMs } from '#base/time/time';
import { damagedInstallation, readInstalled } from '#files/durable/installed-file';
import { readIfPackaged, readPackaged } from '#files/durable/packaged-files';

export interface Rendering {
  width: number;
  height: number;
  rgba: Uint8Array;
}

export type Draw = (box: number, background?: string) => Promise<Rendering>;

export class RenderError extends Error {}

/** Maximum processor time for a drawing, in seconds. */
const MOST_SECONDS = 5;
/** Maximum wall-clock time for a drawing, in ticks. */
const MOST_TICKS = 600;
const TICK_MS = 100;
/** Maximum WebAssembly memory in bytes. The largest logo takes 6 MB, and each nested clip as much again. */
const MOST_BYTES = 512 * 2 ** 20;
const MOST_HEAP_MB = 256;

const WASM = 'dist/resvg.wasm.br';

export interface LogoJob {
  wasm: Uint8Array;
  svg: string;
}

export interface DrawRequest {
  box: number;
  background?: string;
}

export type DrawResponse =
  | ({ is: 'drawn' } & Rendering)
  | { is: 'damaged' }
  | { is: 'trapped' }
  | { is: 'failed'; message: string };

export type RendererParts = typeof INSTALLED;

const INSTALLED = {
  wasm: readWasm,
  thread: () => readPackaged('dist/logo-worker.js').toString('latin1'),
  every,
  processorMs,
};

async function readWasm(): Promise<Buffer> {
  const packed = readIfPackaged(WASM);
  if (packed === undefined) return readInstalled(WASM, '@resvg/resvg-wasm/index_bg.wasm');
  return orDamaged(brotliDecompressSync, packed);
}

/** Starts a thread, and returns a function that draws in it. Throws LocalError for a corrupt installation. */
export async function openRenderer(
  svg: string,
  signal?: AbortSignal,
  replaced: Partial<RendererParts> = {},
): Promise<Draw> {
  const parts = { ...INSTALLED, ...replaced };
  const job: LogoJob = { wasm: orDamaged(boundMemory, await parts.wasm()), svg };
  const worker = new Worker(parts.thread(), {
    eval: true,
    workerData: job,
    // Keeps the thread from writing to the standard streams.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  });
  worker.unref();
  let turn: Promise<unknown> = Promise.resolve();
  let over: unknown;
  const end = (reason: unknown) => {
    over ??= reason;
    void worker.terminate();
    return over;
  };

  async function draw(request: DrawRequest): Promise<Rendering> {
    if (over !== undefined) throw over;
    const response = await requestDrawing(worker, request, parts, signal).catch((reason) =>
      Promise.reject(end(reason)),
    );
    if (response.is === 'damaged') throw end(damagedInstallation(WASM, 'is damaged', undefined));
    if (response.is === 'trapped') {
      const limit = `${MOST_BYTES / 2 ** 20} MiB`;
      throw end(new RenderError(`is damaged, or needs more than ${limit} of memory to draw`));
    }
    if (response.is === 'failed') throw new RenderError(response.message);
    return response;
  }

  return (box, background) => {
    const drawn = turn.then(() => draw({ box, background }));
    turn = drawn.catch(() => undefined);
    return drawn;
  };
}

function orDamaged(convert: (bytes: Buffer) => Buffer, bytes: Buffer): Buffer {
  try {
    return convert(bytes);
  } catch (cause) {
    throw damagedInstallation(WASM, 'is damaged', cause);
  }
}

/** I7: requests a drawing. Rejects at a time limit, or if the thread ends. */
function requestDrawing(
  worker: Worker,
  request: DrawRequest,
  { every, processorMs }: RendererParts,
  signal?: AbortSignal,
): Promise<DrawResponse> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const startMs = processorMs();
    let ticks = 0;
    const stopClock = every(TICK_MS, () => {
      ticks += 1;
      if (processorMs() - startMs > MOST_SECONDS * 1000 || ticks > MOST_TICKS)
        fail(new RenderError(`takes more than ${MOST_SECONDS} s to draw`));
    });
    const release = () => {
      stopClock();
      signal?.removeEventListener('abort', onAbort);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit).unref();
    };
    const fail = (reason: unknown) => {
      release();
      reject(reason);
    };
    const onAbort = () => fail(signal?.reason);
    const onMessage = (response: DrawResponse) => {
      release();
      resolve(response);
    };
    const onError = (error: Error) => fail(new RenderError(`cannot be drawn: ${error.message}`));
    const onExit = () => fail(new RenderError('cannot be drawn: the rendering thread ended'));
    signal?.addEventListener('abort', onAbort);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit).ref();
    worker.postMessage(request);
  });
}

const PAGE_BYTES = 65_536;
const HEADER_BYTES = 8;
/** Number of the memory section (WebAssembly core specification, 5.5.2). */
const MEMORY_SECTION = 5;

/** Limits the memory of a WebAssembly module. Throws Error if it has no memory of its own. */
export function boundMemory(wasm: Uint8Array, mostBytes = MOST_BYTES): Buffer {
  for (let at = HEADER_BYTES; at < wasm.length; ) {
    const { value: size, end: start } = readNumber(wasm, at + 1);
    if (wasm[at] !== MEMORY_SECTION) {
      at = start + size;
      continue;
    }
    const { value: least } = readNumber(wasm, start + 2);
    const memory = [1, 1, ...formatUnsigned(least), ...formatUnsigned(Math.floor(mostBytes / PAGE_BYTES))];
    const section = Buffer.from([MEMORY_SECTION, ...formatUnsigned(memory.length), ...memory]);
    return Buffer.concat([wasm.subarray(0, at), section, wasm.subarray(start + size)]);
  }
  throw new Error('the module has no memory of its own');
}

/** Reads an unsigned LEB128 number. */
function readNumber(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0;
  for (let end = at, weight = 1; ; weight *= 128) {
    const byte = bytes[end++] ?? 0;
    value += (byte & 0x7f) * weight;
    if (byte < 0x80) return { value, end };
  }
}

function formatUnsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...formatUnsigned(Math.floor(value / 128))];
}
