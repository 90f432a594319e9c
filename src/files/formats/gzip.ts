/** Encoders of file content: gzip, or unchanged. */
import { createGzip, type DeflateRaw, type Gzip } from 'node:zlib';

export interface Encoder {
  /** The encoded bytes that are ready after `bytes`; the rest comes with later calls. */
  encode(bytes: Uint8Array): Promise<Uint8Array[]>;
  /** The last bytes. */
  end(): Promise<Uint8Array[]>;
}

/** Bytes as they are. */
export function plainEncoder(): Encoder {
  return { encode: async (bytes) => [bytes], end: async () => [] };
}

/**
 * gzip (RFC 1952). zlib leaves the time field zero and compresses independently of how the data is cut into pieces, so the
 * same data always gives the same bytes.
 */
export function createGzipEncoder(): Encoder {
  return encoderOf(createGzip());
}

/** An encoder by a stream of node's. */
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
