/** Heads of responses: those that Chromium shows as a page are read, those that it refuses are not. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createHeadReader } from '#codes/destinations/read-head';

const read = (text: string) => createHeadReader()(Buffer.from(text, 'latin1'));
const OK = 'HTTP/1.1 200 OK\r\n';

/** Each was opened by Chromium. */
const READABLE: [what: string, text: string, headers: Record<string, string[]>][] = [
  [
    'two equal Content-Length headers',
    `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi`,
    { 'content-length': ['2', '2'] },
  ],
  [
    'a Content-Length and a chunked body',
    `${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi`,
    { 'content-length': ['3'] },
  ],
  ['a negative Content-Length', `${OK}Content-Length: -1\r\n\r\n`, { 'content-length': ['-1'] }],
  ['lines that end in LF', 'HTTP/1.1 200 OK\nServer: old\nA: b\n\nhi', { server: ['old'], a: ['b'] }],
  ['lines that end in LF or CRLF', `${OK}Server: old\nA: b\r\n\nhi`, { server: ['old'], a: ['b'] }],
  ['an unrequested 100 response before it', `HTTP/1.1 100 Continue\r\n\r\n${OK}A: b\r\n\r\n`, { a: ['b'] }],
  [
    'several interim responses before it',
    `HTTP/1.1 100\r\n\r\nHTTP/1.1 103 Early Hints\r\nB: c\r\n\r\n${OK}A: b\r\n\r\n`,
    { a: ['b'] },
  ],
  ['blank lines before it', `\r\n\r\n${OK}A: b\r\n\r\n`, { a: ['b'] }],
  ['a folded line', `${OK}A: b\r\n  c\r\nD: e\r\n\r\n`, { a: ['b c'], d: ['e'] }],
  ['a line without a colon', `${OK}nonsense\r\nA: b\r\n\r\n`, { a: ['b'] }],
  ['a space before the colon', `${OK}A : b\r\n\r\n`, { a: ['b'] }],
  ['no reason phrase', 'HTTP/1.1 200\r\nA: b\r\n\r\n', { a: ['b'] }],
  ['lowercase letters', 'http/1.1 200 ok\r\na: b\r\n\r\n', { a: ['b'] }],
  ['an unknown HTTP version', 'HTTP/9.9 200 OK\r\nA: b\r\n\r\n', { a: ['b'] }],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nA: b\r\n\r\n', { a: ['b'] }],
  [
    'names that JavaScript objects inherit',
    `${OK}__proto__: b\r\nconstructor: c\r\n\r\n`,
    { constructor: ['c'] },
  ],
];

const REFUSED: [what: string, text: string, message: string][] = [
  [
    'different Content-Length headers',
    `${OK}Content-Length: 2\r\nContent-Length: 5\r\n\r\n`,
    'has several Content-Length headers that differ',
  ],
  [
    'different Location headers',
    'HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\n\r\n',
    'has several Location headers that differ',
  ],
  ['a NUL byte', `${OK}A: b\0c\r\n\r\n`, 'not HTTP'],
  ['a greeting in another protocol', 'SSH-2.0-OpenSSH_9.6', 'not HTTP'],
  ['HTML instead of a status line', '<html>hello</html>\r\n\r\n', 'not HTTP'],
  ['status 101 (Switching Protocols)', 'HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n', 'not HTTP'],
  ['no status code', 'HTTP/1.1 hello\r\n\r\n', 'not HTTP'],
  ['a status code that does not come first', 'HTTP/1.1 hello HTTP/1.1 200 OK\r\n\r\n', 'not HTTP'],
  ['a header value of 300,000 bytes', `${OK}A: ${'b'.repeat(300_000)}`, 'headers are too large'],
];

describe('createHeadReader (K11)', () => {
  it.each(READABLE)('reads a response head with %s', (_what, text, headers) => {
    expect(read(text)).toMatchObject({ status: 200, headers });
  });

  it('omits a header without a name', () => {
    expect(read(`${OK}nonsense\r\n: x\r\n\r\n`)).toEqual({ status: 200, headers: {} });
  });

  it.each([
    ['a body that contains a NUL byte', `${OK}A: b\r\n\r\nA: c\0`],
    ['a folded line that ends in LF', 'HTTP/1.1 200 OK\nA:\n b\n\n'],
    ['several spaces before the status code', 'HTTP/1.1   200 OK\r\nA: b\r\n\r\n'],
    ['blank lines after an interim response', `HTTP/1.1 100\r\n\r\n\r\n\r\n${OK}A: b\r\n\r\n`],
  ])('reads exactly the headers of a response with %s', (_what, text) => {
    expect(read(text)).toEqual({ status: 200, headers: { a: ['b'] } });
  });

  it('accepts conflicting Content-Length headers if the body is chunked', () => {
    const text = `${OK}Content-Length: 3\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(read(text)).toMatchObject({ status: 200 });
  });

  it('accepts 20 interim responses, but not 21', () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n';
    expect(read(`${interim.repeat(20)}${OK}\r\n`)).toMatchObject({ status: 200 });
    expect(() => read(`${interim.repeat(21)}${OK}\r\n`)).toThrow('too many interim responses');
  });

  it.each(REFUSED)('refuses a response head with %s', (_what, text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it('parses a head with 85,000 headers in less than 5 s', () => {
    const began = performance.now();
    expect(read(`${OK}${'a:\n'.repeat(85_000)}\n`)).toMatchObject({ status: 200 });
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it('returns undefined until the head is complete', () => {
    for (const text of [
      '',
      '\r\n',
      'HT',
      OK,
      `${OK}A: b\r\n`,
      `${OK}A: b\r\n\r`,
      'HTTP/1.1 100 Continue\r\n\r\n',
    ])
      expect(read(text), JSON.stringify(text)).toBeUndefined();
  });

  test('returns the same result for a head, however it is divided into packets', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...READABLE, ...REFUSED),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
        ([, text], sizes) => {
          const whole = outcomeOf([text]);
          const chunks: string[] = [];
          const most = text.length > 10_000 ? 500 : 1;
          for (let at = 0; at < text.length; at += chunks.at(-1)?.length ?? 0)
            chunks.push(text.slice(at, at + most * (sizes.next().value ?? 1)));
          expect(outcomeOf(chunks)).toEqual(whole);
        },
      ),
    );
  });
});

/** What is read from chunks, or the message of the failure. */
function outcomeOf(chunks: readonly string[]): unknown {
  const reader = createHeadReader();
  try {
    for (const chunk of chunks) {
      const head = reader(Buffer.from(chunk, 'latin1'));
      if (head) return head;
    }
    return undefined;
  } catch (error) {
    return String(error);
  }
}
