import { messageOf, systemCode } from '#base/errors';

/**
 * `network`: no complete response. Not retried: `certificate` (not trusted), `protocol` (no TLS), `proxy`
 * (requires a password), `answer` (unusable, such as too large).
 */
export type NetworkFault = 'network' | 'certificate' | 'protocol' | 'proxy' | 'answer';

export class NetworkError extends Error {
  fault: NetworkFault;
  /** Whether any byte of the request may have been written. */
  sent: boolean;
  hint: string | undefined;

  constructor(
    message: string,
    details: { fault?: NetworkFault; sent: boolean; hint?: string; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.name = 'NetworkError';
    this.fault = details.fault ?? 'network';
    this.sent = details.sent;
    this.hint = details.hint;
  }
}

export const CLOSED_EARLY = 'the connection was closed before the response was complete';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while sending',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name not found (the name server did not respond; this may be temporary)',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EACCES: 'connection not permitted',
  EPERM: 'connection not permitted',
  EPROTO: 'the server sent an invalid TLS response',
  UND_ERR_SOCKET: CLOSED_EARLY,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response was truncated',
  // undici throws this error for a status below 100 or an unrequested protocol switch.
  ERR_ASSERTION: 'the response is not HTTP',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
};

const CERTIFICATE_WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet (check the clock of this machine)',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain has a self-signed certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is not signed by a known authority',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate is not signed by a known authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is not signed by a known authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
};

const NOT_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

export function asNetworkError(error: unknown, sent: boolean): NetworkError {
  if (error instanceof NetworkError) return error;
  const code = systemCode(error) ?? '';
  const certificate = CERTIFICATE_WORDS[code];
  if (certificate !== undefined)
    return new NetworkError(certificate, { fault: 'certificate', sent, cause: error });
  if (NOT_TLS.has(code))
    return new NetworkError('the server did not respond with TLS', { fault: 'protocol', sent, cause: error });
  return new NetworkError(WORDS[code] ?? otherWords(code, error), { sent, cause: error });
}

/** Returns whether the server, not a proxy, refused the connection. */
export function isRefused({ cause }: NetworkError): boolean {
  return systemCode(cause) === 'ECONNREFUSED';
}

function otherWords(code: string, error: unknown): string {
  if (code.startsWith('HPE_') || (error instanceof Error && error.name === 'HTTPParserError'))
    return 'the response is not HTTP';
  if (code.startsWith('ERR_SSL_')) return 'the TLS connection failed';
  return code || messageOf(error);
}
