/** The body of an answer, from chunks to text. */
import { Buffer } from 'node:buffer';
import { NetworkError } from './network-error.ts';

/** No answer the specification describes comes near this; one that passes it would only fill the memory. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * The text of a body. `encoding` is its Content-Encoding: none or gzip, all that is asked for. Bytes that are not UTF-8 become
 * U+FFFD. Throws NetworkError for a body that is cut, damaged or larger than 64 MiB when unpacked.
 */
export async function decodeBody(chunks: readonly Buffer[], encoding: string): Promise<string> {
  const text = await unpackedText(chunks, encoding);
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

async function unpackedText(chunks: readonly Buffer[], encoding: string): Promise<string> {
  if (encoding === '' || encoding === 'identity' || chunks.length === 0) return plainText(chunks);
  if (encoding === 'gzip' || encoding === 'x-gzip') return (await gunzip(Buffer.concat(chunks))).toString('utf8');
  throw new NetworkError('the answer is packed in a way that was not asked for', { fault: 'answer', sent: true });
}

/** Where pages of scans are put together: in new memory each, they would fill it faster than node clears it. */
let room = Buffer.alloc(0);
const MOST_ROOM = 1024 * 1024;

function plainText(chunks: readonly Buffer[]): string {
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (chunks.length === 1 || size > MOST_ROOM) return Buffer.concat(chunks).toString('utf8');
  if (size > room.length) room = Buffer.allocUnsafe(MOST_ROOM);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(room, at);
  return room.toString('utf8', 0, size);
}

async function gunzip(bytes: Buffer): Promise<Buffer> {
  const zlib = await import('node:zlib');
  return new Promise((resolve, reject) => {
    // Large chunks: the default of 16 KiB would copy a page of scans together from ten pieces.
    zlib.gunzip(
      bytes,
      { maxOutputLength: MAX_BODY_BYTES, chunkSize: 256 * 1024 },
      (error: NodeJS.ErrnoException | null, result) => {
        if (!error) resolve(result);
        else if (error.code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge());
        else reject(new NetworkError('the answer was cut short or damaged (gzip)', { sent: true, cause: error }));
      },
    );
  });
}

/** The failure of a body beyond the bound. */
export function tooLarge(): NetworkError {
  return new NetworkError(`the answer is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB`, { fault: 'answer', sent: true });
}
