declare module 'undici/lib/dispatcher/client.js' {
  import type { Client } from 'undici';

  const client: typeof Client;
  export default client;
}

declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net';
  import type { buildConnector } from 'undici';

  /** Returns the socket, unlike undici's own types, so that a hung connect can be ended. */
  type Connect = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
  const build: (options: buildConnector.BuildOptions) => Connect;
  export default build;
}

declare module 'undici/lib/core/symbols.js' {
  const symbols: { kParser: unique symbol };
  export default symbols;
}
