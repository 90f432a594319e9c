/**
 * Has undici's parser of HTTP compiled while other things are loaded and the connection is opened. undici compiles it on the main
 * thread when it is connected: `qrctl qr list` then waits 5 ms of 50 for it (Node 20; 2 of 50 in Node 24).
 *
 * Safe by construction: what V8 compiled is found again by the bytes it was made from and nothing else, and undici compiles the same
 * bytes itself, as ever. Where they are others (no SIMD) or V8 does not keep them, this was for nothing; a failure here is undici's to
 * meet and to report.
 */
import parser from 'undici/lib/llhttp/llhttp_simd-wasm.js';
import { keepWasmSimple } from '../start/v8-flags.ts';

keepWasmSimple();
WebAssembly.compile(parser).catch(() => undefined);
