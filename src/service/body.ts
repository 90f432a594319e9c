import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import type { ByteBuffer } from '../base/text/byte-buffer.ts';
import { quote } from '../base/text/quote.ts';
import { NetworkError } from './network-error.ts';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

export function addChunk(body: ByteBuffer, chunk: Buffer): void {
  if (body.size() + chunk.length > MAX_BODY_BYTES) throw tooLarge();
  body.add(chunk);
}

/**
 * Decodes a body to text. `encoding` is its Content-Encoding: none or gzip, as requested. Bytes that are not UTF-8 become U+FFFD. Has read
 * the bytes when it returns. Rejects with NetworkError for a body that is truncated, damaged or larger than 64 MiB when decompressed.
 */
export async function decodeBody(bytes: Buffer, encoding: string): Promise<string> {
  const text = await unpackedText(bytes, encoding);
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

async function unpackedText(bytes: Buffer, encoding: string): Promise<string> {
  if (encoding === '' || encoding === 'identity' || bytes.length === 0) return bytes.toString('utf8');
  if (encoding === 'gzip' || encoding === 'x-gzip')
    return (await gunzip(Buffer.from(bytes))).toString('utf8');
  throw new NetworkError(`the response is encoded as ${quote(encoding)}, which was not requested`, {
    fault: 'answer',
    sent: true,
  });
}

async function gunzip(bytes: Buffer): Promise<Buffer> {
  const zlib = await import('node:zlib');
  // Large chunks: the default of 16 KiB would copy a page of scans together from ten pieces.
  return promisify(zlib.gunzip)(bytes, { maxOutputLength: MAX_BODY_BYTES, chunkSize: 256 * 1024 }).catch(
    (cause) => {
      if (cause.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw new NetworkError('the response was truncated or damaged (gzip)', { sent: true, cause });
    },
  );
}

function tooLarge(): NetworkError {
  return new NetworkError(`the response is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB`, {
    fault: 'answer',
    sent: true,
  });
}
