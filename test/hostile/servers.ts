/** Servers that break HTTP: status lines, headers, framing, encodings, and connections that end or never do. */
import { execSync } from 'node:child_process';
import type { Socket } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { type RawRequest, rawAnswer } from '../support/fault-server.ts';
import { type HostileServer, honest, send } from './honest.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const raw = (text: string): HostileServer => ({ react: ({ socket }) => void socket.write(text) });
const before = (text: string): HostileServer => ({
  isRight: true,
  react(request) {
    request.socket.write(text);
    send(request);
  },
});
const after = (first: (request: RawRequest) => void, then: (socket: Socket) => unknown): HostileServer => ({
  react(request) {
    first(request);
    then(request.socket);
  },
});

/** A piece again and again, as fast as the other side takes it or, with `everyMs`, one at a time. */
function flood(begin: string, piece: string, everyMs?: number): HostileServer {
  return {
    react({ socket }) {
      socket.write(begin);
      const pump = () => {
        while (!socket.destroyed && socket.write(piece)) if (everyMs !== undefined) break;
        if (everyMs === undefined) socket.once('drain', pump);
        else if (!socket.destroyed) setTimeout(pump, everyMs);
      };
      pump();
    },
  };
}

/** The right response, a byte a second. */
function drip(): HostileServer {
  return {
    react(request) {
      const bytes = rawAnswer(200, honest(request).body);
      let at = 0;
      const timer = setInterval(() => request.socket.write(bytes.charAt(at++)), 1000);
      request.socket.on('close', () => clearInterval(timer));
    },
  };
}

const statusLine = (line: string) => raw(`${line}\r\nContent-Length: 2\r\n\r\nhi`);
const right = (headers: Record<string, string>): HostileServer => ({
  isRight: true,
  react: (request) => send(request, headers),
});
const bodyOf = (request: RawRequest) => Buffer.from(JSON.stringify(honest(request).body));

/** The right body, packed by `pack` and called `encoding`. */
function packed(encoding: string, pack: (body: Buffer) => Buffer): HostileServer {
  return {
    react(request) {
      const body = pack(bodyOf(request));
      request.socket.write(`${OK}Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`);
      request.socket.write(body);
    },
  };
}

let bomb: Buffer | undefined;
/**
 * A gigabyte of zeros; twice, a kilobyte. Another process compresses it, because a child begins with the peak memory of its parent.
 */
function bombOf(): Buffer {
  bomb ??= execSync('head -c 1073741824 /dev/zero | gzip -1', { maxBuffer: 2 ** 26 });
  return bomb;
}

/** As far as `send` needs one. */
function withoutReason(socket: Socket): Socket {
  const write = (text: string) => socket.write(text.replace(' Status', ''));
  return { write } as Socket;
}

/** Whole, but for how the connection goes on. */
const reset = (when: (request: RawRequest) => void): HostileServer => ({
  react(request) {
    when(request);
    setTimeout(() => request.socket.resetAndDestroy(), 5);
  },
});

export const HTTP_SERVERS: Readonly<Record<string, HostileServer>> = {
  'status 99': statusLine('HTTP/1.1 99 x'),
  'status 000': statusLine('HTTP/1.1 000'),
  'bare 101': statusLine('HTTP/1.1 101'),
  'upgrade nobody asked for': statusLine('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c'),
  'status without end': statusLine(`HTTP/1.1 ${'2'.repeat(1e6)}`),
  'reason of a megabyte': statusLine(`HTTP/1.1 500 ${'x'.repeat(1e6)}`),
  'no reason': {
    isRight: true,
    react: (request) => send({ ...request, socket: withoutReason(request.socket) }),
  },
  'HTTP/0.9': { react: (request) => void request.socket.end(bodyOf(request)) },
  'HTTP/3.0': statusLine('HTTP/3.0 200 OK'),
  'a banner before any request': {
    react: (request) => send(request),
    greet: (socket) => void socket.write('220 mail.example ESMTP\r\n'),
  },
  'headers without end': flood(OK, 'X-A: b\r\n'.repeat(1000)),
  'a header of 10 MB': { react: ({ socket }) => void socket.write(`${OK}X-A: ${'b'.repeat(1e7)}\r\n\r\n`) },
  '100,000 headers': { react: ({ socket }) => void socket.write(`${OK}${'a: b\r\n'.repeat(1e5)}\r\n`) },
  'a header without a name': raw(`${OK}: x\r\n\r\n`),
  'a folded header': raw(`${OK}X-A: b\r\n c\r\nContent-Length: 0\r\n\r\n`),
  'NUL in a header': raw(`${OK}X-A: b\0c\r\nContent-Length: 0\r\n\r\n`),
  'interim responses without end': flood('', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(50)),
  'interim responses, slowly': flood('', 'HTTP/1.1 102 Processing\r\n\r\n', 50),
  'an unrequested 100 before each response': before('HTTP/1.1 100 Continue\r\n\r\n'),
  'early hints before each response': before('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
  'a chunk of FFFFFFFFFFFFFFFF bytes': raw(`${OK}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n{}`),
  'a negative chunk': raw(`${OK}Transfer-Encoding: chunked\r\n\r\n-5\r\n{}\r\n0\r\n\r\n`),
  'a chunk of no number': raw(`${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n`),
  'a chunk extension without end': flood(`${OK}Transfer-Encoding: chunked\r\n\r\n5;`, 'a=b;'.repeat(1000)),
  'trailers without end': flood(
    `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`,
    'a: b\r\n'.repeat(1000),
  ),
  'chunked and a length': raw(
    `${OK}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ),
  'a length too long': after(
    (request) => send(request, {}, 1e6),
    (socket) => socket.end(),
  ),
  'a length too short': { react: (request) => send(request, {}, 10) },
  'a negative length': { react: (request) => send(request, { 'Content-Length': '-1' }, null) },
  'two lengths': raw(`${OK}Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}   `),
  'a length of 10^30': { react: (request) => send(request, { 'Content-Length': '1'.padEnd(31, '0') }, null) },
  'one byte a second': drip(),
  'never answers': { react: () => undefined },
  'a body without end': flood(`${OK}\r\n[`, '{},'.repeat(20_000)),
  'a body of blanks without end': flood(
    `${OK}Transfer-Encoding: chunked\r\n\r\n`,
    `ffff\r\n${' '.repeat(0xffff)}\r\n`,
  ),
  'reset at once': {
    react: () => undefined,
    greet: (socket) => void setTimeout(() => socket.resetAndDestroy(), 1),
  },
  'closed at once': { react: () => undefined, greet: (socket) => void socket.end() },
  'reset after the request': reset(() => undefined),
  'reset in the status line': reset(({ socket }) => void socket.write('HTTP/1.1 2')),
  'reset in the headers': reset(({ socket }) => void socket.write(OK)),
  'reset in the body': reset((request) => send(request, {}, 1e6)),
  'keep-alive that closes': {
    isRight: true,
    ...after(
      (request) => send(request, { 'Keep-Alive': 'timeout=100' }),
      (socket) => setTimeout(() => socket.destroy(), 3),
    ),
  },
  'a response too many': {
    react: (request) =>
      void request.socket.write(
        rawAnswer(200, honest(request).body) +
          rawAnswer(200, { data: [], pagination: { page: 1, limit: 100, total: 0, pages: 0 } }),
      ),
  },
  'trailing bytes': after(send, (socket) => socket.write('\r\n\r\ngarbage')),
  'a gigabyte in gzip': packed('gzip', bombOf),
  'a bomb in a bomb': packed('gzip, gzip', () => gzipSync(bombOf())),
  'gzip that is none': packed('gzip', (body) => body),
  'gzip, cut': packed('gzip', (body) => gzipSync(body).subarray(0, -5)),
  'gzip with a wrong checksum': packed('gzip', (body) =>
    Buffer.concat([gzipSync(body).subarray(0, -8), Buffer.alloc(8, 7)]),
  ),
  'brotli nobody asked for': packed('br', (body) =>
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  ),
  'deflate nobody asked for': packed('deflate', (body) => deflateSync(body)),
  'an unknown encoding': packed('x'.repeat(8000), (body) => body),
  'TLS garbage': {
    isTls: true,
    react: () => undefined,
    greet: (socket) => void socket.write(Buffer.from('16030300050e000000ff'.repeat(200), 'hex')),
  },
  'TLS, and nothing comes': { isTls: true, react: () => undefined },
  'a Set-Cookie of 1,000 lines': {
    isRight: true,
    react: (request) =>
      send(request, {
        'Set-Cookie': Array.from({ length: 200 }, (_, i) => `a${i}=${'b'.repeat(20)}`).join(
          '\r\nSet-Cookie: ',
        ),
      }),
  },
  'Retry-After of 10^20': right({
    'Retry-After': '1'.padEnd(21, '0'),
    Date: 'Fri, 31 Dec 9999 23:59:59 GMT',
  }),
};
