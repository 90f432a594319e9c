/**
 * TLS state of one run: the trusted authorities, read once, and the session of each host, with which a handshake needs neither certificates
 * nor signatures (RFC 8446, 2.2).
 */
import { createSecureContext, type SecureContext } from 'node:tls';

interface Known {
  session: Buffer;
  /** Expiry of the verified certificate, ms since the epoch. */
  endsMs: number | undefined;
}

export interface TlsSessions {
  /** Returns the trusted authorities, whose loading takes about a millisecond per connection. */
  context(): SecureContext;
  find(origin: string): Known | undefined;
  keep(origin: string, known: Known): void;
}

/** Maximum number of sessions, of a few kilobytes each. Hosts are visited one queue after the other, so older ones are not needed again. */
const MOST_SESSIONS = 512;

export function createTlsSessions(): TlsSessions {
  const sessions = new Map<string, Known>();
  let context: SecureContext | undefined;
  return {
    context: () => {
      context ??= createSecureContext();
      return context;
    },
    find: (origin) => sessions.get(origin),
    keep(origin, known) {
      sessions.delete(origin);
      sessions.set(origin, known);
      const [oldest = ''] = sessions.keys();
      if (sessions.size > MOST_SESSIONS) sessions.delete(oldest);
    },
  };
}
