/** The parts of undici that are used, as one file of their own in dist/: importing it whole costs four times as long at start. */
import { setFlagsFromString } from 'node:v8';

export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';

// undici reads HTTP by one large WebAssembly function. At its first answers V8 would begin to optimize it: 80 ms and 37 MB that
// node waits for before it exits, and that no export is long enough to win back.
setFlagsFromString('--liftoff-only');
