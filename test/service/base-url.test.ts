import { describe, expect, test } from 'vitest';
import { UsageError } from '#base/errors';
import { isLoopback, parseBaseUrl } from '#service/base-url';

describe('parseBaseUrl', () => {
  test.each([
    ['https://api.test/api/v1', 'https://api.test/api/v1'],
    ['https://api.test/api/v1/', 'https://api.test/api/v1'],
    ['HTTPS://API.test:443/api/v1//', 'https://api.test/api/v1'],
    ['https://gateway.test/qr-service/api/v1', 'https://gateway.test/qr-service/api/v1'],
    ['http://localhost:8080/api/v1', 'http://localhost:8080/api/v1'],
    ['http://127.0.0.1:8080/api/v1', 'http://127.0.0.1:8080/api/v1'],
    ['http://127.8.9.1/api/v1', 'http://127.8.9.1/api/v1'],
    ['http://[::1]:8080/api/v1', 'http://[::1]:8080/api/v1'],
  ])('accepts %s without adding a path', (text, baseUrl) => {
    expect(parseBaseUrl(text)).toEqual({ baseUrl, completed: false });
  });

  test.each(['https://api.test', 'https://api.test/', 'https://api.test//'])('adds /api/v1 to %s', (text) => {
    expect(parseBaseUrl(text)).toEqual({ baseUrl: 'https://api.test/api/v1', completed: true });
  });

  test.each([
    '',
    'api.test',
    'localhost:8080',
    'https://user:secret@api.test/api/v1',
    'https://secret@api.test/api/v1',
    'https://api.test/api/v1?x=secret',
    'https://api.test/api/v1#',
    'https://api.test/api/v1/qr',
    'https://api.test/v1',
    'https://api.test/xapi/v1x',
  ])('refuses "%s" with an error that repeats no secret', (text) => {
    const refused = () => parseBaseUrl(text);
    expect(refused).toThrow(UsageError);
    expect(refused).not.toThrow(/secret/);
  });

  test.each([
    ['http://qr.example/api/v1', /unencrypted/],
    ['http://127.0.0.1.qr.example/api/v1', /unencrypted/],
    ['http://localhost.qr.example/api/v1', /unencrypted/],
    ['http://0.0.0.0/api/v1', /unencrypted/],
    ['http://[::ffff:192.0.2.1]/api/v1', /unencrypted/],
    ['https://user:pass@qr.example/api/v1', /user name or password/],
    ['https://user@qr.example/api/v1', /user name or password/],
    ['https://qr.example/api/v1?x=1', /query/],
    ['https://qr.example/api/v1#x', /query or fragment/],
    ['https://qr.example/api/v2', /api\/v1/],
    ['ftp://qr.example/api/v1', /http or https/],
    ['\u001b[2J', /http or https/],
  ])('states why it refuses %j', (text, message) => {
    expect(() => parseBaseUrl(text)).toThrow(message);
  });
});

test('isLoopback accepts only localhost, addresses in 127.0.0.0/8, and [::1]', () => {
  const expected = [true, true, true, true];
  expect(['localhost', '127.0.0.1', '127.255.255.254', '[::1]'].map(isLoopback)).toEqual(expected);
  expect(
    ['localhost.test', '128.0.0.1', '127.example', '127.0.0.1.test', 'x127.0.0.1', '[::]', ''].some(
      isLoopback,
    ),
  ).toBe(false);
});

test.each([
  ['http://a.test/api/v1', 'Use https:// in the base URL.'],
  ['https://a.test/api/', 'Specify https://a.test, or the whole URL up to /api/v1.'],
  ['https://:secret@a.test', 'Run `qrctl auth login` to store the key.'],
  ['https://a.test/api/v1?', 'End the base URL with /api/v1.'],
  ['a.b.test', 'Did you mean https://a.b.test/api/v1?'],
  ['localhost:8080', 'Did you mean http://localhost:8080/api/v1?'],
  ['LOCALHOST/api/v1', 'Did you mean http://localhost/api/v1?'],
  ['127.0.0.1', 'Did you mean http://127.0.0.1/api/v1?'],
  ['[::1]:80/api/v1', 'Did you mean http://[::1]/api/v1?'],
  ['api.test/other', 'Specify a URL such as https://host/api/v1.'],
  ['ftp://a.test/api/v1', 'Specify a URL such as https://host/api/v1.'],
  ['svc_live_0123456789abcdef', 'Specify a URL such as https://host/api/v1.'],
  ['my host.test', 'Specify a URL such as https://host/api/v1.'],
  ['api.test/a b', 'Specify a URL such as https://host/api/v1.'],
])('the base URL %j is refused with the hint: %s', (text, hint) => {
  expect(() => parseBaseUrl(text)).toThrow(expect.objectContaining({ hint }));
});
