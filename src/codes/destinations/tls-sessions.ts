/** Stores TLS sessions to shorten later handshakes (RFC 8446, 2.2). */
import { createSecureContext, type SecureContext } from 'node:tls';

type Known = { session: Buffer; endsMs: number | undefined };

export type TlsSessions = ReturnType<typeof createTlsSessions>;

/** Maximum number of sessions. Old ones are rarely reused, because a host's URLs are visited in a row. */
const MOST_SESSIONS = 512;

export function createTlsSessions() {
  const sessions = new Map<string, Known>();
  let context: SecureContext | undefined;
  return {
    /** Returns a shared context, because loading the certificate authorities takes about 1 ms. */
    context: (): SecureContext => {
      context ??= createSecureContext();
      return context;
    },
    find: (origin: string) => sessions.get(origin),
    keep(origin: string, known: Known) {
      sessions.delete(origin);
      sessions.set(origin, known);
      const [oldest = ''] = sessions.keys();
      if (sessions.size > MOST_SESSIONS) sessions.delete(oldest);
    },
  };
}
