/** The parts of undici that are used, as one file of their own in dist/: importing it whole costs four times as long at start. */
import { keepWasmSimple } from '../start/v8-flags.ts';

export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';

keepWasmSimple();
