/**
 * The modules of undici that are used, by their own paths and as one file of dist/: all of it would make `qr list` take 134 ms of CPU
 * time instead of 96, even if compiled before. If an upgrade moves them, the build and the type check fail.
 */
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as symbols } from 'undici/lib/core/symbols.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
