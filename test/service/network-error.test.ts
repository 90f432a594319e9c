import { expect, test } from 'vitest';
import { asNetworkError, isRefused, NetworkError } from '#service/network-error';

const systemError = (code?: string, message = 'it failed') => Object.assign(new Error(message), { code });
const parserError = Object.assign(new Error('bad'), { name: 'HTTPParserError' });

test.each<[string, unknown, string, string]>([
  ['a refused connection', systemError('ECONNREFUSED'), 'connection refused', 'network'],
  ['an unknown host', systemError('ENOTFOUND'), 'host name not found', 'network'],
  ['an expired certificate', systemError('CERT_HAS_EXPIRED'), 'the certificate has expired', 'certificate'],
  [
    'a certificate of another host',
    systemError('ERR_TLS_CERT_ALTNAME_INVALID'),
    'the certificate is for another host name',
    'certificate',
  ],
  [
    'http on the port',
    systemError('ERR_SSL_WRONG_VERSION_NUMBER'),
    'the server did not respond with TLS',
    'protocol',
  ],
  ['another failure of TLS', systemError('ERR_SSL_BAD_RECORD'), 'the TLS connection failed', 'network'],
  ['an invalid header', systemError('HPE_INVALID_HEADER'), 'the response is not HTTP', 'network'],
  ['an invalid response', parserError, 'the response is not HTTP', 'network'],
  ['an unknown system error', systemError('ENEW'), 'ENEW', 'network'],
  ['an error without a code', systemError(undefined, 'no luck'), 'no luck', 'network'],
  ['a text instead of an error', 'no luck', 'no luck', 'network'],
])('%s is reported with its cause', (_, cause, message, fault) => {
  for (const sent of [false, true])
    expect(asNetworkError(cause, sent)).toMatchObject({ message, fault, sent, cause, hint: undefined });
});

test.each([
  ['ECONNREFUSED', 'connection refused', 'network'],
  ['ECONNRESET', 'the connection was reset', 'network'],
  ['EPIPE', 'the connection was closed while sending', 'network'],
  ['ENOTFOUND', 'host name not found', 'network'],
  ['EAI_AGAIN', 'host name not found (the name server did not respond; this may be temporary)', 'network'],
  ['ETIMEDOUT', 'the connection timed out', 'network'],
  ['EHOSTUNREACH', 'host unreachable', 'network'],
  ['ENETUNREACH', 'network unreachable', 'network'],
  ['EACCES', 'connection not permitted', 'network'],
  ['EPERM', 'connection not permitted', 'network'],
  ['EPROTO', 'the server sent an invalid TLS response', 'network'],
  ['UND_ERR_SOCKET', 'the connection was closed before the response was complete', 'network'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'the response was truncated', 'network'],
  ['ERR_ASSERTION', 'the response is not HTTP', 'network'],
  ['UND_ERR_HEADERS_OVERFLOW', 'the response headers are too large', 'network'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet (check the clock of this machine)', 'certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed', 'certificate'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate chain has a self-signed certificate', 'certificate'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate is not signed by a known authority', 'certificate'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'the certificate is not signed by a known authority', 'certificate'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the certificate is not signed by a known authority', 'certificate'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'the server did not respond with TLS', 'protocol'],
])('the error code %s is reported as: %s', (code, message, fault) => {
  expect(asNetworkError(systemError(code), true)).toMatchObject({ message, fault });
});

test('a network error is unchanged, and shows whether the server refused the connection', () => {
  const known = new NetworkError('closed', { sent: true });
  expect(asNetworkError(known, false)).toBe(known);
  const refused = asNetworkError(systemError('ECONNREFUSED'), false);
  const reset = asNetworkError(systemError('ECONNRESET'), false);
  expect([known, refused, reset].map(isRefused)).toEqual([false, true, false]);
});
