/**
 * K11: reads response headers as browsers do (Chromium's HttpStreamParser). RFC 9112 is stricter, but a page
 * that opens for visitors must not be reported as broken.
 */
import { MOST_BYTES } from '#base/bounds';
import { getOrAdd } from '#base/collections';
import { NetworkError } from '#service/network-error';
import type { Headers } from '#service/transport';

export interface Head {
  status: number;
  headers: Headers;
}

const MOST_INTERIM = 20;

/** Returns a function that takes chunks and returns the final head (RFC 9110, 15.2) once it is complete. */
export function createHeadReader(): (chunk: Buffer) => Head | undefined {
  let text = '';
  let interim = 0;
  return (chunk) => {
    // Searches from 2 characters back, because the blank line may span chunks (RFC 9112, 2.2).
    const searched = text.length - 2;
    text = (text + chunk.toString('latin1')).replace(/^[\r\n]+/, '');
    const blank = /\n\r?\n/g;
    for (blank.lastIndex = searched; ; blank.lastIndex = 0) {
      if (!'http/'.startsWith(text.slice(0, 5).toLowerCase())) throw unusable('the response is not HTTP');
      const end = blank.exec(text);
      if ((end?.index ?? text.length) > MOST_BYTES.destinationHead)
        throw unusable('the response headers are too large');
      if (!end) return undefined;
      const head = parseHead(text.slice(0, end.index));
      if (head.status >= 200) return head;
      interim += 1;
      if (interim > MOST_INTERIM) throw unusable('too many interim responses');
      text = text.slice(blank.lastIndex).replace(/^[\r\n]+/, '');
    }
  };
}

function parseHead(text: string): Head {
  const [first = '', ...lines] = text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const status = Number(/^http\/[\d.]+ +([1-9]\d\d)(?!\d)/i.exec(first)?.[1]);
  // Refuses status 101, because qrctl never requests a protocol switch.
  if (Number.isNaN(status) || status === 101 || text.includes('\0'))
    throw unusable('the response is not HTTP');
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    getOrAdd(headers, name, (): string[] => []).push(line.slice(colon + 1).trim());
  }
  if (!headers.has('transfer-encoding')) requireOne('Content-Length', headers);
  requireOne('Location', headers);
  return { status, headers: Object.fromEntries(headers) };
}

/** Throws NetworkError if a header has several different values (response splitting). */
function requireOne(name: string, headers: ReadonlyMap<string, readonly string[]>): void {
  const values = headers.get(name.toLowerCase()) ?? [];
  if (values.some((value) => value !== values[0]))
    throw unusable(`the response has several ${name} headers that differ`);
}

/** Creates an error that is not retried, because a retry would get the same response. */
function unusable(message: string): NetworkError {
  return new NetworkError(message, { fault: 'answer', sent: true });
}
