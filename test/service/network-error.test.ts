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

test('a network error is unchanged, and shows whether the server refused the connection', () => {
  const known = new NetworkError('closed', { sent: true });
  expect(asNetworkError(known, false)).toBe(known);
  const refused = asNetworkError(systemError('ECONNREFUSED'), false);
  const reset = asNetworkError(systemError('ECONNRESET'), false);
  expect([known, refused, reset].map(isRefused)).toEqual([false, true, false]);
});
