/** Exports only the undici modules in use. All modules would cost `qrctl qr list` 38 ms of CPU time. */
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as symbols } from 'undici/lib/core/symbols.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
