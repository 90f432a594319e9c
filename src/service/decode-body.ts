import { Buffer, isAscii } from 'node:buffer';
import { promisify } from 'node:util';
import { MOST_BYTES } from '#base/bounds';
import { BACKSLASH } from '#base/text/ascii';
import type { ByteBuffer } from '#base/text/byte-buffer';
import { escapeUnits } from '#base/text/clean';
import { quote } from '#base/text/quote';
import { NetworkError } from './network-error.ts';

export function addChunk(body: ByteBuffer, chunk: Buffer): void {
  if (body.size() + chunk.length > MOST_BYTES.body) throw tooLarge();
  body.add(chunk);
}

/**
 * Decodes a body. `bytes` may be reused before the promise resolves. With `escapes`, may escape non-ASCII
 * characters in a large JSON object. Rejects with NetworkError, for example for damaged gzip.
 */
export async function decodeBody(bytes: Buffer, encoding: string, escapes = false): Promise<string> {
  const plain = isGzip(bytes, encoding) ? await gunzip(Buffer.from(bytes)) : bytes;
  if (isAscii(plain)) return plain.toString('latin1');
  const escaped = escapes && plain.length > LARGE && plain[0] === BRACE ? withEscapes(plain) : undefined;
  const text = escaped ?? plain.toString();
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Minimum size in bytes of a body to escape. With two bytes per character, its text takes 128 KiB. */
const LARGE = 64 * 1024;
const BRACE = 0x7b;

/**
 * Escapes non-ASCII characters, so that V8 stores one byte per character: allocating a string above 128 KiB
 * takes longer than parsing it. Returns undefined if such a character follows a backslash, which may begin
 * another escape.
 */
function withEscapes(bytes: Buffer): string | undefined {
  let isClear = true;
  const text = bytes.toString('latin1').replace(/[\x80-\xff]+/g, (run, at: number, all: string) => {
    isClear &&= all.charCodeAt(at - 1) !== BACKSLASH;
    return escapeUnits(Buffer.from(run, 'latin1').toString());
  });
  return isClear ? text : undefined;
}

function isGzip(bytes: Buffer, encoding: string): boolean {
  if (encoding === '' || encoding === 'identity' || bytes.length === 0) return false;
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  throw new NetworkError(`the response is encoded as ${quote(encoding)}, which was not requested`, {
    fault: 'answer',
    sent: true,
  });
}

async function gunzip(bytes: Buffer): Promise<Buffer> {
  const zlib = await import('node:zlib');
  // With the default, 16 KiB, zlib would join ten chunks per page of scans.
  return promisify(zlib.gunzip)(bytes, { maxOutputLength: MOST_BYTES.body, chunkSize: 256 * 1024 }).catch(
    (cause) => {
      if (cause.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw new NetworkError('the response was truncated or damaged (gzip)', { sent: true, cause });
    },
  );
}

function tooLarge(): NetworkError {
  return new NetworkError(`the response is larger than ${MOST_BYTES.body / 1024 / 1024} MiB`, {
    fault: 'answer',
    sent: true,
  });
}
