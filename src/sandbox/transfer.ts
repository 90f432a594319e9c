/** Reads requests from the socket and writes responses to it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { formatHttpDate } from '../base/time/time.ts';
import type { Answer, SandboxRequest } from './exchange.ts';

/** Bodies of requests are bounded; a code needs a few hundred bytes. */
const MOST_BODY_BYTES = 2 ** 20;
/** Below this, compression saves nothing. */
const WORTH_COMPRESSING_BYTES = 1024;

const compress = promisify(gzip);

/** Reads a whole request. Rejects if the connection breaks before its end. */
export async function readRequest(incoming: IncomingMessage): Promise<SandboxRequest> {
  const { method = '', url = '', headers } = incoming;
  const [path = '', ...query] = url.split('?');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes <= MOST_BODY_BYTES) chunks.push(chunk);
    // Swallowed for a while, so that the client gets to read the 413; a client that never ends is cut off.
    if (bytes > 64 * MOST_BODY_BYTES) throw new Error('endless request');
  }
  const body = bytes === 0 ? undefined : Buffer.concat(chunks);
  return {
    method,
    path,
    query: new URLSearchParams(query.join('?')),
    headers,
    body,
    oversized: bytes > MOST_BODY_BYTES,
  };
}

/** Writes the response with its length and the service's date, compressed if enabled and accepted. */
export async function writeAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
  { gzipped, nowMs }: { gzipped: boolean; nowMs: number },
): Promise<void> {
  response.sendDate = false;
  const common = { Date: formatHttpDate(nowMs), ...headers };
  if (body === undefined) {
    response.writeHead(status, common).end();
    return;
  }
  const plain = typeof body === 'string' ? Buffer.from(body) : body;
  const smaller = gzipped && plain.length >= WORTH_COMPRESSING_BYTES;
  const sent = smaller ? await compress(plain, { level: 1 }) : plain;
  const encoding = smaller ? { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } : {};
  response.writeHead(status, { ...common, ...encoding, 'Content-Length': String(sent.length) }).end(sent);
}

/** Returns whether the client accepts gzip (RFC 9110 12.5.3, without weights). */
export function acceptsGzip({ headers }: SandboxRequest): boolean {
  const accepted = String(headers['accept-encoding'] ?? '');
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted);
}
