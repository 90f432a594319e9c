/** Exports only the undici modules in use. With all, `qrctl qr list` would take 134 ms of CPU, not 96. */
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as symbols } from 'undici/lib/core/symbols.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
