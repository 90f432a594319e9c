import { createGzip, type DeflateRaw, type Gzip } from 'node:zlib';

const BUFFER_BYTES = 512 * 1024;

export function createGatherer(encoder: Encoder, put: (bytes: Uint8Array) => Promise<void>) {
  let filling = Buffer.alloc(0);
  let spare = Buffer.alloc(0);
  let used = 0;
  let touched = false;
  let writing: Promise<void> = Promise.resolve();

  async function pass(encoded: Promise<Uint8Array[]>): Promise<void> {
    for (const bytes of await encoded) await put(bytes);
  }

  async function start(bytes: Uint8Array): Promise<void> {
    await writing;
    writing = pass(encoder.encode(bytes));
    writing.catch(() => undefined);
  }

  async function flush(): Promise<void> {
    const full = filling.subarray(0, used);
    [filling, spare] = [spare, filling];
    used = 0;
    if (full.length > 0) await start(full);
  }

  return {
    touched: () => touched,
    /** Buffers a copy of a chunk. May reject with the error of an earlier write. */
    async write(chunk: string | Uint8Array) {
      touched = true;
      const most = typeof chunk === 'string' ? 3 * chunk.length : chunk.length; // up to 3 bytes per code unit
      if (used + most > filling.length) await flush();
      if (most > BUFFER_BYTES) {
        await flush();
        await start(Buffer.from(chunk));
        return;
      }
      if (filling.length === 0) filling = Buffer.allocUnsafe(BUFFER_BYTES);
      if (typeof chunk === 'string') used += filling.write(chunk, used);
      else {
        filling.set(chunk, used);
        used += chunk.length;
      }
    },
    async end() {
      await flush();
      await writing;
      await pass(encoder.end());
    },
    settled: () => writing.catch(() => undefined),
  };
}

export interface Encoder {
  encode(bytes: Uint8Array): Promise<Uint8Array[]>;
  end(): Promise<Uint8Array[]>;
}

/** Creates a gzip encoder (RFC 1952, without a time), or one that returns its input. */
export function createEncoder(gzip: boolean): Encoder {
  return gzip ? encoderOf(createGzip()) : { encode: async (bytes) => [bytes], end: async () => [] };
}

export function encoderOf(stream: Gzip | DeflateRaw): Encoder {
  let ready: Uint8Array[] = [];
  stream.on('data', (bytes: Uint8Array) => ready.push(bytes));
  const take = () => {
    const taken = ready;
    ready = [];
    return taken;
  };
  return {
    encode: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => (error ? reject(error) : resolve(take())));
      }),
    end: () =>
      new Promise((resolve, reject) => {
        stream.once('error', reject);
        stream.once('end', () => resolve(take()));
        stream.end();
      }),
  };
}
